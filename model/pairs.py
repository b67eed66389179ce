"""Mines pairs of texts that mean the same: what the token table is trained on, none of it from an evaluation set.

usage: pairs.py SOURCES WORDNET_DICT CRATES_DIR OUT.jsonl [CODE_TO_LEAVE_OUT.json]

- Python (SOURCES from fetch.py): a docstring's first sentence and the code under it; a name in words and that
  sentence; a comment and the lines it stands over; an error's message and what the function is for
- release notes: the name of the note in words, and what it tells
- Markdown and reStructuredText: a heading and the paragraph under it; a paragraph's first sentence and the rest
- JSON messages: a key in words and its text; botocore: an operation and what it does
- Rust crates: a doc comment's first sentence and the item under it
- WordNet: a word and its gloss, two words of one synset, a word and a sentence with it, a kind and its kind

CODE_TO_LEAVE_OUT.json is a JSON object whose keys are functions (CoSQA's code_idx_map.txt): a function that is one of
them, by its letters and digits, is left out with its docstring.
"""
import ast, hashlib, json, os, random, re, sys
from collections import Counter

FILES_OF_A_PACKAGE, PAIRS_OF_A_PACKAGE = 100, 1500
LIMITS = {"code": 30000, "name": 12000, "comment": 12000, "raise": 8000, "note": 16000, "heading": 18000, "cloze": 24000,
          "message": 10000, "rust": 12000, "gloss": 30000, "synonym": 16000, "example": 14000, "hypernym": 10000}


def files(folder, endings):
    for base, folders, names in os.walk(folder):
        folders[:] = sorted(f for f in folders if f not in ("__pycache__", "locale", "locales", "node_modules", "vendor", "_vendor"))
        for name in sorted(names):
            if name.endswith(endings): yield os.path.join(base, name)


def read(path):
    with open(path, encoding="utf-8", errors="ignore") as f: return f.read()


def letters(text): return re.sub(r"[\W_]+", "", text).lower()


def flat(text): return " ".join(text.split())


def place(pair):
    """A place by chance, the same in every run: any beginning of the list is a fair mix."""
    return hashlib.blake2b("\n".join(pair).encode(), digest_size=8).digest()


def in_words(name):
    name = re.sub(r"([a-z0-9])([A-Z])", r"\1 \2", name)
    return flat(re.sub(r"[-_./]+", " ", name)).lower()


def sentences(text):
    return [s for s in re.split(r"(?<=[.!?])\s+(?=[A-Z`\"(])", flat(text)) if s]


def is_prose(text, least=4, most=90):
    return least <= len(text.split()) <= most and sum(c.isalpha() or c == " " for c in text) > 0.8 * len(text)


def plain(text):
    """Markup of reStructuredText and Markdown taken off."""
    text = re.sub(r":[a-zA-Z:_-]+:`~?([^`<]*?)(?:\s*<[^>]*>)?`", r"\1", text)
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text)
    return flat(re.sub(r"``?|\*\*?|\|", "", text))


def python(path, left_out):
    try: source = read(path); tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError): return
    source_lines = source.split("\n")
    for node in ast.walk(tree):
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)): continue
        doc = ast.get_docstring(node) or ""
        first = plain(sentences(doc.strip().split("\n\n")[0])[0]) if doc.strip() else ""
        lines = source_lines[node.lineno - 1:node.end_lineno]
        if isinstance(node, ast.ClassDef):
            if is_prose(first): yield "name", in_words(node.name), first
            continue
        if len(lines) > 80 or letters("\n".join(lines)) in left_out: continue
        body = node.body[1:] if doc else node.body
        if not body or node.name.startswith("__"): continue
        end = node.body[0].lineno - node.lineno if doc else body[0].lineno - node.lineno
        code = "\n".join(lines[:max(1, end)] + lines[body[0].lineno - node.lineno:])
        if letters(code) in left_out: continue
        if is_prose(first, 3, 40):
            if 2 <= len(lines) <= 60: yield "code", first, code[:700]
            if len(in_words(node.name).split()) > 1: yield "name", in_words(node.name), first
            for inner in ast.walk(node):
                if isinstance(inner, ast.Raise) and isinstance(inner.exc, ast.Call) and inner.exc.args:
                    words = "".join(c.value if isinstance(c, ast.Constant) and isinstance(c.value, str) else " "
                                    for c in ast.walk(inner.exc.args[0]) if isinstance(c, ast.Constant))
                    if is_prose(flat(words), 4, 40): yield "raise", flat(words), f"{in_words(node.name)}. {first}"
        elif len(in_words(node.name).split()) > 2 and 3 <= len(body) <= 15:
            yield "code", in_words(node.name), "\n".join(lines[body[0].lineno - node.lineno:])[:600]
    for comment, code in re.findall(r"\n[ \t]*#[ ]([A-Z][^\n#]{25,150}[^:,])\n((?:[ \t]+[^#\s][^\n]*\n){1,5})", source):
        if is_prose(comment, 5, 30): yield "comment", comment, flat(code)[:400]


def notes(path):
    """A release note of the `reno` kind: `fix-lost-heartbeat-3f2a….yaml`."""
    name = in_words(re.sub(r"-[0-9a-f]{16}$", "", os.path.basename(path).rsplit(".", 1)[0]))
    items = re.split(r"\n\s*- \|?\s*\n?|\n\w+:\s*\|?\n", "\n" + read(path))
    for item in items[:4]:
        text = re.sub(r"https?://\S+|\[?(?:[Bb]ug|blueprint|LP)[:# ]+[\w#-]+[^\w\s]*", " ", item)
        text = re.sub(r"^[\W_]+", "", plain(text))
        if is_prose(text, 8, 140) and len(name.split()) > 2: yield "note", name, text[:500]
        parts = sentences(text)
        if len(parts) > 2: yield "cloze", parts[0], " ".join(parts[1:])[:400]


def prose(path):
    text = re.sub(r"```.*?```", "", read(path), flags=re.S)
    text = re.sub(r"^(.+)\n[=\-~^\"'*+#]{4,}\s*$", r"# \1", text, flags=re.M)  # underlined headings
    blocks = [b.strip() for b in re.split(r"\n\s*\n", text)]
    heading = None
    for block in blocks:
        lines = block.split("\n")
        if lines[0].startswith("#"):
            heading, block = plain(lines[0].strip("# ")), "\n".join(lines[1:])
            if not block.strip(): continue
        block = plain(re.sub(r"^[-*+]\s+|^\d+\.\s+", "", block))
        if block.startswith("..") or not is_prose(block, 8, 150): heading = None; continue
        if heading and is_prose(heading, 2, 14): yield "heading", heading, block[:500]
        heading = None
        parts = sentences(block)
        if len(parts) > 1 and is_prose(parts[0], 5, 40): yield "cloze", parts[0], " ".join(parts[1:])[:400]


def messages(path):
    try: data = json.loads(read(path))
    except ValueError: return
    def walk(value, key):
        if isinstance(value, dict):
            title, told = value.get("title") or value.get("name"), value.get("description")
            if isinstance(title, str) and isinstance(told, str) and is_prose(told, 5): yield "message", plain(title), plain(told)
            documented = value.get("documentation")
            if isinstance(documented, str):
                parts = sentences(plain(re.sub(r"<[^>]+>", " ", documented)))
                if parts and is_prose(parts[0], 5) and key: yield "message", in_words(key), parts[0]
            for k, v in value.items(): yield from walk(v, k)
        elif isinstance(value, str) and key and len(in_words(key).split()) > 1 and is_prose(value, 5):
            yield "message", in_words(key), plain(value)
    yield from walk(data, "")


def rust(path):
    source = read(path)
    for comment, item in re.findall(r"((?:^[ \t]*///[^\n]*\n)+)((?:[ \t]*#\[[^\n]*\n)*[ \t]*pub[^\n]*\n(?:[^\n]+\n){0,8})", source, re.M):
        first = sentences(plain(re.sub(r"^\s*/// ?", "", comment, flags=re.M).split("\n\n")[0]))
        if first and is_prose(first[0], 4, 40): yield "rust", first[0], item[:500]


def wordnet(folder):
    synsets = {}
    for pos, name in (("n", "noun"), ("v", "verb"), ("a", "adj"), ("r", "adv")):
        for line in read(os.path.join(folder, "data." + name)).split("\n"):
            head, _, gloss = line.partition(" | ")
            if not gloss or line.startswith("  "): continue
            cells = head.split()
            count = int(cells[3], 16)
            words = [cells[4 + 2 * i].replace("_", " ").split("(")[0] for i in range(count)]
            pointers = cells[5 + 2 * count:]
            above = [pointers[i + 1] for i in range(0, 4 * int(cells[4 + 2 * count]), 4) if pointers[i] == "@"]
            synsets[pos, cells[0]] = words, gloss, above
    for (pos, _), (words, gloss, above) in synsets.items():
        told = re.split(r'; "', gloss)[0].strip()
        if all(w[:1].isupper() for w in words): continue  # names of people and places
        yield "gloss", ", ".join(words[:3]), told
        for a, b in zip(words, words[1:]): yield "synonym", a, b
        for example in re.findall(r'"([^"]{20,})"', gloss): yield "example", f"{words[0]}: {told}", example
        for other in above[:1]:
            kind = synsets.get((pos, other))
            if kind: yield "hypernym", f"{words[0]}, {told}", f"{kind[0][0]}, {re.split('; ', kind[1])[0]}"


def of_package(folder, left_out, pick):
    found = []
    paths = list(files(folder, (".py", ".rst", ".md", ".txt", ".yaml", ".json")))
    pick.shuffle(paths)
    told = [p for p in paths if "releasenotes/notes" in p or "strings" in p]
    for path in told[:6 * FILES_OF_A_PACKAGE] + [p for p in paths if not ("releasenotes/notes" in p or "strings" in p)][:FILES_OF_A_PACKAGE]:
        if path.endswith(".py"): found += python(path, left_out)
        elif "releasenotes/notes" in path: found += notes(path)
        elif path.endswith((".rst", ".md")) or os.sep + "docs" in path and path.endswith(".txt"): found += prose(path)
        elif path.endswith(".json") and ("strings" in path or "service-2" in path): found += messages(path)
        if len(found) > 40 * PAIRS_OF_A_PACKAGE: break
    pick.shuffle(found)
    kinds = Counter()
    for kind, a, b in found:
        kinds[kind] += 1
        if kinds[kind] <= PAIRS_OF_A_PACKAGE: yield kind, a, b


def gather(sources, wordnet_dict, crates_dir, left_out):
    pick = random.Random(7)
    for name in sorted(os.listdir(sources)):
        found = list(of_package(os.path.join(sources, name), left_out, pick))
        print(name, len(found), flush=True)
        yield from found
    for path in files(crates_dir, (".rs",)): yield from rust(path)
    for path in files(crates_dir, (".md",)): yield from prose(path)
    yield from wordnet(wordnet_dict)


def main(sources, wordnet_dict, crates_dir, out, leave_out=None):
    left_out = {letters(code) for code in json.loads(read(leave_out))} if leave_out else set()
    kinds = {kind: {} for kind in LIMITS}
    for kind, a, b in gather(sources, wordnet_dict, crates_dir, left_out):
        if letters(a) and letters(b) and letters(a) != letters(b): kinds[kind].setdefault((a, b))
    rows = []
    for kind, pairs in kinds.items():
        chosen = sorted(pairs, key=place)[:LIMITS[kind]]
        print(kind, len(chosen), "of", len(pairs))
        rows += [(kind, a, b) for a, b in chosen]
    rows.sort(key=lambda row: place(row[1:]))
    with open(out, "w") as f:
        for kind, a, b in rows: f.write(json.dumps([kind, a, b]) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:6])
