"""What the whole encoder would reach on the speed workload, alone and in place of the static table.

usage: ceiling.py WORKLOAD_DIR PARTS.jsonl FOLDER

PARTS.jsonl is of `rawko-eval workload WORKLOAD_DIR --parts PARTS.jsonl` (1,000 memories); FOLDER keeps the encoder's graph.
The word legs are the program's own; a memory that is not among the hundred it looked at closely has none.
"""
import json, sys

import numpy as np

from encoder import CLS, SEP, Encoder, tokenizer, unit

TOKENS_AT_MOST, SHORT = 96, 6


def main(workload, parts, folder):
    sys.path.insert(0, workload)
    import gen
    memories, tok, encoder = [gen.memory(i) for i in gen.order(1000)], tokenizer(), Encoder(folder)
    vectors = lambda texts: unit(encoder.means([[CLS, *e.ids[:TOKENS_AT_MOST], SEP]
                                               for e in tok.encode_batch(texts, add_special_tokens=False)]))
    rows = [json.loads(line) for line in open(parts)]
    texts = [m["title"].split(": ", 1)[1] + ". " + m["body"] for m in memories]
    alike = vectors([r["question"] for r in rows]) @ vectors(texts).T
    place = {m["id"]: n for n, m in enumerate(memories)}
    words, static = np.zeros_like(alike), np.zeros_like(alike)
    for n, row in enumerate(rows):
        for name, points in row["found"]:
            words[n, place[name]] = sum(points[leg] for leg in ("words", "passage", "coverage", "pairs"))
            static[n, place[name]] = points["meaning"] + points["clauses"]
    kinds, gold = np.array([r["type"] for r in rows]), np.array([place[r["gold_session_ids"][0]] for r in rows])
    trust = np.minimum(1, SHORT / np.array([max(1, r["words"]) for r in rows]))[:, None]
    mean = alike.mean(1, keepdims=True)
    centred = (alike - mean) / np.maximum(1 - mean, 0.1)

    def tell(label, scores):
        found = (scores > scores[np.arange(len(rows)), gold][:, None]).sum(1) < 5
        print(f"{label:32} rec@5 {found.mean():.3f}", *(f"{kind} {found[kinds == kind].mean():.2f}" for kind in sorted(set(kinds))))

    tell("words and static table (now)", words + static)
    tell("encoder alone", alike)
    for points in (24, 48, 96, 200): tell(f"words, encoder x {points}", words + points * centred)
    for points in (24, 48, 96): tell(f"words, encoder x {points} by trust", words + points * trust * centred)


if __name__ == "__main__":
    main(*sys.argv[1:4])
