"""Builds the extension module with CMake and Ninja, and packs it with the libraries that it needs and their licences.

BLOOMERY_BUILD_DIR=FOLDER uses a folder that CMake has configured before, in place of a new one.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
# What every Linux with this version of libc has; the rest travels in the wheel.
COMPILED_IN = ["nlohmann/json.hpp"]  # headers of others in the module itself; xxHash's are those of its library
SYSTEM = re.compile(r"lib(c|m|pthread|dl|rt|stdc\+\+|gcc_s)\.so|ld-linux|linux-vdso")


def version():
    return re.search(r"project\(bloomery VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text())[1]


def owner(name):
    """The Debian package of a library or header; None on other systems."""
    if shutil.which("dpkg-query") is None:
        return None
    found = subprocess.run(["dpkg-query", "-S", f"*/{name}"], capture_output=True, text=True).stdout
    return found.split(":")[0] if found else None


class CMakeBuild(build_ext):
    def build_extension(self, extension):
        folder = os.environ.get("BLOOMERY_BUILD_DIR")
        if folder is None:
            folder = str(pathlib.Path(self.build_temp).resolve() / "cmake")
            off = [f"-DBLOOMERY_BUILD_{part}=OFF" for part in ("TESTS", "APPS", "BENCH")]
            subprocess.run(["cmake", "-G", "Ninja", "-S", ROOT, "-B", folder, "-DCMAKE_BUILD_TYPE=Release", *off,
                            f"-DBLOOMERY_PYTHON_EXECUTABLE={sys.executable}"], check=True)
        subprocess.run(["cmake", "--build", folder, "--target", "bloomery_python_wheel"], check=True)
        built = pathlib.Path(folder) / "bindings" / "python" / "wheel" / "_bloomery.abi3.so"
        target = pathlib.Path(self.get_ext_fullpath(extension.name))
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(built, target)
        bundled = self.copy_libraries(built, target.parent / "libs")
        self.copy_licences([*bundled, *COMPILED_IN], target.parent / "licenses")

    @staticmethod
    def copy_libraries(module, folder):
        """Returns their names."""
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        names = []
        listed = subprocess.run(["ldd", module], capture_output=True, text=True, check=True).stdout
        for name, path in re.findall(r"^\s*(\S+) => (/\S+)", listed, re.MULTILINE):
            if not SYSTEM.match(name):
                shutil.copy2(path, folder / name)
                names.append(name)
        return names

    @staticmethod
    def copy_licences(files, folder):
        """Their licences ask for that: a text per Debian package, and our own."""
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        shutil.copy2(ROOT / "LICENSE", folder / "bloomery.txt")
        for name in files:
            package = owner(name)
            text = pathlib.Path("/usr/share/doc") / str(package) / "copyright"
            if package is None or not text.is_file():
                print(f"warning: {name}: no licence was found; add one to {folder} before you give the wheel away",
                      file=sys.stderr)
                continue
            shutil.copyfile(text, folder / f"{package}.txt")


setup(
    version=version(),
    ext_modules=[Extension("bloomery._bloomery", sources=[], py_limited_api=True)],
    cmdclass={"build_ext": CMakeBuild},
    options={"bdist_wheel": {"py_limited_api": "cp311"}},
)
