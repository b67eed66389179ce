"""Distils the static token table that rawko embeds texts with.

usage: distill.py TEXTS.json COUNT OUT.bin      (TEXTS.json from texts.py; COUNT = how many of them to fit to;
                                                 the encoder's graph is kept beside TEXTS.json)

1. The encoder sees every token of its vocabulary alone; the mean of its last layer is the token's row.
2. Rows are centred and weighted: a token's probability goes by its rank in the vocabulary, which is ordered by
   frequency (smooth inverse frequency); punctuation counts less.
3. One linear map, by ridge regression, takes the mean row of a text to the encoder's own vector of that text, with
   the direction that all texts share removed. The map is folded into the rows: no work is left for later.
4. The 256 directions with the most variance among the mapped rows are kept, each row as int8 with a scale.
"""
import json, os, sys

import numpy as np
import scipy.sparse as sp

import container
from encoder import CLS, SEP, Encoder, tokenizer, unit, vocabulary

DIMS, SIF, RIDGE, PUNCTUATION, TOKENS_AT_MOST = 256, 1e-4, 0.03, 0.3, 64


def weights(names):
    """What each token counts in a sum, for names in the order of their frequency."""
    p = 1 / np.arange(2, len(names) + 2)
    p /= p.sum()
    mark = np.array([len(n) == 1 and not n.isalnum() for n in names])
    return SIF / (SIF + p) * np.where(mark, PUNCTUATION, 1)


def main(texts_path, count, out):
    tok, encoder = tokenizer(), Encoder(os.path.dirname(os.path.abspath(texts_path)))
    kept = vocabulary(tok)
    names = [n for n, _ in kept]
    rows = encoder.means([[CLS, i, SEP] for _, i in kept])
    rows = (rows - rows.mean(0)) * weights(names)[:, None]

    texts = json.load(open(texts_path))[:int(count)]
    encoded = [e.ids[:TOKENS_AT_MOST] for e in tok.encode_batch(texts, add_special_tokens=False)]
    teacher = unit(encoder.means([[CLS, *ids, SEP] for ids in encoded]))
    teacher = unit(teacher - teacher.mean(0))

    row_of = {i: row for row, (_, i) in enumerate(kept)}
    found = [[row_of[i] for i in ids if i in row_of] for ids in encoded]
    bags = sp.csr_matrix((np.concatenate([np.full(len(f), 1 / max(1, len(f)), np.float32) for f in found]),
                          np.concatenate(found).astype(int), np.cumsum([0] + [len(f) for f in found])),
                         shape=(len(found), len(names)))
    x = bags @ rows
    gram = x.T @ x
    rows = rows @ np.linalg.solve(gram + RIDGE * np.trace(gram) / len(gram) * np.eye(len(gram)), x.T @ teacher)
    print("cosine to the encoder", (unit(bags @ rows) * teacher).sum(1).mean())

    _, directions = np.linalg.eigh(rows.T @ rows)  # least variance first
    container.write(out, names, (rows @ directions[:, :-DIMS - 1:-1]).astype(np.float32))


if __name__ == "__main__":
    main(*sys.argv[1:4])
