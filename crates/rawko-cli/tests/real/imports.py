#!/usr/bin/env python3
"""Files made by the real tools, imported by rawko: every item accounted for, and nothing added twice.

usage: imports.py [--rawko PROGRAM] [--install] [--keep FOLDER] [mcp-memory|claude-mem|mem0|serena|basic-memory ...]

`--install` first puts the tools into a cache outside the checkout ($RAWKO_TOOLS, or ~/.cache/rawko-tools), from npm
and PyPI. A tool that is not there is skipped, loudly. `--keep` copies what each tool wrote below a folder: so the files in
`../fixtures/imports` were made. Servers listen on loopback only.
Exit code: 0 all that could run did well, 1 something is wrong, 77 nothing could run.
"""
import argparse, glob, json, os, shutil, subprocess, sys, tempfile, threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(HERE))))
TOOLS = os.environ.get("RAWKO_TOOLS") or os.path.join(
    os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "rawko-tools")
# What cannot be installed is unpacked, and npm would take that out with the next package: so it comes last.
NPM = ["@modelcontextprotocol/server-memory@2026.8.31", "@oven/bun-linux-x64@1.4.4", "claude-mem@13.25.3"]


class Absent(Exception):
    """The tool cannot run here."""


def module(*parts):
    path = os.path.join(TOOLS, "node_modules", *parts)
    if not os.path.exists(path):
        raise Absent("%s is not installed" % path)
    return path


def python(name):
    path = os.path.join(TOOLS, name, "bin", "python")
    if not os.path.exists(path):
        raise Absent("%s is not installed" % path)
    return path


def quietly(words, **more):
    return subprocess.run(words, capture_output=True, text=True, timeout=900, **more)


def unpack(package):
    """The package without what it depends on: the part that writes its database needs nothing of that."""
    folder = os.path.join(TOOLS, "node_modules", package.split("@")[0])
    os.makedirs(folder, exist_ok=True)
    script = 'cd "$1" && tar xz --strip-components=1 -f "$(npm pack --silent "$0")"'
    return quietly(["sh", "-c", script, package, folder])


def newest_python():
    """One that runs: basic-memory wants 3.12, and a name on the search path may stand for one that is not chosen."""
    folders = sorted(glob.glob(os.path.expanduser("~/.pyenv/versions/3.1[2-9]*/bin/python")))
    named = [shutil.which("python3.13"), shutil.which("python3.12")]
    runs = lambda path: path and quietly([path, "-c", "import venv"]).returncode == 0
    return next(filter(runs, named + folders), sys.executable)


def install():
    os.makedirs(TOOLS, exist_ok=True)
    for package in NPM:
        done = quietly(["npm", "install", "--prefix", TOOLS, "--ignore-scripts", "--no-audit", "--no-fund", package])
        if done.returncode != 0 and package.startswith("claude-mem"):
            done = unpack(package)
        print("%s: %s" % (package, "installed" if done.returncode == 0 else "SKIPPED: " + done.stderr[-300:]))
    for name, package in (("mem0", "mem0ai==2.2.1"), ("serena", "serena-agent==2.1.0"), ("basic-memory", "basic-memory==0.23.0")):
        folder = os.path.join(TOOLS, name)
        quietly([newest_python(), "-m", "venv", folder])
        done = quietly([os.path.join(folder, "bin", "pip"), "install", "-q", package])
        if done.returncode != 0:
            shutil.rmtree(folder, ignore_errors=True)
        print("%s: %s" % (package, "installed" if done.returncode == 0 else "SKIPPED: " + done.stderr[-200:].strip()))


# Each makes files with its tool, and gives their path and the numbers to expect: (imported, skipped).

def mcp_memory(folder):
    path = os.path.join(folder, "memory.jsonl")
    server = subprocess.Popen(
        ["node", module("@modelcontextprotocol", "server-memory", "dist", "index.js")], stdin=subprocess.PIPE,
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=dict(os.environ, MEMORY_FILE_PATH=path))

    def call(number, method, params):
        message = {"jsonrpc": "2.0", "method": method, "params": params}
        if number:
            message["id"] = number
        server.stdin.write(json.dumps(message) + "\n")
        server.stdin.flush()
        while number:
            answer = json.loads(server.stdout.readline())
            if answer.get("id") == number:
                return answer["result"]

    tool = lambda number, name, arguments: call(number, "tools/call", {"name": name, "arguments": arguments})
    call(1, "initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "rawko", "version": "1"}})
    call(0, "notifications/initialized", {})
    tool(2, "create_entities", {"entities": [
        {"name": "Payment_Service", "entityType": "service", "observations": ["Listens on port 8443", "Retries, three times"]},
        {"name": "ledger-db", "entityType": "database", "observations": ["Runs PostgreSQL 16"]},
        {"name": "Nothing", "entityType": "note", "observations": []}]})
    tool(3, "create_relations", {"relations": [{"from": "Payment_Service", "to": "ledger-db", "relationType": "writes_to"}]})
    tool(4, "add_observations", {"observations": [{"entityName": "ledger-db", "contents": ["Backed up at \"noon\""]}]})
    server.stdin.close()
    server.wait(20)
    return path, 2, 1


CLAUDE_MEM = """
import { Database } from "bun:sqlite";
import { writeFileSync } from "node:fs";
const [store_path, db, out] = process.argv.slice(2);
const { SessionStore } = await import(store_path);
const store = new SessionStore(db);
const id = store.createSDKSession("content-1", "shop", "fix the totals");
store.updateMemorySessionId?.(id, "memory-1");
store.saveUserPrompt("content-1", 1, "fix the totals", id);
const seen = (title, narrative, facts) => store.storeObservation("memory-1", "shop", { type: "bugfix", title,
  subtitle: "Cart and invoice disagree", facts, narrative, concepts: ["gotcha"], files_read: [], files_modified: ["src/cart.rs"] }, 1);
seen("Totals are rounded twice", "The cart rounds each line, and the invoice rounds the sum.", ["Cart rounds lines", "Invoice rounds sums, too"]);
seen("Prices are in cents", "Every amount is a whole number of cents.", []);
store.storeSummary("memory-1", "shop", { request: "Fix the totals", investigated: "cart.rs", learned: "Round once, at the end.",
  completed: "The totals agree.", next_steps: "", notes: null }, 1);
const rows = (table) => new Database(db).query("select * from " + table).all();
writeFileSync(out, JSON.stringify({ observations: rows("observations"), summaries: rows("session_summaries"),
  sessions: rows("sdk_sessions"), prompts: rows("user_prompts") }, null, 2));
"""


def claude_mem(folder):
    script, database, out = (os.path.join(folder, name) for name in ("make.mjs", "claude-mem.db", "export.json"))
    with open(script, "w") as file:
        file.write(CLAUDE_MEM)
    store = module("claude-mem", "plugin", "sqlite", "SessionStore.js")
    done = quietly([module("@oven", "bun-linux-x64", "bin", "bun"), script, store, database, out],
                   env=dict(os.environ, HOME=folder, CLAUDE_MEM_DATA_DIR=folder))
    if done.returncode != 0:
        raise RuntimeError(done.stderr)
    return out, 3, 2


class Embeddings(BaseHTTPRequestHandler):
    """Answers every request for embeddings with vectors that depend on the text alone."""

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        texts = asked["input"] if isinstance(asked["input"], list) else [asked["input"]]
        vector = lambda text: [((hash(text) >> n % 60) & 7) / 7 + 0.01 for n in range(1536)]
        body = json.dumps({"object": "list", "model": "m", "usage": {"prompt_tokens": 1, "total_tokens": 1}, "data": [
            {"object": "embedding", "index": n, "embedding": vector(str(text))} for n, text in enumerate(texts)]}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


MEM0 = """
import json, sys
from mem0 import Memory
port, folder = sys.argv[1:]
url = "http://127.0.0.1:%s/v1" % port
memory = Memory.from_config({
    "vector_store": {"provider": "qdrant", "config": {"path": folder + "/qdrant", "embedding_model_dims": 1536}},
    "embedder": {"provider": "openai", "config": {"api_key": "none", "openai_base_url": url}},
    "llm": {"provider": "openai", "config": {"api_key": "none", "openai_base_url": url}},
    "history_db_path": folder + "/history.db"})
for text in ("Ada deploys on Tuesdays, before noon.", "The staging database listens on port 5433."):
    memory.add(text, user_id="ada", metadata={"topic": "work"}, infer=False)
json.dump(memory.get_all(filters={"user_id": "ada"}), open(folder + "/mem0.json", "w"))
"""


def mem0(folder):
    program = python("mem0")
    server = ThreadingHTTPServer(("127.0.0.1", 0), Embeddings)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    environment = dict(os.environ, HOME=folder, MEM0_TELEMETRY="False", MEM0_DIR=folder, NO_PROXY="127.0.0.1")
    done = quietly([program, "-c", MEM0, str(server.server_port), folder], env=environment)
    server.shutdown()
    if done.returncode != 0:
        raise RuntimeError(done.stderr[-2000:])
    return os.path.join(folder, "mem0.json"), 2, 0


def serena(folder):
    program = os.path.join(os.path.dirname(python("serena")), "serena")
    project = os.path.join(folder, "shop")
    os.makedirs(project)
    with open(os.path.join(project, "main.py"), "w") as file:
        file.write("print('shop')\n")
    environment = dict(os.environ, HOME=folder, SERENA_HOME=os.path.join(folder, ".serena"))
    steps = [["project", "create", project, "--language", "python"]]
    steps += [["memories", "write", name, project, "--content", text] for name, text in (
        ("style/naming", "# Naming\n\nNames are short; see `mem:commands`.\n"), ("commands", "Tests run with `make test`.\n"))]
    for words in steps:
        done = quietly([program, *words], env=environment, stdin=subprocess.DEVNULL)
        if done.returncode != 0:
            raise RuntimeError("%s: %s" % (words, (done.stdout + done.stderr)[-2000:]))
    return os.path.join(project, ".serena"), 2, 0


def basic_memory(folder):
    program = os.path.join(os.path.dirname(python("basic-memory")), "basic-memory")
    notes = os.path.join(folder, "notes")
    environment = dict(os.environ, HOME=folder, BASIC_MEMORY_HOME=folder + "/main", BASIC_MEMORY_CONFIG_DIR=folder + "/config",
                       BASIC_MEMORY_SEMANTIC_SEARCH_ENABLED="false")
    quietly([program, "project", "add", "house", notes, "--default"], env=environment, stdin=subprocess.DEVNULL)
    for title, content in (
            ("Coffee machine", "# Coffee machine\n\n- [method] Descale it monthly #cleaning (by the manual)\n- part_of [[Kitchen]]\n"),
            ("Kitchen", "# Kitchen\n\n- [fact] The fuse is in the hall #power\n- [ ] buy filters\n")):
        done = quietly([program, "tool", "write-note", "--title", title, "--folder", "home", "--tags", "house", "--project", "house"],
                       input=content, env=environment)
        if done.returncode != 0:
            raise RuntimeError(done.stderr[-2000:])
    return notes, 2, 0


def keep(path, kept):
    """Copies what a tool wrote: its memories, not what it keeps for itself."""
    shutil.rmtree(kept, ignore_errors=True)
    if os.path.isdir(path):
        shutil.copytree(path, os.path.join(kept, os.path.basename(path)), ignore=lambda folder, names: [
            name for name in names if os.path.isfile(os.path.join(folder, name)) and not name.endswith(".md")])
    else:
        os.makedirs(kept)
        shutil.copy(path, kept)


def check(name, make, rawko, kept):
    folder = tempfile.mkdtemp(prefix="rawko-import-")
    try:
        path, imported, skipped = make(folder)
        if kept:
            keep(path, os.path.join(kept, name))
        project = os.path.join(folder, "project")
        os.makedirs(project)
        environment = {"PATH": os.environ["PATH"], "RAWKO_HOME": os.path.join(folder, "person"), "USER": "ada"}
        run = lambda *words: quietly([rawko, *words], cwd=project, env=environment)
        run("init")
        # The tool's files tell their form; `--dry-run` says the same and writes nothing.
        for words, expected in ((["--dry-run"], imported), ([], imported), ([], 0)):
            said = run("import", path, "--json", *words)
            account = json.loads(said.stdout)
            adds_up = account["found"] == account["imported"] + account["known"] + account["skipped"]
            right = account["imported"] == expected and account["skipped"] == skipped and said.returncode == 0
            if not adds_up or not right or {item["format"] for item in account["items"]} != {name}:
                return "wrong account: %s %s" % (said.stdout, said.stderr)
        memories = json.loads(run("list", "--json").stdout)["memories"]
        if any(memory["injectable"] or memory["trust"] != "imported" or not memory["source"] for memory in memories):
            return "not every memory waits, with its source: %s" % memories
        print("%s: %d imported, %d skipped, %d found; again: none" % (name, imported, skipped, account["found"]))
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rawko", default=os.path.join(TOP, "target", "debug", "rawko"))
    parser.add_argument("--install", action="store_true")
    parser.add_argument("--keep")
    parser.add_argument("tools", nargs="*")
    args = parser.parse_args()
    if args.install:
        install()
    tools = {"mcp-memory": mcp_memory, "claude-mem": claude_mem, "mem0": mem0, "serena": serena, "basic-memory": basic_memory}
    ran, wrong = 0, 0
    for name in args.tools or tools:
        try:
            problem = check(name, tools[name], os.path.abspath(args.rawko), args.keep)
        except Absent as absent:
            print("SKIPPED: %s: %s" % (name, absent))
            continue
        except Exception as error:
            problem = repr(error)
        ran += 1
        if problem:
            wrong += 1
            print("WRONG: %s: %s" % (name, problem))
    sys.exit(1 if wrong else 0 if ran else 77)


main()
