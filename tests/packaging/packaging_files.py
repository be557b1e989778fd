"""The files of packages agree with the project: packaging_files.py SOURCE [BUILD]

One version everywhere, lists of files that match what `cmake --install` puts there, options that exist. vcpkg, Conan 2
and Homebrew are not in Debian 12. podman 4.3.1 and buildah 1.28.2 are, but building a container downloads an image and
may start namespaces, which tests do not. So the files of all four are checked as text."""
import ast
import fnmatch
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(sys.argv[1]).resolve()
PACKAGING = SOURCE / "packaging"
sys.path.insert(0, str(SOURCE / "tools"))
import make_changelog  # noqa: E402  (needs the path above)

problems = []


def expect(holds, sentence):
    if not holds:
        problems.append(sentence)


def read(path):
    return (SOURCE / path).read_text()


def check_versions():
    version = make_changelog.version()
    expect(next(iter(make_changelog.entries()))[0] == version, f"CHANGELOG.md has no entry for {version} at its top")
    expect(json.loads(read("packaging/vcpkg/vcpkg.json"))["version"] == version, "vcpkg.json has another version")
    header = dict(re.findall(r"BLOOMERY_C_VERSION_(\w+) (\d+)", read("bindings/c/bloomery/c.h")))
    expect(".".join(header.get(part, "") for part in ("MAJOR", "MINOR", "PATCH")) == version, "bloomery/c.h has another version")
    soname = re.search(r"SOVERSION (\d+)", read("bindings/c/CMakeLists.txt")).group(1)
    expect(f"Package: libbloomery-c{soname}\n" in read("packaging/debian/control"), f"no package libbloomery-c{soname}")


def cmake_options():
    texts = [read("CMakeLists.txt"), *(path.read_text() for path in (SOURCE / "cmake").glob("*.cmake")),
             *(path.read_text() for path in (SOURCE / "bindings").rglob("CMakeLists.txt"))]
    return set(re.findall(r"(?:option|find_program|set)\((BLOOMERY_\w+)", "\n".join(texts)))


def check_options():
    options = cmake_options()
    for name in ("debian/rules", "vcpkg/portfile.cmake", "conan/conanfile.py", "homebrew/bloomery.rb"):
        for option in set(re.findall(r"BLOOMERY_[A-Z]+(?:_[A-Z]+)*", (PACKAGING / name).read_text())):
            known = option in options or any(each.startswith(option) for each in options)
            expect(known, f"packaging/{name}: CMake has no option {option}")


def check_texts():
    for recipe in PACKAGING.glob("conan/**/*.py"):
        ast.parse(recipe.read_text(), recipe.name)
    hello = PACKAGING / "conan/test_package" / re.search(r"hello (\S+)\)", read("packaging/conan/test_package/CMakeLists.txt")).group(1)
    expect(hello.is_file(), f"packaging/conan/test_package: {hello} is not there")
    for tool in re.findall(r"(tools/\w+)", read("packaging/container/Containerfile")):
        expect(os.access(SOURCE / tool, os.X_OK), f"Containerfile: {tool} is not there")


def check_dependencies():
    """Debian's Build-Depends are the packages that ./run installs, and those of the bindings."""
    shell = f'. {SOURCE}/tools/packages.sh; printf "%s\\n" "${{build_packages[@]}}" "${{deb_packages[@]}}"'
    named = set(subprocess.run(["bash", "-c", shell], check=True, capture_output=True, text=True).stdout.split())
    field = re.search(r"^Build-Depends:(.*?)^\S", read("packaging/debian/control"), re.M | re.S).group(1)
    wanted = {re.match(r"\s*(\S+)", part).group(1) for part in field.split(",")}
    for package in sorted(wanted - named - {"debhelper-compat"}):
        expect(False, f"packaging/debian/control: tools/packages.sh does not install {package}")
    # A library that a clean build machine lacks is left out in silence: so every one is named.
    for package in sorted(name for name in named - wanted - {"dpkg-dev"} if name.endswith("-dev")):
        expect(False, f"packaging/debian/control: Build-Depends lacks {package}, which tools/packages.sh installs")


def check_lists(build):
    """Every pattern of a package's list matches a file that is installed, and every installed file is in a package."""
    with tempfile.TemporaryDirectory() as staged:
        for part in ([], ["--component", "python"], ["--component", "postgres"]):
            subprocess.run(["cmake", "--install", str(build), "--prefix", "/usr", *part], check=True,
                           stdout=subprocess.DEVNULL, env={**os.environ, "DESTDIR": staged})
        files = {str(path.relative_to(staged)) for path in pathlib.Path(staged).rglob("*") if not path.is_dir()}
    multiarch = next((match.group(0) for file in files if (match := re.match(r"usr/lib/[^/]+-linux-gnu[^/]*/", file))), "usr/lib/")
    made_by_rules = ("usr/share/bash-completion", "usr/share/zsh", "usr/share/fish", "usr/lib/redis", "usr/share/redis-bloomery")
    patterns = {}
    for listing in (PACKAGING / "debian").glob("*.install"):
        for pattern in listing.read_text().split():
            if not pattern.startswith(made_by_rules):
                patterns[pattern.replace("usr/lib/*/", multiarch)] = listing.name
    for pattern, listing in patterns.items():
        expect(any(fnmatch.fnmatch(file, pattern) or file.startswith(pattern + "/") for file in files),
               f"packaging/debian/{listing}: nothing that is installed matches {pattern}")
    left = [file for file in files if "redis/modules" not in file and
            not any(fnmatch.fnmatch(file, each) or fnmatch.fnmatch(file, each + "/*") for each in patterns)]
    expect(not left, f"in no package: {', '.join(sorted(left)[:5])}")


check_versions()
check_options()
check_texts()
check_dependencies()
if len(sys.argv) > 2:
    check_lists(pathlib.Path(sys.argv[2]))
for problem in problems:
    print(problem)
sys.exit(1 if problems else 0)
