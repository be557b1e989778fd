"""The bill of materials of a Debian package and a wheel, both made here: sbom_test.py SOURCE"""
import hashlib
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile

SOURCE = pathlib.Path(sys.argv.pop(1)).resolve()
if shutil.which("dpkg-deb") is None:
    print("skipped: there is no dpkg-deb; the bill of materials is made on Debian")
    sys.exit(77)
LIBRARY = next(path for folder in ("/lib", "/usr/lib") for path in pathlib.Path(folder).glob("*/libz.so.1")).resolve().read_bytes()
WHEEL = "bloomery-0.2.0-cp311-abi3-linux_x86_64.whl"


class Bill(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.dist = pathlib.Path(holder.name) / "dist"
        control = pathlib.Path(holder.name) / "package" / "DEBIAN" / "control"
        control.parent.mkdir(parents=True)
        self.dist.mkdir()
        control.write_text("Package: bloomery\nVersion: 0.2.0\nArchitecture: all\nMaintainer: nobody <n@example.org>\n"
                           "Depends: zlib1g (>= 1), libc6\nDescription: a package\n")
        subprocess.run(["dpkg-deb", "--build", control.parent.parent, self.dist / "bloomery.deb"], check=True,
                       stdout=subprocess.DEVNULL)

    def wheel(self, files):
        with zipfile.ZipFile(self.dist / WHEEL, "w") as archive:
            for name, data in files.items():
                archive.writestr(name, data)

    def make(self):
        return subprocess.run([sys.executable, SOURCE / "tools" / "make_sbom.py", self.dist], capture_output=True, text=True)

    def bill(self):
        done = self.make()
        self.assertEqual(done.returncode, 0, done.stderr)
        bill = json.loads(done.stdout)
        packages = {package["SPDXID"]: package for package in bill["packages"]}
        self.assertEqual(len(packages), len(bill["packages"]), "two packages have one SPDXID")
        for identifier in packages:
            self.assertRegex(identifier, r"^SPDXRef-[A-Za-z0-9.-]+$")
        for relation in bill["relationships"]:
            self.assertIn(relation["relatedSpdxElement"], packages)
            self.assertIn(relation["spdxElementId"], [*packages, "SPDXRef-DOCUMENT"])
        return packages, {(one["spdxElementId"], one["relationshipType"], one["relatedSpdxElement"])
                          for one in bill["relationships"]}

    def test_a_debian_package_and_what_it_depends_on(self):
        packages, relations = self.bill()
        self.assertEqual(set(packages), {"SPDXRef-bloomery", "SPDXRef-zlib1g", "SPDXRef-libc6"})
        self.assertIn(("SPDXRef-bloomery", "DEPENDS_ON", "SPDXRef-zlib1g"), relations)
        self.assertTrue(re.match(r"1:1\.", packages["SPDXRef-zlib1g"]["versionInfo"]), packages["SPDXRef-zlib1g"])

    def test_a_wheel_and_the_libraries_in_it(self):
        self.wheel({"bloomery/__init__.py": "", "bloomery/libs/libz.so.1": LIBRARY, "bloomery/licenses/zlib1g.txt": "text"})
        packages, relations = self.bill()
        wheel, library = packages["SPDXRef-wheel-bloomery"], packages["SPDXRef-wheel-libz.so.1"]
        self.assertEqual((wheel["name"], wheel["versionInfo"], wheel["packageFileName"]), ("bloomery", "0.2.0", WHEEL))
        self.assertEqual(wheel["checksums"][0]["checksumValue"], hashlib.sha256((self.dist / WHEEL).read_bytes()).hexdigest())
        self.assertEqual((library["name"], library["packageFileName"]), ("zlib1g", "bloomery/libs/libz.so.1"))
        self.assertEqual(library["versionInfo"], packages["SPDXRef-zlib1g"]["versionInfo"])
        self.assertEqual(library["checksums"][0]["checksumValue"], hashlib.sha256(LIBRARY).hexdigest())
        self.assertIn(("SPDXRef-wheel-bloomery", "CONTAINS", "SPDXRef-wheel-libz.so.1"), relations)
        self.assertIn(("SPDXRef-DOCUMENT", "DESCRIBES", "SPDXRef-wheel-bloomery"), relations)
        self.assertEqual(self.make().stdout, self.make().stdout)

    def test_a_library_without_its_licence_is_an_error(self):
        self.wheel({"bloomery/libs/libz.so.1": LIBRARY})
        done = self.make()
        self.assertEqual(done.returncode, 1)
        self.assertIn("its licence bloomery/licenses/zlib1g.txt is not in the wheel", done.stderr)


unittest.main(verbosity=0)
