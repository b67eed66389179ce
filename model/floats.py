"""Writes what the encoder gives for some texts with its weights as they are: what the packed ones are tested against.

usage: floats.py FLOATS.jsonl      (crates/rawko-core/tests/fixtures/encoder/floats.jsonl; its texts stay, its vectors are made anew)
"""
import json, os, sys

import numpy as np
from safetensors.numpy import load_file

from encoder import CLS, MODEL, SEP, tokenizer, unit
from pack import attend, erf, norm


def encode(w, ids):
    def get(name, kind): return w[f"{name}.{kind}"]
    def dense(x, name): return x @ get(name, "weight").T + get(name, "bias")
    def normed(x, name): return norm(x, get(name, "weight"), get(name, "bias"))
    x = w["embeddings.word_embeddings.weight"][ids] + w["embeddings.position_embeddings.weight"][:len(ids)]
    x = normed(x + w["embeddings.token_type_embeddings.weight"][0], "embeddings.LayerNorm")
    for at in range(6):
        layer = f"encoder.layer.{at}."
        asked = np.concatenate([dense(x, f"{layer}attention.self.{name}") for name in ("query", "key", "value")], 1)
        x = normed(x + dense(attend(asked, [len(ids)]), layer + "attention.output.dense"), layer + "attention.output.LayerNorm")
        wide = dense(x, layer + "intermediate.dense")
        x = normed(x + dense(0.5 * wide * (1 + erf(wide / np.sqrt(2))), layer + "output.dense"), layer + "output.LayerNorm")
    return unit(x.mean(0, keepdims=True))[0]


def main(path):
    w = {k.removeprefix("bert."): v for k, v in load_file(os.path.join(MODEL, "model.safetensors")).items()}
    texts, tok = [json.loads(line)["text"] for line in open(path)], tokenizer()
    with open(path, "w") as out:
        for text in texts:
            ids = [CLS, *tok.encode(text, add_special_tokens=False).ids[:254], SEP]
            print(json.dumps({"text": text, "vector": [round(float(x), 4) for x in encode(w, ids)]}), file=out)


if __name__ == "__main__":
    main(sys.argv[1])
