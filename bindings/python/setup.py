"""Builds the extension module with CMake and Ninja, and packs it with the libraries that it needs.

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
SYSTEM = re.compile(r"lib(c|m|pthread|dl|rt|stdc\+\+|gcc_s)\.so|ld-linux|linux-vdso")


def version():
    return re.search(r"project\(bloomery VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text())[1]


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
        self.copy_libraries(built, target.parent / "libs")

    @staticmethod
    def copy_libraries(module, folder):
        folder.mkdir(exist_ok=True)
        listed = subprocess.run(["ldd", module], capture_output=True, text=True, check=True).stdout
        for name, path in re.findall(r"^\s*(\S+) => (/\S+)", listed, re.MULTILINE):
            if not SYSTEM.match(name):
                shutil.copy2(path, folder / name)


setup(
    version=version(),
    ext_modules=[Extension("bloomery._bloomery", sources=[], py_limited_api=True)],
    cmdclass={"build_ext": CMakeBuild},
    options={"bdist_wheel": {"py_limited_api": "cp311"}},
)
