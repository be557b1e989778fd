"""Conan 2 recipe of the tree it lies in: conan create packaging/conan"""
import pathlib
import re

from conan import ConanFile
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy
from conan.tools.gnu import PkgConfigDeps

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


class Bloomery(ConanFile):
    name = "bloomery"
    license = "MIT"
    description = "Bloom filters that report their real false-positive rate, in the formats of many systems"
    settings = "os", "compiler", "build_type", "arch"
    options = {"formats": [True, False], "fPIC": [True, False]}
    default_options = {"formats": True, "fPIC": True}

    def set_version(self):
        lists = (ROOT / "CMakeLists.txt").read_text()
        self.version = re.search(r"^project\(bloomery VERSION (\S+)", lists, re.M).group(1)

    def export_sources(self):
        for pattern in ("CMakeLists.txt", "LICENSE", "bloomery/*", "cmake/*"):
            copy(self, pattern, ROOT, self.export_sources_folder)

    def requirements(self):
        self.requires("xxhash/[>=0.8]", transitive_headers=True)
        if self.options.formats:
            for library in ("cryptopp/[>=8]", "libsodium/[>=1.0.18]", "snappy/[>=1.1]", "zlib/[>=1.2]"):
                self.requires(library)

    def build_requirements(self):
        self.tool_requires("cmake/[>=3.25]")
        if self.options.formats:
            self.test_requires("nlohmann_json/[>=3.11]")

    def layout(self):
        cmake_layout(self)

    def generate(self):
        toolchain = CMakeToolchain(self)
        toolchain.variables["BLOOMERY_FORMATS"] = bool(self.options.formats)
        for part in ("TESTS", "BENCH", "APPS"):
            toolchain.variables[f"BLOOMERY_BUILD_{part}"] = False
        toolchain.generate()
        CMakeDeps(self).generate()
        PkgConfigDeps(self).generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()
        copy(self, "LICENSE", self.source_folder, self.package_folder)

    def package_info(self):
        # The package's own CMake files name the targets bloomery::core and bloomery::bloomery.
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs = ["lib/cmake/bloomery"]
