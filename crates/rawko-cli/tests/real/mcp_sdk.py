#!/usr/bin/env python3
"""The public Python MCP SDK as a client of `rawko mcp`, in both eras of the protocol.

usage: mcp_sdk.py [--rawko PROGRAM]

The SDK validates every message against the protocol's own types, and every structured result against the tool's output
schema. `install mcp-sdk` beside this file puts it into the cache folder. Exit code: 0 all well, 1 something is wrong,
77 the SDK is not installed.
"""
import argparse, asyncio, json, os, subprocess, sys, tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(HERE))))
CACHE = os.environ.get("RAWKO_CLIENTS") or os.path.join(
    os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "rawko-clients")
PYTHON = os.path.join(CACHE, "mcp-sdk", "bin", "python")
FACT = "`src/deploy.sh` fails under dash because it uses arrays; it must be run with bash."


async def talk(rawko, project, env, mode):
    from mcp import Client, StdioServerParameters
    server = StdioServerParameters(command=rawko, args=["mcp"], cwd=project, env=env)
    async with Client(server, mode=mode, read_timeout_seconds=60) as client:
        version = client.protocol_version
        # Without a handshake and without asking, the SDK knows no instructions.
        assert mode == "2026-07-28" or 0 < len(client.instructions or "") <= 500, client.instructions
        tools = (await client.list_tools()).tools
        assert [tool.name for tool in tools] == ["search", "get", "add", "feedback", "session"], tools
        assert all(tool.output_schema and tool.annotations for tool in tools)

        async def call(tool, **arguments):
            result = await client.call_tool(tool, arguments)
            assert not result.is_error, result
            assert json.loads(result.content[0].text) == result.structured_content, result
            return result.structured_content

        hits = (await call("search", query="how do we deploy?"))["hits"]
        assert hits[0]["id"] == "deploy-from-main", hits
        text = (await call("get", ids=["deploy-from-main"]))["text"]
        assert text.startswith("[rawko ") and "never from a branch" in text, text
        added = await call("add", title="The deploy script needs bash", content=FACT)
        assert added["state"] in ("active", "known"), added
        assert (await call("feedback", id="deploy-from-main", helped=True))["usefulness"] > 0.5
        noted = await call("session", action="attempt", text="Deploy with sh", result="failure",
                           command="sh src/deploy.sh --all", error="Syntax error: \"(\" unexpected")
        assert noted["session"], noted
        warned = await call("session", action="failures", command="sh src/deploy.sh --all")
        assert "failed" in warned["text"], warned
        refused = await client.call_tool("get", {"ids": ["nothing"]})
        assert refused.is_error and "no such memory" in refused.content[0].text, refused
        resources = (await client.list_resources()).resources
        assert any(str(one.uri) == "rawko://memory/deploy-from-main" for one in resources), resources
        read = await client.read_resource("rawko://memory/deploy-from-main")
        assert "never from a branch" in read.contents[0].text, read
        assert (await client.list_resource_templates()).resource_templates
        assert [one.name for one in (await client.list_prompts()).prompts] == ["recall", "review"]
        recalled = await client.get_prompt("recall", {"topic": "deploy the service"})
        assert "never from a branch" in recalled.messages[0].content.text, recalled
        assert (await client.get_prompt("review")).messages
        found = await asyncio.gather(*[client.call_tool("search", {"query": "deploy %d" % n}) for n in range(50)])
        assert all(not one.is_error for one in found)
    return version


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rawko", default=os.path.join(TOP, "target", "release", "rawko"))
    args = parser.parse_args()
    try:
        import mcp  # noqa: F401
    except ImportError:
        if os.path.exists(PYTHON) and os.path.realpath(sys.prefix) != os.path.realpath(os.path.join(CACHE, "mcp-sdk")):
            os.execv(PYTHON, [PYTHON, os.path.abspath(__file__)] + sys.argv[1:])
        print("SKIPPED: the MCP SDK is not installed (run `install mcp-sdk` beside this file)")
        return 77
    rawko, wrong = os.path.abspath(args.rawko), 0
    for mode, name in (("legacy", "the handshake of the older era"), ("auto", "what the SDK finds by itself"),
                       ("2026-07-28", "the newer era, without a handshake")):
        with tempfile.TemporaryDirectory(prefix="rawko-sdk-") as root:
            project = os.path.join(root, "project")
            os.makedirs(os.path.join(project, "src"))
            open(os.path.join(project, "src", "deploy.sh"), "w").write("echo deploy\n")
            env = {"PATH": os.environ["PATH"], "RAWKO_HOME": os.path.join(root, "home"), "USER": "ada"}
            for words in (["init"], ["add", "--title", "Deploy from main", "--when", "deploy", "--content",
                                     "Releases are cut from main by `src/deploy.sh`, never from a branch."]):
                subprocess.run([rawko] + words, cwd=project, env=env, check=True, capture_output=True,
                               stdin=subprocess.DEVNULL)
            try:
                print("%-40s ok, %s" % (name, asyncio.run(talk(rawko, project, env, mode))), flush=True)
            except BaseException as error:  # noqa: BLE001
                wrong += 1
                while getattr(error, "exceptions", None):
                    error = error.exceptions[0]
                print("%-40s WRONG: %r" % (name, error), flush=True)
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
