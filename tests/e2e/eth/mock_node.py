"""A node for the tests: the sample chain over HTTP or HTTPS, with what a test wants to go wrong; it keeps what it was sent."""
import contextlib
import http.server
import json
import ssl
import threading


class MockNode:
    """`answer(call)` gives the result of one call, or an exception of RpcFault. `refuse(handler)` may answer in its stead."""

    def __init__(self, answer, refuse=None, certificate=None):
        node = self
        self.heads, self.lock = [], threading.Lock()

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                with node.lock:
                    node.heads.append((self.path, dict(self.headers)))
                if refuse is not None and refuse(self):
                    return
                calls = json.loads(body)
                answers = [one_answer(call) for call in (calls if isinstance(calls, list) else [calls])]
                reply = json.dumps(answers if isinstance(calls, list) else answers[0]).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(reply)))
                self.end_headers()
                self.wfile.write(reply)

            def log_message(self, *_):
                pass

        def one_answer(call):
            try:
                return {"jsonrpc": "2.0", "id": call["id"], "result": answer(call)}
            except RpcFault as fault:
                return {"jsonrpc": "2.0", "id": call["id"], "error": {"code": fault.code, "message": str(fault)}}

        class Server(http.server.ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, *_):
                pass  # a client that refuses our certificate ends in one

        self.server = Server(("127.0.0.1", 0), Handler)
        if certificate is not None:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(*certificate)
            self.server.socket = context.wrap_socket(self.server.socket, server_side=True, do_handshake_on_connect=False)
        self.scheme = "http" if certificate is None else "https"
        self.port = self.server.server_address[1]

    def address(self, path="", host="127.0.0.1", user=""):
        return f"{self.scheme}://{user}{host}:{self.port}{path}"

    def __enter__(self):
        self.thread = threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.02})
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()


class RpcFault(Exception):
    def __init__(self, code, text):
        super().__init__(text)
        self.code = code


@contextlib.contextmanager
def chain_answers(server, head=None):
    """Answers out of a running server of ours, up to block `head`; read at most once each."""
    known, lock = {}, threading.Lock()

    def answer(call):
        params = list(call.get("params") or [])
        if head is not None and params and params[0] == "latest":
            params[0] = hex(head)
        key = json.dumps([call["method"], params])
        with lock:
            if key not in known:
                known[key] = server.call(call["method"], *params)
        reply = known[key]
        if "error" in reply:
            raise RpcFault(reply["error"]["code"], reply["error"]["message"])
        return reply["result"]

    yield answer
