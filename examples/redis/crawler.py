#!/usr/bin/python3
"""A crawler whose workers share one filter of the URLs they have seen.

Several processes crawl a web site together. A worker that finds a link adds it in Redis: BF.MADD answers 1 to exactly one
of them, and that one puts the URL into the common queue. So each page is fetched once, however many workers find it and
however it is spelled, and the memory for millions of URLs is that of the filter.

    crawler.py --redis redis://localhost [--workers 4] [--pages 3000]

The price of a filter: now and then a URL that no worker has seen is taken for seen, and skipped. The rate is computed
from the filter's own numbers, and measured here, because the site is the program's own and counts what it serves. Needs
python3-redis, and bloomery.so (or RedisBloom) in the server.
"""
import argparse
import http.client
import http.server
import math
import multiprocessing
import random
import re
import threading
import time
import urllib.parse

import redis

SEEN, QUEUE, PENDING, SKIPPED = "crawl:seen", "crawl:queue", "crawl:pending", "crawl:skipped"


def canonical(link, page):
    """One spelling for each page: no fragment, no tracking, the query in order, the host in lower case."""
    parts = urllib.parse.urlsplit(urllib.parse.urljoin(page, link))
    query = sorted((k, v) for k, v in urllib.parse.parse_qsl(parts.query) if not k.startswith("utm_"))
    return urllib.parse.urlunsplit((parts.scheme, parts.netloc.lower(), parts.path or "/", urllib.parse.urlencode(query), ""))


class Crawler:
    """One worker's view of the crawl. All it shares with the others is in Redis."""

    def __init__(self, server):
        self.server = redis.Redis.from_url(server)
        self.connections = {}

    def offer(self, urls):
        """Queues the URLs that no worker has seen before."""
        urls = list(dict.fromkeys(urls))
        is_new = self.server.bf().madd(SEEN, *urls) if urls else []
        new = [url for url, first in zip(urls, is_new) if first]
        with self.server.pipeline() as together:  # in one step: the count is never below what the queue holds
            together.incrby(SKIPPED, len(urls) - len(new))
            if new:
                together.incrby(PENDING, len(new))
                together.rpush(QUEUE, *new)
            together.execute()

    def fetch(self, url):
        parts = urllib.parse.urlsplit(url)
        if parts.netloc not in self.connections:
            self.connections[parts.netloc] = http.client.HTTPConnection(parts.netloc, timeout=30)
        connection = self.connections[parts.netloc]
        try:
            connection.request("GET", urllib.parse.urlunsplit(("", "", parts.path, parts.query, "")))
            reply = connection.getresponse()
            body = reply.read().decode(errors="replace")
        except (OSError, http.client.HTTPException):
            del self.connections[parts.netloc]  # the page is lost, and the crawl goes on
            return ""
        return body if reply.status == 200 else ""

    def work(self):
        """Until nothing is queued and no worker is busy, which might queue more."""
        while int(self.server.get(PENDING)) > 0:
            taken = self.server.blpop(QUEUE, timeout=1)
            if taken is None:
                continue
            url = taken[1].decode()
            links = re.findall(r'href="([^"]*)"', self.fetch(url))
            self.offer(canonical(link, url) for link in links)
            if self.server.decr(PENDING) == 0:
                return


def work(server):
    Crawler(server).work()


class Site:
    """Pages full of links to each other, most of them more than once and in several spellings."""

    def __init__(self, pages, seed):
        self.pages, self.seed, self.served = pages, seed, {}
        self.lock = threading.Lock()

    def path(self, page):
        return f"/shop/{page % 40}/item?id={page}&sort=price" if page else "/"

    def links(self, page):
        """Children of a tree, so that every page is found, and others at random."""
        chance = random.Random(self.seed * 1_000_003 + page)
        others = [2 * page + 1, 2 * page + 2] + [chance.randrange(self.pages) for _ in range(10)]
        return [p for p in others if p < self.pages]

    def spelled(self, page, chance):
        path = self.path(page)
        if chance.random() < 0.3:
            path += "#reviews"
        elif page and chance.random() < 0.4:
            path = f"/shop/{page % 40}/item?sort=price&utm_source=mail&id={page}"
        return path

    def body(self, page):
        chance = random.Random(page)
        return "".join(f'<a href="{self.spelled(p, chance)}">item {p}</a>\n' for p in self.links(page))

    def serve(self):
        site = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def do_GET(self):
                found = re.search(r"[?&]id=(\d+)", self.path)
                page = int(found[1]) if found else 0
                with site.lock:
                    site.served[page] = site.served.get(page, 0) + 1
                body = site.body(page).encode()
                self.send_response(200)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        return server


def foretold(server, urls):
    """How many of so many URLs a filter takes for seen while it fills: the sum of its error rates on the way."""
    layer = dict(word.split(":") for word in server.execute_command("BF.DEBUG", SEEN)[1].decode().split())
    bits, probes = int(layer["bits"]), int(layer["hashes"])
    return sum((1 - math.exp(-probes * i / bits)) ** probes for i in range(urls))


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--redis", default="redis://localhost:6379")
    options.add_argument("--workers", type=int, default=4)
    options.add_argument("--pages", type=int, default=3000)
    options.add_argument("--rate", type=float, default=0.02)
    options.add_argument("--seed", type=int, default=1)
    arguments = options.parse_args()
    server = redis.Redis.from_url(arguments.redis)
    server.delete(SEEN, QUEUE, PENDING, SKIPPED)
    server.bf().create(SEEN, arguments.rate, arguments.pages)
    site = Site(arguments.pages, arguments.seed)
    web = site.serve()
    start = time.monotonic()
    Crawler(arguments.redis).offer([f"http://127.0.0.1:{web.server_port}/"])
    workers = [multiprocessing.get_context("spawn").Process(target=work, args=[arguments.redis])
               for _ in range(arguments.workers)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    seconds = time.monotonic() - start
    web.shutdown()
    linked = {link for page in site.served for link in site.links(page)} | {0}
    print(f"{arguments.workers} workers, {len(linked)} pages linked, {len(site.served)} fetched in {seconds:.1f} s")
    print(f"fetched more than once: {sum(1 for times in site.served.values() if times > 1)}")
    print(f"links skipped as seen: {int(server.get(SKIPPED))}")
    print(f"wrongly skipped: {len(linked - set(site.served))} pages; foretold: {foretold(server, len(linked)):.1f}")
    print(f"memory of the filter: {server.memory_usage(SEEN)} bytes")
    raise SystemExit(max(abs(worker.exitcode) for worker in workers))


if __name__ == "__main__":
    main()
