"""Asks the sentence encoder: a vector for every token of the vocabulary, and one for every text of the pairs.

usage: teach.py PAIRS.jsonl COUNT FOLDER      (both texts of the first COUNT pairs; written in blocks: what has been asked is not asked again)
"""
import glob, hashlib, json, os, sys, time

import numpy as np

from encoder import CLS, SEP, Encoder, tokenizer, unit, vocabulary

TOKENS_AT_MOST, BLOCK = 48, 2048


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
    tok, encoder = tokenizer(), Encoder(folder)
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
