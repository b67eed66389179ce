"""The sentence encoder behind HTTP on this machine, as OpenAI's and Ollama's servers speak: to measure with.

usage: serve.py FOLDER [PORT]

FOLDER keeps the encoder's graph. Prints its address; ends with the process.
"""
import json, sys
from http.server import BaseHTTPRequestHandler, HTTPServer

from encoder import CLS, SEP, Encoder, tokenizer, unit

TOKENS_AT_MOST = 254


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        texts = [asked["input"]] if isinstance(asked["input"], str) else asked["input"]
        ids = [[CLS, *e.ids[:TOKENS_AT_MOST], SEP] for e in TOKENIZER.encode_batch(texts, add_special_tokens=False)]
        vectors, tokens = [[round(float(x), 6) for x in v] for v in unit(ENCODER.means(ids))], sum(map(len, ids))
        if self.path == "/api/embed":
            answer = {"model": asked["model"], "embeddings": vectors, "prompt_eval_count": tokens}
        else:
            data = [{"object": "embedding", "index": n, "embedding": v} for n, v in enumerate(vectors)]
            answer = {"object": "list", "data": data, "usage": {"prompt_tokens": tokens, "total_tokens": tokens}}
        body = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_): pass


if __name__ == "__main__":
    TOKENIZER, ENCODER = tokenizer(), Encoder(sys.argv[1])
    server = HTTPServer(("127.0.0.1", int(sys.argv[2]) if len(sys.argv) > 2 else 0), Handler)
    print(f"http://127.0.0.1:{server.server_port}", flush=True)
    server.serve_forever()
