"""Measures a static table on the development sets: alone, and added to BM25.

usage: measure.py DATA_DIR STATIC.bin

DATA_DIR is the folder of the evaluation sets. Every set becomes a `Task`:
documents cut into passages, questions, the candidates of each question and
the right ones. A document scores as the best of its passages; the sum is of
min-max scores, equal weights. Nothing here is used to make the table.
"""
import json, lzma, math, os, re, sys
from collections import Counter
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
import snowballstemmer

import container

STOP = set("""a about above after again all also am an and any are as at be because been before being below between both
but by can could did do does doing don down during each few for from further had has have having he her here hers him his
how i if in into is it its itself just me more most my myself no nor not now of off on once only or other our out over own
same she should so some such than that the their them then there these they this those through to too under until up very
was we were what when where which while who whom why will with would you your yours""".split())
WORDS_AT_MOST = 120


def passages(text):
    """Blocks between blank lines, merged up to a word limit; a heading opens a new passage. Simpler than the Rust code: fences and sentences are not looked at."""
    out, held, words = [], [], 0
    for block in re.split(r"\n\s*\n", text):
        tokens = block.split()
        for start in range(0, len(tokens), WORDS_AT_MOST):
            piece = tokens[start:start + WORDS_AT_MOST]
            if held and (words + len(piece) > WORDS_AT_MOST or block.lstrip().startswith("#")):
                out.append(" ".join(held)); held, words = [], 0
            held.append(" ".join(piece)); words += len(piece)
    if held: out.append(" ".join(held))
    return out or [text]


@dataclass
class Task:
    name: str
    docs: list        # text of each document, for BM25
    parts: list       # passages of each document
    queries: list     # (question, candidate document numbers, {document number: grade})
    score: object     # (ranked document numbers, grades) -> number


def any_at(k): return lambda ranked, gold: float(any(d in gold for d in ranked[:k]))
def all_at(k): return lambda ranked, gold: float(all(d in ranked[:k] for d in gold))
def recall_at(k): return lambda ranked, gold: sum(d in gold for d in ranked[:k]) / len(gold)
def mrr(ranked, gold): return next((1 / (i + 1) for i, d in enumerate(ranked) if d in gold), 0.0)


def ndcg5(ranked, gold):
    gain = lambda grades: sum((2 ** g - 1) / math.log2(i + 2) for i, g in enumerate(grades[:5]))
    return gain([gold.get(d, 0) for d in ranked]) / gain(sorted(gold.values(), reverse=True))


def lines(path):
    with (lzma.open(path, "rt") if path.endswith(".xz") else open(path)) as f:
        return [json.loads(line) for line in f if line.strip()]


def load(data):
    at = lambda *p: os.path.join(data, *p)
    tasks = []

    docs, parts, queries = [], [], []
    for conv in json.load(open(at("locomo", "locomo_dev.json"))):
        c, ids = conv["conversation"], {}
        for key in c:
            if re.fullmatch(r"session_\d+", key):
                for turn in c[key]:
                    ids[turn["dia_id"]] = len(docs)
                    text = f"{turn['speaker']}: {turn['text']} {turn.get('blip_caption', '')}"
                    docs.append(text); parts.append([text])
        for qa in conv["qa"]:
            found = [f"D{int(a)}:{int(b)}" for e in qa["evidence"] for a, b in re.findall(r"D:?(\d+):(\d+)", e)]
            gold = {ids[g]: 1 for g in found if g in ids}
            if gold: queries.append((qa["question"], list(ids.values()), gold))
    tasks.append(Task("LoCoMo r@10", docs, parts, queries, recall_at(10)))

    rows = lines(at("longmemeval_full", "dev_sessions.jsonl.xz"))
    ids = {r["id"]: i for i, r in enumerate(rows)}
    docs = ["\n".join(t["content"] for t in r["turns"]) for r in rows]
    parts = [[p for t in r["turns"] for p in passages(t["content"])] for r in rows]
    queries = [(q["question"], list(range(len(rows))), {ids[g]: 1 for g in q["gold_session_ids"]})
               for q in lines(at("longmemeval_full", "dev_questions.jsonl"))]
    tasks.append(Task("LME-full any@5", docs, parts, queries, any_at(5)))

    rows = lines(at("longmemeval_s500", "dev_docs.jsonl.xz"))
    ids = {r["id"]: i for i, r in enumerate(rows)}
    docs = [r["text"] for r in rows]
    queries = [(q["question"], [ids[h] for h in q["haystack_session_ids"]], {ids[g]: 1 for g in q["gold_session_ids"]})
               for q in lines(at("longmemeval_s500", "dev_questions.jsonl"))]
    parts = [passages(d) for d in docs]
    tasks.append(Task("S500 any@5", docs, parts, queries, any_at(5)))
    tasks.append(Task("S500 all@5", docs, parts, queries, all_at(5)))

    codes = json.load(open(at("cosqa", "code_idx_map.txt")))
    docs = [c for c, _ in sorted(codes.items(), key=lambda kv: kv[1])]
    queries = [(q["doc"], list(range(len(docs))), {q["retrieval_idx"]: 1})
               for q in json.load(open(at("cosqa", "cosqa-retrieval-dev-500.json")))]
    tasks.append(Task("CoSQA MRR", docs, [passages(d) for d in docs], queries, mrr))

    rows = json.load(open(at("devmembench", "sessions.json")))
    ids = {r["sessionId"]: i for i, r in enumerate(rows)}
    docs = ["\n".join(m["content"] for m in r["messages"]) for r in rows]
    parts = [[p for m in r["messages"] for p in passages(m["content"])] for r in rows]
    queries = [(q["question"], list(range(len(rows))), {ids[g]: 1 for g in q["gold_session_ids"]})
               for q in lines(at("devmembench", "dev_questions.jsonl")) if q["gold_session_ids"]]
    tasks.append(Task("DevMem MRR", docs, parts, queries, mrr))

    rows = lines(at("memorycode50", "dev_sessions.jsonl.xz"))
    ids, of = {r["id"]: i for i, r in enumerate(rows)}, {}
    for i, r in enumerate(rows): of.setdefault(r["dialogue"], []).append(i)
    docs = [r["text"] for r in rows]
    parts = [[p for turn in d.split("\n") if turn.strip() for p in passages(turn)] for d in docs]
    queries = [(q["question"], of[q["dialogue"]], {ids[g]: 1 for g in q["gold_session_ids"]})
               for q in lines(at("memorycode50", "dev_questions.jsonl"))]
    tasks.append(Task("MemCode MRR", docs, parts, queries, mrr))

    docs, parts, queries = [], [], []
    for project in sorted(os.listdir(at("inject-bench"))):
        if not os.path.isdir(at("inject-bench", project)): continue
        ids = {}
        for name in sorted(os.listdir(at("inject-bench", project, "memories"))):
            _, front, body = open(at("inject-bench", project, "memories", name)).read().split("---\n", 2)
            ids[name[:-3]] = len(docs)
            front = front.split("importance:")[0]
            title = front.split("\n")[0].removeprefix("title:").strip(' "')
            docs.append(front + body)
            parts.append([title + ". " + p for p in passages(body)] + [front])
        queries += [(t["task"], list(ids.values()), {ids[s]: g for s, g in t["relevant"].items()})
                    for t in lines(at("inject-bench", project, "tasks.jsonl")) if t["relevant"]]
    tasks.append(Task("inject nDCG", docs, parts, queries, ndcg5))
    return tasks


class Bm25:
    """Stemmed words without the stop list; statistics over the candidates of the question."""
    stem = snowballstemmer.stemmer("english").stemWord
    stems = {}

    def __init__(self, docs): self.docs = [Counter(self.words(d)) for d in docs]

    def words(self, text):
        for w in re.findall(r"[a-z0-9]+", text.lower()):
            if w not in STOP:
                if w not in self.stems: self.stems[w] = self.stem(w)
                yield self.stems[w]

    def scores(self, query, candidates):
        docs = [self.docs[c] for c in candidates]
        lengths = np.array([sum(d.values()) for d in docs], float)
        norm = 0.9 * (1 - 0.4 + 0.4 * lengths / lengths.mean())
        total = np.zeros(len(docs))
        for w in set(self.words(query)):
            tf = np.array([d.get(w, 0) for d in docs], float)
            n = (tf > 0).sum()
            if n: total += math.log(1 + (len(docs) - n + 0.5) / (n + 0.5)) * tf * 1.9 / (tf + norm)
        return total


def unit(x): return np.round(x / (np.linalg.norm(x, axis=1, keepdims=True) + 1e-9) * 127)  # as stored: int8
def minmax(x): return (x - x.min()) / (np.ptp(x) + 1e-9)


class Words:
    """Token counts by the names in a table, cut by the encoder's own tokenizer."""

    def __init__(self, names):
        from distill import tokenizer
        self.encode = tokenizer().encode_batch
        self.row = {name: i for i, name in enumerate(names)}

    def bags(self, texts):
        rows, cols = [], []
        for i, e in enumerate(self.encode(texts, add_special_tokens=False)):
            found = [self.row[t] for t in e.tokens if t in self.row]
            rows += [i] * len(found); cols += found
        return sp.csr_matrix((np.ones(len(rows), np.float32), (rows, cols)), shape=(len(texts), len(self.row)))


class Bench:
    """The sets, tokenised once, so that many tables can be measured quickly."""

    def __init__(self, data, words):
        self.tasks, self.prepared, seen = load(data), [], {}
        for t in self.tasks:
            key = id(t.docs)
            if key not in seen:
                bm25 = Bm25(t.docs)
                seen[key] = (words.bags([p for ps in t.parts for p in ps]), words.bags([q for q, _, _ in t.queries]),
                             np.cumsum([0] + [len(ps) for ps in t.parts])[:-1],
                             [bm25.scores(q, c) for q, c, _ in t.queries])
            self.prepared.append(seen[key])

    def run(self, table):
        """Returns {set: (alone, with BM25, BM25)} in percent."""
        result = {}
        for t, (passage_bags, query_bags, starts, lexical) in zip(self.tasks, self.prepared):
            best = np.maximum.reduceat(unit(query_bags @ table) @ unit(passage_bags @ table).T, starts, axis=1)
            sums = np.zeros(3)
            for (_, candidates, gold), dense, words in zip(t.queries, best, lexical):
                dense = dense[candidates]
                for i, s in enumerate((dense, minmax(dense) + minmax(words), words)):
                    ranked = [candidates[j] for j in np.argsort(-s, kind="stable")]
                    sums[i] += t.score(ranked, gold)
            result[t.name] = 100 * sums / len(t.queries)
        return result


def main(data, path):
    names, table = container.read(path)
    result = Bench(data, Words(names)).run(table)
    print(f"{'':16}{'alone':>7}{'+ BM25':>8}{'BM25':>7}")
    for name, row in [*result.items(), ("mean", np.mean(list(result.values()), axis=0))]:
        print(f"{name:16}{row[0]:7.1f}{row[1]:8.1f}{row[2]:7.1f}")


if __name__ == "__main__":
    main(*sys.argv[1:3])
