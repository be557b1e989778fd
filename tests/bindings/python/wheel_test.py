"""The wheel: built without network, self-contained, installed into a fresh environment, and the first
five minutes of docs/python.md with it."""
import importlib.util
import os
import pathlib
import re
import shutil
import subprocess
import sys
import unittest
import zipfile

import support

PACKAGE = support.ROOT / "bindings" / "python"
TOOLS = [("pip", "python3-pip"), ("setuptools", "python3-setuptools"), ("wheel", "python3-wheel"), ("venv", "python3-venv"),
         ("ensurepip", "python3-venv")]
for module, package in TOOLS:
    if importlib.util.find_spec(module) is None:
        print(f"skipped: there is no {module}; install {package}")
        sys.exit(support.SKIPPED)


class Wheel(support.InFolder):
    def test_it_is_built_and_installed(self):
        source = self.folder / "source"  # setuptools writes beside its input
        shutil.copytree(PACKAGE, source / "bindings" / "python", ignore=shutil.ignore_patterns("build", "*.egg-info"))
        for name in ("CMakeLists.txt", "LICENSE"):
            shutil.copy(support.ROOT / name, source)
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        subprocess.run([sys.executable, "-m", "pip", "wheel", "-q", "--no-build-isolation", "--no-index", "--no-deps", "-w",
                        self.folder, "."], cwd=source / "bindings" / "python", check=True, env=environment)
        (wheel,) = self.folder.glob("*.whl")
        self.assertRegex(wheel.name, r"^bloomery-[\d.]+-cp311-abi3-linux_\w+\.whl$")
        self.check_contents(wheel)
        self.first_five_minutes(wheel, environment)

    def check_contents(self, wheel):
        names = zipfile.ZipFile(wheel).namelist()
        for name in ("__init__.py", "__init__.pyi", "py.typed", "_bloomery.abi3.so"):
            self.assertIn(f"bloomery/{name}", names)
        self.check_licences(names)
        unpacked = self.folder / "unpacked"
        zipfile.ZipFile(wheel).extractall(unpacked)
        module = unpacked / "bloomery" / "_bloomery.abi3.so"
        symbols = subprocess.run(["nm", "-D", "--defined-only", module], capture_output=True, text=True, check=True).stdout
        self.assertEqual([line.split()[-1] for line in symbols.splitlines()], ["PyInit__bloomery"])
        os.chmod(module, 0o755)
        for name, path in re.findall(r"(\S+) => (/\S+)", subprocess.run(["ldd", module], capture_output=True, text=True,
                                                                        check=True).stdout):
            if not re.match(r"lib(c|m|stdc\+\+|gcc_s)\.so", name):
                self.assertTrue(path.startswith(str(unpacked)), f"{name} is not in the wheel: {path}")

    def check_licences(self, names):
        """Each library that travels in the wheel, or is compiled into the module, has its licence beside it."""
        self.assertIn("bloomery/licenses/bloomery.txt", names)
        bundled = [name.removeprefix("bloomery/libs/") for name in names if name.startswith("bloomery/libs/")]
        self.assertIn("libsodium.so.23", bundled)
        if shutil.which("dpkg-query") is None:
            print("skipped: licences in the wheel: there is no dpkg-query, which names the package of a library")
            return
        for file in [*bundled, "nlohmann/json.hpp"]:
            owner = subprocess.run(["dpkg-query", "-S", f"*/{file}"], capture_output=True, text=True, check=True).stdout
            self.assertIn(f"bloomery/licenses/{owner.split(':')[0]}.txt", names, file)

    def first_five_minutes(self, wheel, environment):
        """Runs the commands of the page's first console block, and compares what they print."""
        page = (support.ROOT / "docs" / "python.md").read_text()
        block = re.search(r"## The first five minutes.*?```console\n(.*?)```", page, re.DOTALL)[1]
        work = self.folder / "work"
        work.mkdir()
        shutil.copy(wheel, work)
        environment = {**environment, "PATH": f"{pathlib.Path(sys.executable).parent}:{environment['PATH']}",
                       "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
        commands = re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]
        self.assertGreater(len(commands), 3)
        for command in commands:
            line, _, rest = command.partition("\n")
            while rest.startswith("> "):  # the lines of a here document
                more, _, rest = rest.partition("\n")
                line += "\n" + more.removeprefix("> ")
            done = subprocess.run(["bash", "-c", line], cwd=work, env=environment, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, text=True)
            self.assertEqual(done.stdout.strip(), rest.strip(), line)


if __name__ == "__main__":
    support.main()
