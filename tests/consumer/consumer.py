"""Builds and runs a tiny project against the library, as a user would.

usage: consumer.py PROJECT SOURCE BUILD CXX [FLAGS]

PROJECT is a folder beside this file, or `headers`: then only the headers of the installation are
looked at, and none may include a header of ours that is not installed. BUILD is installed to a
temporary prefix first.
"""
import os
import pathlib
import re
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


def build_and_run(project, source, prefix, work, cxx, flags):
    here = pathlib.Path(__file__).resolve().parent
    pkg_config = ":".join(str(found.parent) for found in prefix.rglob("bloomery.pc"))
    environment = dict(os.environ)
    environment["PKG_CONFIG_PATH"] = pkg_config + ":" + environment.get("PKG_CONFIG_PATH", "")
    run("cmake", "-G", "Ninja", "-S", here / project, "-B", work, f"-DCMAKE_CXX_COMPILER={cxx}",
        f"-DCMAKE_CXX_FLAGS={flags}", f"-DCMAKE_PREFIX_PATH={prefix}",
        f"-DBLOOMERY_SOURCE={source}", "--no-warn-unused-cli", env=environment)
    if project == "add_subdirectory" and not os.environ.get("BLOOMERY_FULL"):
        # Minutes of the same code again; that it links is seen of the others.
        run("cmake", "--build", work, "--target", "consumer_source")
        return
    run("cmake", "--build", work, "--target", "consumer")
    run(work / "consumer")


def main():
    project, source, build, cxx, *flags = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        prefix = pathlib.Path(folder) / "prefix"
        run("cmake", "--install", build, "--prefix", prefix, stdout=subprocess.DEVNULL)
        if project == "headers":
            missing = missing_headers(prefix / "include")
            sys.exit("\n".join(missing) or 0)
        build_and_run(project, source, prefix, pathlib.Path(folder) / "work", cxx, " ".join(flags))


if __name__ == "__main__":
    main()
