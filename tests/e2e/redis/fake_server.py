"""A server that says what a test wants it to say."""
import socket
import struct
import threading

from harness import encode


def bulk(data):
    return b"$%d\r\n%s\r\n" % (len(data), data)


def array(*replies):
    return b"*%d\r\n%s" % (len(replies), b"".join(replies))


def number(value):
    return b":%d\r\n" % value


class FakeServer:
    """with FakeServer(answer) as fake: answer(words) gives the bytes of a reply, or None to hang up. What was asked is in
    fake.commands. A reply may be a generator of pieces; sending stops when the client hangs up. An abrupt server resets the
    connection when it hangs up, so that the client's next word meets a broken pipe."""

    def __init__(self, answer, abrupt=False):
        self.answer, self.abrupt, self.commands, self.sent = answer, abrupt, [], 0
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.threads, self.connections = [], []

    def __enter__(self):
        self.threads.append(threading.Thread(target=self.accept))
        self.threads[0].start()
        return self

    def __exit__(self, *_):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        for connection in self.connections:
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
        for thread in self.threads:
            thread.join(timeout=60)

    def accept(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            self.connections.append(connection)
            self.threads.append(threading.Thread(target=self.serve, args=[connection]))
            self.threads[-1].start()

    def serve(self, connection):
        with connection, connection.makefile("rb") as file:
            try:
                while (words := read_command(file)) is not None:
                    self.commands.append(words)
                    reply = self.answer(words)
                    if reply is None:
                        if self.abrupt:
                            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                        return
                    for piece in [reply] if isinstance(reply, bytes) else reply:
                        connection.sendall(piece)
                        self.sent += len(piece)
            except OSError:
                pass


def read_command(file):
    line = file.readline()
    if not line.startswith(b"*"):
        return None
    words = []
    for _ in range(int(line[1:])):
        size = int(file.readline()[1:])
        words.append(file.read(size + 2)[:-2])
    return words


class Forwarding:
    """Answers as a real server does, through a client of the harness; `instead` may answer first."""

    def __init__(self, port, instead):
        self.instead = instead
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=60)
        self.file = self.socket.makefile("rb")

    def __call__(self, words):
        reply = self.instead(words)
        if reply is not None:
            return reply
        self.socket.sendall(encode(words))
        return self.copy_reply()

    def copy_reply(self):
        line = self.file.readline()
        if line[:1] == b"$" and not line.startswith(b"$-1"):
            return line + self.file.read(int(line[1:]) + 2)
        if line[:1] == b"*" and not line.startswith(b"*-1"):
            return line + b"".join(self.copy_reply() for _ in range(int(line[1:])))
        return line

    def close(self):
        self.file.close()
        self.socket.close()
