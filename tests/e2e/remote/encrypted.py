#!/usr/bin/env python3
"""Filters at https:// addresses: a certificate authority of our own, and certificates that must be refused.

usage: encrypted.py BLOOMERY
"""
import shutil
import subprocess
import sys

import harness
import server


class Authority:
    def __init__(self, folder, name):
        self.folder, self.name = folder, name
        self.certificate = folder / f"{name}.pem"
        self.openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", f"{name}.key", "-out", f"{name}.pem",
                     "-subj", f"/CN={name}", "-days", "2")

    def openssl(self, *arguments):
        subprocess.run(["openssl", *arguments], cwd=self.folder, check=True, capture_output=True)

    def issue(self, name, subject, days="2"):
        (self.folder / f"{name}.cnf").write_text(f"subjectAltName={subject}\n")
        self.openssl("req", "-newkey", "rsa:2048", "-nodes", "-keyout", f"{name}.key", "-out", f"{name}.csr", "-subj",
                     f"/CN={name}")
        self.openssl("x509", "-req", "-in", f"{name}.csr", "-CA", f"{self.name}.pem", "-CAkey", f"{self.name}.key",
                     "-CAcreateserial", "-out", f"{name}.pem", "-days", days, "-extfile", f"{name}.cnf")
        return self.folder / f"{name}.pem", self.folder / f"{name}.key"


def accepts(bench, store, authority, stranger):
    address, expected = store.address("ok/seen.bloom", "localhost"), bench.few.read_text()
    assert bench.run("query", "--cacert", authority.certificate, address, bench.few) == expected
    by_variable = bench.environment(SSL_CERT_FILE=str(authority.certificate))
    assert bench.run("query", address, bench.few, env=by_variable) == expected
    assert bench.run("query", "--cacert", authority.certificate, "--header", "Authorization: Bearer open sesame",
                     store.address("locked/seen.bloom", "localhost"), bench.few) == expected
    other = bench.environment(SSL_CERT_FILE=str(stranger.certificate))
    assert bench.run("query", "--cacert", authority.certificate, address, bench.few, env=other) == expected


def refuses(bench, store, authority, stranger):
    address = store.address("ok/seen.bloom?signature=topsecret", "localhost")
    store.take_log()
    bench.run("query", address, bench.few, code=2, says="certificate is not accepted")
    bench.run("query", "--cacert", stranger.certificate, address, bench.few, code=2, says="certificate is not accepted")
    bench.run("query", "--cacert", authority.certificate, store.address("ok/seen.bloom"), bench.few, code=2,
              says="certificate is not accepted")  # 127.0.0.1 is not in it
    bench.run("query", "--cacert", bench.few, address, bench.few, code=2, says="certificate")
    bench.run("query", "--cacert", bench.folder / "none.pem", address, bench.few, code=2, says="certificate")
    assert not store.take_log(), "a request was sent to a server that was not verified"
    with server.serve(bench.files) as plain:
        store.elsewhere = plain.address("").rstrip("/")
        bench.run("query", "--cacert", authority.certificate, store.address("away/seen.bloom", "localhost"), bench.few,
                  code=2, says="from https to http")
        assert not plain.take_log()
        bench.run("query", plain.address("ok/seen.bloom").replace("http:", "https:"), bench.few, code=2)


def expired(bench, _, authority, __):
    authority.openssl("req", "-newkey", "rsa:2048", "-nodes", "-keyout", "old.key", "-out", "old.csr", "-subj", "/CN=old")
    made = subprocess.run(["openssl", "x509", "-req", "-in", "old.csr", "-CA", "ca.pem", "-CAkey", "ca.key",
                           "-CAcreateserial", "-out", "old.pem", "-days", "-1", "-extfile", "good.cnf"],
                          cwd=bench.folder, capture_output=True, check=False)
    if made.returncode != 0:
        return
    with server.serve(bench.files, tls=(bench.folder / "old.pem", bench.folder / "old.key")) as store:
        bench.run("query", "--cacert", authority.certificate, store.address("ok/seen.bloom", "localhost"), bench.few,
                  code=2, says="certificate is not accepted")


def main():
    if shutil.which("openssl") is None:
        print("skipped: there is no openssl")
        return 77
    with harness.bench(sys.argv[1]) as bench:
        authority, stranger = Authority(bench.folder, "ca"), Authority(bench.folder, "stranger")
        pair = authority.issue("good", "DNS:localhost")
        with server.serve(bench.files, tls=pair) as store:
            harness.run_all((accepts, refuses, expired), bench, store, authority, stranger)
    return 0


sys.exit(main())
