"""Fetches the source archives that training pairs are mined from: only packages whose own metadata names a permissive licence.

usage: fetch.py PACKAGES.txt FOLDER

PACKAGES.txt has one package of Python's index per line. The newest source archive of each is unpacked to
FOLDER/name, text files only; a package whose licence is not permissive is left out, and said so.
"""
import concurrent.futures, io, os, re, sys, tarfile, urllib.parse, urllib.request, zipfile

from pip._internal.models.index import PyPI

PERMISSIVE = re.compile(r"\b(MIT|BSD|Apache|ISC|PSF|Python Software Foundation|Unlicense|CC0|Public Domain|HPND|ZPL|0BSD)\b", re.I)
BINDING = re.compile(r"GPL|General Public|MPL|Mozilla|EUPL|Affero|Proprietary", re.I)
WANTED = (".py", ".rst", ".md", ".txt", ".yaml", ".yml", ".json", ".rs")
LARGEST = 2 << 20


def newest(name):
    """The address of a package's newest final source archive."""
    page = f"{PyPI.simple_url}/{re.sub(r'[-_.]+', '-', name).lower()}/"
    with urllib.request.urlopen(page, timeout=60) as answer:
        links = re.findall(r'<a[^>]*?href="([^"#]+)', answer.read().decode())
    version = lambda link: re.search(r"-(\d+(?:\.\d+)*)\.(?:tar\.gz|zip)$", link)
    newest = max(filter(version, links), key=lambda link: [int(n) for n in version(link)[1].split(".")])
    return urllib.parse.urljoin(page, newest)


def licence(metadata):
    head = metadata.split("\n\n", 1)[0]
    told = re.findall(r"^(?:License(?:-Expression)?|Classifier: License ::.*?)(?::| ::) *(.*)$", head, re.M)
    return "; ".join(dict.fromkeys(t.strip()[:80] for t in told if t.strip() and t.strip() != "UNKNOWN"))


def members(data, url):
    if url.endswith(".zip"):
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            for entry in archive.infolist():
                if not entry.is_dir() and entry.file_size <= LARGEST:
                    yield entry.filename, lambda entry=entry: archive.read(entry)
    else:
        with tarfile.open(fileobj=io.BytesIO(data)) as archive:
            for entry in archive:
                if entry.isfile() and entry.size <= LARGEST:
                    yield entry.name, lambda entry=entry: archive.extractfile(entry).read()


def fetch(name, folder):
    target = os.path.join(folder, name)
    if os.path.exists(target): return f"{name}: already there"
    url = newest(name)
    with urllib.request.urlopen(url, timeout=180) as answer:
        data = answer.read()
    kept, told = {}, ""
    for path, read in members(data, url):
        parts = path.split("/")[1:]
        if parts == ["PKG-INFO"]: told = licence(read().decode(errors="ignore"))
        if parts and ".." not in parts and parts[-1].endswith(WANTED):
            kept["/".join(parts)] = read()
    if not PERMISSIVE.search(told) or BINDING.search(told):
        return f"{name}: LEFT OUT, licence {told!r}"
    for path, text in kept.items():
        path = os.path.join(target, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as f: f.write(text)
    return f"{name}: {len(kept)} files, {told}, {url.rsplit('/', 1)[1]}"


def main(listing, folder):
    os.makedirs(folder, exist_ok=True)
    names = [line.split("#")[0].strip() for line in open(listing)]
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        waiting = {pool.submit(fetch, name, folder): name for name in names if name}
        for done in concurrent.futures.as_completed(waiting):
            try: print(done.result(), flush=True)
            except Exception as trouble: print(f"{waiting[done]}: {type(trouble).__name__} {trouble}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:3])
