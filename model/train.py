"""Trains the static token table that rawko embeds texts with.

usage: train.py PAIRS.jsonl TAUGHT OUT.bin [NAME=NUMBER ...]      (PAIRS.jsonl from pairs.py, TAUGHT from teach.py)

1. Start: the encoder's vector of every token alone, centred, weighted by smooth inverse frequency, and one linear map
   by ridge regression that takes the mean row of a text to the encoder's own vector of that text. The 256 directions
   with the most variance are kept.
2. Training moves every row by itself: two texts of a pair must find each other among the other texts of their batch
   (softmax over cosines, both ways), and every text should stay near the encoder's vector of it.
3. One pair in thirty is held out: after each round it is told how often such pairs find each other; the best round is written,
   each row as int8 with a scale.
"""
import json, os, sys, time

import numpy as np
import scipy.sparse as sp
import torch

import container
from encoder import tokenizer, unit, vocabulary
from teach import key, taught, texts_of

HELD_OUT = 30
SETTING = dict(dims=256, sif=1e-4, ridge=0.03, punctuation=0.3, tokens=96, fit=20000,
               batch=1024, rounds=12, rate=0.003, temperature=0.05, near=1.0, pull=1.0, seed=7, threads=1)


def weights(names, s):
    """What each token counts in a sum at the start, for names in the order of their frequency."""
    p = 1 / np.arange(2, len(names) + 2)
    p /= p.sum()
    mark = np.array([len(n) == 1 and not n.isalnum() for n in names])
    return s["sif"] / (s["sif"] + p) * np.where(mark, s["punctuation"], 1)


class Bags:
    """Texts as rows of the table, one after another."""
    def __init__(self, texts, tok, row_of, most):
        found = [[row_of[i] for i in e.ids[:most] if i in row_of] for e in tok.encode_batch(texts, add_special_tokens=False)]
        self.rows = torch.tensor(np.concatenate([np.array(f, np.int64) for f in found]))
        self.starts = torch.tensor(np.cumsum([0] + [len(f) for f in found]))

    def matrix(self, count, width):
        starts = self.starts[:count + 1].numpy()
        lengths = np.diff(starts)
        values = np.repeat(1 / np.maximum(lengths, 1), lengths).astype(np.float32)
        return sp.csr_matrix((values, self.rows[:starts[-1]].numpy(), starts), shape=(count, width))

    def pick(self, which):
        starts, ends = self.starts[which], self.starts[which + 1]
        lengths = ends - starts
        offsets = torch.cumsum(lengths, 0) - lengths
        inside = torch.arange(int(lengths.sum())) - torch.repeat_interleave(offsets, lengths)
        return self.rows[torch.repeat_interleave(starts, lengths) + inside], offsets


def first_table(folder, names, bags, teacher, s):
    rows = np.load(os.path.join(folder, "tokens.npy")).astype(np.float32)
    rows = (rows - rows.mean(0)) * weights(names, s)[:, None]
    count = min(int(s["fit"]), len(teacher))
    x = bags.matrix(count, len(names)) @ rows
    gram = x.T @ x
    rows = rows @ np.linalg.solve(gram + s["ridge"] * np.trace(gram) / len(gram) * np.eye(len(gram)), x.T @ teacher[:count])
    _, directions = np.linalg.eigh(rows.T @ rows)  # least variance first
    directions = directions[:, :-int(s["dims"]) - 1:-1]
    rows = rows @ directions
    return (rows / np.linalg.norm(rows, axis=1).mean()).astype(np.float32), unit(teacher @ directions).astype(np.float32)


def main(pairs_path, folder, out, *given):
    s = dict(SETTING, **{k: float(v) for k, v in (g.split("=") for g in given)})
    torch.manual_seed(int(s["seed"])); torch.set_num_threads(int(s["threads"]))
    tok = tokenizer()
    kept = vocabulary(tok)
    names, row_of = [n for n, _ in kept], {i: row for row, (_, i) in enumerate(kept)}
    pairs = [json.loads(line) for line in open(pairs_path)]
    known = taught(folder)
    texts = sorted(texts_of(pairs_path, len(pairs)), key=lambda t: key(t) not in known)  # those with a teacher first
    number = {t: n for n, t in enumerate(texts)}
    bags = Bags(texts, tok, row_of, int(s["tokens"]))
    teacher = np.stack([known[key(t)] for t in texts if key(t) in known]).astype(np.float32)
    teacher = unit(teacher - teacher.mean(0))
    rows, teacher = first_table(folder, names, bags, teacher, s)
    teacher = torch.tensor(teacher)
    table = torch.nn.Parameter(torch.tensor(rows))
    of = lambda which: torch.nn.functional.normalize(torch.nn.functional.embedding_bag(*with_table(bags.pick(which), table), mode="mean"), dim=1)

    kinds, held = {}, {}
    for n, (kind, a, b) in enumerate(pairs):
        (held if n % HELD_OUT == 0 else kinds).setdefault(kind, []).append((number[a], number[b]))
    kinds = {k: torch.tensor(v) for k, v in kinds.items()}
    held = {k: torch.tensor(v)[:1000] for k, v in held.items()}
    hidden = torch.zeros(len(teacher), dtype=torch.bool)  # texts of held-out pairs teach nothing
    for v in held.values(): hidden[v[v < len(teacher)]] = True
    told = torch.nonzero(~hidden)[:, 0]
    check = torch.nonzero(hidden)[:2000, 0]

    def report(label):
        with torch.no_grad():
            found = {}
            for kind, v in held.items():
                scores = of(v[:, 0]) @ of(v[:, 1]).T
                found[kind] = (1 / (1 + (scores > scores.diagonal()[:, None]).sum(1))).float().mean().item()
            near = (of(check) * teacher[check]).sum(1).mean().item()
        mean = sum(found.values()) / len(found)
        print(label, f"mrr {mean:.4f} near {near:.4f}", " ".join(f"{k} {v:.3f}" for k, v in found.items()), flush=True)
        return mean

    best, began = report("start"), time.time()
    container.write(out, names, rows)
    optimiser = torch.optim.Adam([table], lr=s["rate"])
    size, total = int(s["batch"]), None
    for turn in range(int(s["rounds"])):
        batches = []
        for kind, v in kinds.items():
            order = v[torch.randperm(len(v))]
            batches += [order[i:i + size] for i in range(0, len(order) - size // 2, size)]
        total = total or len(batches) * int(s["rounds"])
        for step, at in enumerate(torch.randperm(len(batches))):
            done = (turn * len(batches) + step) / total
            optimiser.param_groups[0]["lr"] = s["rate"] * min(1, done * 20 + 0.05) * (1 - 0.95 * done)
            batch = batches[at]
            a, b = of(batch[:, 0]), of(batch[:, 1])
            scores = a @ b.T / s["temperature"]
            # A pair may occur twice in a batch, and a text in several pairs: such are no strangers.
            same = (batch[:, None, 0] == batch[None, :, 0]) | (batch[:, None, 1] == batch[None, :, 1])
            same.fill_diagonal_(False)
            scores = scores.masked_fill(same, -1e4)
            right = torch.arange(len(batch))
            loss = s["pull"] * (torch.nn.functional.cross_entropy(scores, right) + torch.nn.functional.cross_entropy(scores.T, right)) / 2
            if s["near"]:
                which = told[torch.randint(len(told), (size,))]
                loss = loss + s["near"] * 5 * (1 - (of(which) * teacher[which]).sum(1)).mean()
            optimiser.zero_grad(); loss.backward(); optimiser.step()
        value = report(f"round {turn + 1}, {time.time() - began:.0f} s, loss {loss.item():.3f}:")
        if value > best:
            best = value
            container.write(out, names, table.detach().numpy())


def with_table(picked, table):
    rows, offsets = picked
    return rows, table, offsets


if __name__ == "__main__":
    main(*sys.argv[1:4], *sys.argv[4:])
