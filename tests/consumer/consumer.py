"""Builds and runs a tiny project against the library, as a user would.

usage: consumer.py PROJECT SOURCE BUILD CXX [FLAGS]

PROJECT is a folder beside this file, or `headers`: then only the headers of the installation are
looked at, and none may include a header of ours that is not installed; or `redis_module`: then a
server loads the module as it is installed. BUILD is installed to a temporary prefix first.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile


def run(*command, **options):
    print("+", *command, flush=True)
    subprocess.run([str(word) for word in command], check=True, **options)


def missing_headers(include):
    pattern = re.compile(r'^\s*#\s*include\s*["<](bloomery/[^">]+)', re.MULTILINE)
    headers = sorted(include.rglob("*.h"))
    assert headers, f"no header is installed below {include}"
    return [
        f"{header.relative_to(include)} includes {name}, which is not installed"
        for header in headers
        for name in pattern.findall(header.read_text())
        if not (include / name).is_file()
    ]


def load_module(source, prefix):
    """In the server that is installed here, which may refuse a file for its permissions alone."""
    sys.path.insert(0, str(pathlib.Path(source, "tests/e2e/redis")))
    import harness
    if shutil.which(harness.SERVER) is None:
        print(f"skipped: {harness.SERVER} is not installed")
        sys.exit(harness.SKIP)
    modules = list(prefix.rglob("redis/modules/bloomery.so"))
    assert len(modules) == 1, modules
    mode = modules[0].stat().st_mode & 0o777
    assert mode == 0o755, f"{modules[0]} has the mode {mode:o}, and servers want to execute it"
    with harness.Server(modules[0]) as server:
        assert server.client()("BF.ADD", "seen", "apple") == 1


def query_server(source, program):
    """The program asks a web server for a filter that needs a header, with the right one and with another."""
    sys.path.insert(0, str(pathlib.Path(source, "tests/e2e/remote")))
    import server
    filter = pathlib.Path(source, "tests/golden/native/block.bloom").read_bytes()
    with server.serve({"block.bloom": filter}) as store:
        address = store.address("locked/block.bloom")
        said = [subprocess.run([program, f"{address}?topsecret", token], capture_output=True, text=True, timeout=60)
                for token in ("open sesame", "another")]
    assert (said[0].returncode, said[0].stdout, said[0].stderr) == (0, "1 0\n", ""), said[0]
    assert said[1].returncode == 1 and said[1].stderr.startswith(f"{address}: "), said[1]
    assert "401" in said[1].stderr and "topsecret" not in said[1].stderr, said[1]


def build_and_run(project, source, prefix, work, cxx, flags):
    here = pathlib.Path(__file__).resolve().parent
    pkg_config = ":".join(str(found.parent) for found in prefix.rglob("bloomery.pc"))
    environment = dict(os.environ)
    environment["PKG_CONFIG_PATH"] = pkg_config + ":" + environment.get("PKG_CONFIG_PATH", "")
    run("cmake", "-G", "Ninja", "-S", here / project, "-B", work, f"-DCMAKE_CXX_COMPILER={cxx}",
        f"-DCMAKE_CXX_FLAGS={flags}", f"-DCMAKE_PREFIX_PATH={prefix}",
        f"-DBLOOMERY_SOURCE={source}", "--no-warn-unused-cli", env=environment)
    if project in ("add_subdirectory", "add_core") and not os.environ.get("BLOOMERY_FULL"):
        # Minutes of the same code again; that it links is seen of the others.
        run("cmake", "--build", work, "--target", "consumer_source")
        return
    run("cmake", "--build", work, "--target", "consumer")
    if project == "find_remote":
        query_server(source, work / "consumer")
    else:
        run(work / "consumer")


def main():
    project, source, build, cxx, *flags = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        prefix = pathlib.Path(folder) / "prefix"
        run("cmake", "--install", build, "--prefix", prefix, stdout=subprocess.DEVNULL)
        if project == "headers":
            missing = missing_headers(prefix / "include")
            sys.exit("\n".join(missing) or 0)
        if project == "redis_module":
            load_module(source, prefix)
            return
        build_and_run(project, source, prefix, pathlib.Path(folder) / "work", cxx, " ".join(flags))


if __name__ == "__main__":
    main()
