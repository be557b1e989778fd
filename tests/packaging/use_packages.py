"""Unpacks the packages of a folder and uses each as its user would: use_packages.py DIST

Nothing is installed: programs run out of a temporary folder. install_packages.sh installs them, in a bare system."""
import gzip
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time

DIST = pathlib.Path(sys.argv[1]).resolve()
TESTS = pathlib.Path(__file__).resolve().parent.parent
SOURCE = TESTS.parent


def run(*command, **options):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, **options)
    if done.returncode != 0:
        sys.exit(f"{command[0]} failed with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout


def check(name, got, wanted):
    if got != wanted:
        sys.exit(f"{name}: {got!r} where {wanted!r} was expected")
    print(f"  {name}: as expected")


def redis(root):
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    module = root / "usr/lib/redis/modules/bloomery.so"
    server = subprocess.Popen(["redis-server", "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--dir", root,
                               "--loadmodule", module], stdout=subprocess.DEVNULL)
    try:
        for _ in range(100):
            if subprocess.run(["redis-cli", "-p", str(port), "ping"], capture_output=True).returncode == 0:
                break
            time.sleep(0.1)
        run("redis-cli", "-p", port, "BF.ADD", "seen", "apple")
        return run("redis-cli", "-p", port, "BF.MEXISTS", "seen", "apple", "plum").split()
    finally:
        server.terminate()
        server.wait()


def consumers(root, work, environment):
    """Programs of another project, built by the CMake package and by the pkg-config files of libbloomery-dev."""
    pkgconfig = next((root / "usr/lib").glob("*/pkgconfig"))
    environment = {**environment, "PKG_CONFIG_PATH": str(pkgconfig)}
    for project, prints in (("find_package", "the library answers\n"), ("find_core", None), ("pkg_config", "the library answers\n"),
                            ("find_c", None)):
        build = work / project
        run("cmake", "-G", "Ninja", "-S", TESTS / "consumer" / project, "-B", build, "-DCMAKE_BUILD_TYPE=Release",
            f"-DCMAKE_PREFIX_PATH={root / 'usr'}", "-DCMAKE_FIND_USE_PACKAGE_REGISTRY=OFF", env=environment)
        used = (build / "CMakeCache.txt").read_text()
        if str(root) not in used:
            sys.exit(f"{project}: built with another bloomery than the unpacked one")
        run("cmake", "--build", build, env=environment)
        printed = run(build / "consumer", env=environment)
        check(f"libbloomery-dev, {project}", printed if prints else bool(printed), prints or True)


def postgres(root, command, environment):
    """The unpacked extension in a real server: its own module and its own SQL."""
    extension = root / "usr/share/postgresql/15/extension"
    check("postgresql-15-bloomery, files", sorted(path.name for path in extension.glob("bloomery*")),
          sorted(path.name for path in [SOURCE / "bindings/postgres/bloomery.control",
                                        *(SOURCE / "bindings/postgres/sql").glob("*.sql")]))
    printed = run("/usr/bin/python3", TESTS / "bindings/postgres/run.py", root / "usr/lib/postgresql/15/lib/bloomery.so", command,
                  "types", "lookups", "aggregates", "formats", "module",
                  env={**environment, "BLOOMERY_EXTENSION_DIR": str(extension)})
    count = re.search(r"^(\d+) of \1 tests passed$", printed, re.MULTILINE)
    check("postgresql-15-bloomery, on a server", count is not None and int(count[1]) > 20, True)


def documents(root, bloomery):
    """Man pages that man could show, units that name the installed command, completions."""
    pages = root / "usr/share/man/man1"
    check("man pages", sorted(path.name for path in pages.iterdir()),
          sorted(f"{path.name}.gz" for path in (SOURCE / "docs/man").glob("*.1")))
    for path in pages.iterdir():
        if not gzip.decompress(path.read_bytes()).startswith(b".TH "):
            sys.exit(f"{path.name}: no man page")
    units = root / "usr/lib/systemd/system"
    check("units", sorted(path.name for path in units.iterdir()),
          sorted(path.name.removesuffix(".in") for path in (SOURCE / "packaging/systemd").glob("*.in")))
    for path in units.iterdir():
        commands = re.findall(r"^ExecStart=[-+!@:]*(\S+)", path.read_text(), re.MULTILINE)
        check(path.name, bool(commands) and all(command == "/usr/bin/bloomery" for command in commands), True)
    for shell, place in (("bash", "bash-completion/completions/bloomery"), ("zsh", "zsh/vendor-completions/_bloomery"),
                         ("fish", "fish/vendor_completions.d/bloomery.fish")):
        check(f"completion for {shell}", (root / "usr/share" / place).read_text(), run(bloomery, "completion", shell))


def main():
    work = pathlib.Path(tempfile.mkdtemp(prefix="bloomery-packages-"))
    try:
        root = work / "root"
        packages = sorted(DIST.glob("*.deb"))
        check("packages", len(packages), 6)
        for package in packages:
            run("dpkg-deb", "-x", package, root)
        libraries = str(next((root / "usr/lib").glob("*/libbloomery_c.so.0")).parent)
        environment = {**os.environ, "LD_LIBRARY_PATH": libraries}
        bloomery = root / "usr/bin/bloomery"
        check("bloomery", run(bloomery, "dedup", "-q", input="apple\nplum\napple\n"), "apple\nplum\n")
        run("cc", "-std=c99", "-Wall", "-Werror", TESTS / "packaging/hello.c", "-o", work / "hello", "-I", root / "usr/include",
            "-L", libraries, "-lbloomery_c")
        check("libbloomery-c0, libbloomery-dev", run(work / "hello", env=environment), "1 0\n")
        check("redis-bloomery", redis(root), ["1", "0"])
        script = "from bloomery import Bloom; f = Bloom(1000, 0.01); f.add('apple'); print('apple' in f, 'plum' in f)"
        packaged = {**environment, "PYTHONPATH": str(root / "usr/lib/python3/dist-packages")}
        check("python3-bloomery", run("/usr/bin/python3", "-c", script, env=packaged), "True False\n")
        run("/usr/bin/python3", "-m", "venv", work / "venv")
        for wheel in DIST.glob("*.whl"):
            run(work / "venv/bin/pip", "install", "-q", "--no-index", wheel)
            check(wheel.name, run(work / "venv/bin/python", "-c", script), "True False\n")
        consumers(root, work, environment)
        documents(root, bloomery)
        postgres(root, bloomery, environment)
    finally:
        shutil.rmtree(work)


main()
