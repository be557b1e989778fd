"""An object store of our own that misbehaves on purpose: the first folder of a path says how."""
import collections
import contextlib
import hashlib
import http.server
import socket
import ssl
import struct
import threading
import time
import urllib.parse

Request = collections.namedtuple("Request", "path headers status sent")


class Store(http.server.ThreadingHTTPServer):
    """Serves `files` at /MODE/NAME, where MODE names a method of Handler, and logs every request."""
    daemon_threads = True
    request_queue_size = 64

    def __init__(self, files, host="127.0.0.1", tls=None):
        self.files = files
        self.log = []
        self.seen = collections.Counter()
        self.lock = threading.Lock()
        self.answering = 0  # requests that are not in the log yet
        self.elsewhere = None  # where the redirecting modes send clients
        self.stopping = threading.Event()
        super().__init__((host, 0), Handler)
        self.scheme = "http"
        if tls is not None:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(*tls)
            self.socket = context.wrap_socket(self.socket, server_side=True, do_handshake_on_connect=False)
            self.scheme = "https"

    def handle_error(self, request, client_address):
        pass  # clients hang up; that is what is tested

    def address(self, path, host="127.0.0.1"):
        return f"{self.scheme}://{host}:{self.server_port}/{path}"

    def take_log(self):
        patience = time.monotonic() + 0.2  # a client has its answer a little before the log has it
        while self.answering and time.monotonic() < patience:
            time.sleep(0.002)
        with self.lock:
            log, self.log = self.log, []
            self.seen.clear()
        return log


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 60

    def log_message(self, *_):
        pass

    def do_GET(self):
        path = urllib.parse.unquote(self.path.partition("?")[0]).lstrip("/")
        mode, _, self.name = path.partition("/")
        with self.server.lock:
            self.server.answering += 1
            # With the query: a request that a client of before left behind is not counted.
            self.number = self.server.seen[self.path]
            self.server.seen[self.path] += 1
            once_more = (self.path, self.headers["Range"])
            self.tries = self.server.seen[once_more]
            self.server.seen[once_more] += 1
        self.sent, self.code = 0, None
        self.body = self.server.files.get(self.name)
        try:
            getattr(self, f"do_{mode}", self.missing)()
        except (OSError, ssl.SSLError):
            self.close_connection = True
        finally:
            with self.server.lock:
                self.server.answering -= 1
                self.server.log.append(Request(self.path, dict(self.headers), self.code, self.sent))

    # What an answer is made of.

    def head(self, code, fields):
        self.code = code
        self.send_response(code)
        for name, value in fields.items():
            if value is not None:
                self.send_header(name, str(value))
        self.end_headers()

    def send(self, body):
        self.wfile.write(body)
        self.sent += len(body)

    def reply(self, code, body=b"", **fields):
        self.head(code, {"Content-Length": len(body), **{k.replace("_", "-"): v for k, v in fields.items()}})
        self.send(body)

    def tag(self, body=None):
        return '"' + hashlib.sha256(self.body if body is None else body).hexdigest()[:16] + '"'

    def range(self, body=None):
        size = len(self.body if body is None else body)
        first, last = self.headers["Range"].removeprefix("bytes=").split("-")
        return int(first), min(int(last), size - 1)

    def part(self, body=None, **fields):
        """A correct answer, but for the fields that are given."""
        body = self.body if body is None else body
        if "Range" not in self.headers:
            return self.reply(200, body, ETag=self.tag(body))
        if not body:
            return self.reply(416, Content_Range="bytes */0")
        wanted = self.headers.get("If-Match")
        if wanted is not None and wanted != self.tag(body):
            return self.reply(412)
        first, last = self.range(body)
        return self.reply(206, body[first:last + 1], **{"Content_Range": f"bytes {first}-{last}/{len(body)}",
                                                        "ETag": self.tag(body), **fields})

    def reset(self):
        """RST instead of FIN."""
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.wfile.flush()
        self.connection.close()
        self.close_connection = True

    def missing(self):
        self.reply(404, b"<html>no such thing</html>")

    # The modes.

    def do_ok(self):
        self.missing() if self.body is None else self.part()

    def do_busy(self):  # twice 429, then well
        self.reply(429, b"slow down", Retry_After="1") if self.tries < 2 else self.part()

    def do_wait(self):
        self.reply(503, b"come back tomorrow", Retry_After="86400")

    def do_flaky(self):  # the first request for each range
        self.reply((500, 502, 503, 504)[self.number % 4], b"oops") if self.tries % 2 == 0 else self.part()

    def do_broken(self):
        self.reply(500, b"x" * 100000)

    def do_reset(self):  # in the middle of a body, twice for each range
        if self.tries % 3 == 2:
            return self.part()
        first, last = self.range()
        self.head(206, {"Content-Length": last - first + 1, "Content-Range": f"bytes {first}-{last}/{len(self.body)}",
                        "ETag": self.tag()})
        self.send(self.body[first:first + (last - first) // 2])
        self.wfile.flush()
        time.sleep(0.05)
        return self.reset()

    def do_drip(self):
        first, last = self.range()
        self.head(206, {"Content-Length": last - first + 1, "Content-Range": f"bytes {first}-{last}/{len(self.body)}",
                        "ETag": self.tag()})
        for at in range(first, last + 1):
            self.send(self.body[at:at + 1])
            self.wfile.flush()
            if self.server.stopping.wait(0.1):
                return

    def do_hang(self):
        self.server.stopping.wait(60)
        self.close_connection = True

    def do_short(self):  # fewer bytes than announced
        first, last = self.range()
        self.head(206, {"Content-Length": last - first + 1, "Content-Range": f"bytes {first}-{last}/{len(self.body)}",
                        "ETag": self.tag()})
        self.send(self.body[first:last])
        self.close_connection = True

    def do_short_once(self):
        self.do_short() if self.tries % 2 == 0 else self.part()

    def chunked(self, body):
        first, last = self.range()
        self.head(206, {"Transfer-Encoding": "chunked", "Content-Range": f"bytes {first}-{last}/{len(self.body)}",
                        "ETag": self.tag()})
        self.send(b"%x\r\n" % len(body) + body + b"\r\n0\r\n\r\n")

    def do_long(self):  # more bytes than the range has, without saying how many
        first, last = self.range()
        self.chunked(self.body[first:last + 1] + b"more")

    def do_chunks(self):
        first, last = self.range()
        self.chunked(self.body[first:last + 1])

    def do_chunks_short(self):
        first, last = self.range()
        self.chunked(self.body[first:last])

    def do_trailers(self):  # behind the body, another size and tag
        first, last = self.range()
        self.head(206, {"Transfer-Encoding": "chunked", "Trailer": "Content-Range, ETag", "ETag": self.tag(),
                        "Content-Range": f"bytes {first}-{last}/{len(self.body)}"})
        body = self.body[first:last + 1]
        self.send(b"%x\r\n" % len(body) + body + b"\r\n0\r\n")
        self.send(b'Content-Range: bytes 0-65535/1000000000\r\nETag: "other"\r\n\r\n')

    def do_shifted(self):  # says another range than it was asked for
        first, last = self.range()
        self.part(Content_Range=f"bytes {first + 1}-{last + 1}/{len(self.body) + 1}")

    def do_shifted_later(self):  # the bytes of another range, and says so
        if self.number == 0:
            return self.part()
        first, last = self.range()
        return self.reply(206, self.body[first - 64:last + 1 - 64], ETag=self.tag(),
                          Content_Range=f"bytes {first - 64}-{last - 64}/{len(self.body)}")

    def do_nonsense(self):
        self.part(Content_Range="bytes minus one")

    def do_no_range(self):
        self.part(Content_Range=None)

    def do_no_total(self):
        first, last = self.range()
        self.part(Content_Range=f"bytes {first}-{last}/*")

    def do_two_ranges(self):
        first, last = self.range()
        self.head(206, {"Content-Length": last - first + 1, "ETag": self.tag(),
                        "Content-Range": f"bytes {first}-{last}/{len(self.body)}", "content-range": "bytes 0-1/2"})
        self.send(self.body[first:last + 1])

    def do_whole(self):  # knows no ranges
        self.reply(200, self.body, ETag=self.tag())

    def do_whole_later(self):
        self.part() if self.number == 0 else self.reply(200, self.body, ETag=self.tag())

    def do_huge(self):
        self.head(200, {"Content-Length": 10**15})
        self.send(b"x" * 1000)
        self.close_connection = True

    def do_huge_range(self):  # a size that no disk has
        first, last = self.range()
        if self.name.endswith(".bloomset"):
            return self.part()
        return self.part(Content_Range=f"bytes {first}-{last}/{10**18}")

    def do_endless(self):
        self.head(200, {"Transfer-Encoding": "chunked"})
        while not self.server.stopping.is_set():
            self.send(b"100000\r\n" + b"x" * 0x100000 + b"\r\n")

    def do_changed(self):  # replaced after the first request; honours If-Match
        self.part() if self.number == 0 else self.part(self.body[:200000] + self.body[200000:][::-1])

    def do_changed_rude(self):  # ignores If-Match, and says the new tag
        if self.number == 0:
            return self.part()
        first, last = self.range()
        return self.reply(206, bytes(last - first + 1), ETag='"other"', Content_Range=f"bytes {first}-{last}/{len(self.body)}")

    def do_changed_length(self):  # no tag, another length
        if self.number == 0:
            return self.part(ETag=None)
        return self.part(self.body + b"more", ETag=None)

    def do_changed_date(self):  # no tag, another date
        hour = 10 if self.number == 0 else 11
        self.part(ETag=None, Last_Modified=f"Thu, 19 Nov 2026 {hour}:00:00 GMT")

    def do_vanished(self):
        self.part() if self.number == 0 else self.missing()

    def do_dated(self):
        self.part(ETag=None, Last_Modified="Thu, 19 Nov 2026 10:00:00 GMT")

    def do_untagged(self):
        self.part(ETag=None)

    def do_weak(self):
        if "If-Match" in self.headers:  # a weak tag never matches
            return self.reply(412)
        return self.part(ETag="W/" + self.tag())

    def do_same_tag(self):  # the tag of another file
        if self.headers.get("If-Match", '"same"') != '"same"':
            return self.reply(412)
        self.headers.replace_header("If-Match", self.tag()) if "If-Match" in self.headers else None
        return self.part(ETag='"same"')

    def do_gzip(self):
        self.part(Content_Encoding="gzip")

    def do_gzip_whole(self):
        self.reply(200, self.body, Content_Encoding="gzip")

    def redirect(self, target, code=302):
        self.reply(code, b"moved", Location=target)

    def do_moved(self):  # here
        self.redirect(f"/ok/{self.name}", 307)

    def do_away(self):  # to another host, with a signature of its own
        self.redirect(f"{self.server.elsewhere}/ok/{self.name}?signature=secret-of-target")

    def do_loop(self):
        self.redirect(self.path)

    def do_nowhere(self):
        self.reply(302)

    def do_file(self):
        self.redirect("file:///etc/passwd")

    def do_forbidden(self):
        self.reply(403, b"<Error>SignatureDoesNotMatch</Error>")

    def do_locked(self):
        if self.headers.get("Authorization") != "Bearer open sesame":
            return self.reply(401)
        return self.part()

    def do_user(self):
        if self.headers.get("Authorization") != "Basic YW5uOnB3":  # ann:pw
            return self.reply(401)
        return self.part()

    def do_signed(self):
        if "signature=topsecret" not in self.path:
            return self.reply(403)
        return self.part()

    def do_garbage(self):
        self.wfile.write(b"\x00\xff\x00 this is no HTTP \r\n\r\n")
        self.close_connection = True

    def do_fields(self):  # without an end
        self.wfile.write(b"HTTP/1.1 206 Partial\r\n")
        for _ in range(2000):
            self.wfile.write(b"X-Field: " + b"y" * 1000 + b"\r\n")
        self.close_connection = True


@contextlib.contextmanager
def serve(files, **options):
    server = Store(files, **options)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.stopping.set()
        server.shutdown()
        server.server_close()
