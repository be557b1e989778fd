"""Prints the bill of materials of a folder of packages as SPDX 2.3: tools/make_sbom.py dist > dist/bloomery.spdx.json

Each Debian package is listed with its checksum, and each library that it depends on with the version on this machine,
which is the one it was built with. A wheel is listed with the libraries that it contains, each with its own checksum. The
same packages give the same bytes."""
import hashlib
import json
import pathlib
import re
import subprocess
import sys
import zipfile

import make_changelog


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def spdx_id(name):
    return "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", name)


def installed_version(package):
    found = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", package], capture_output=True, text=True)
    return found.stdout if found.returncode == 0 and found.stdout else None


def depends(field):
    """Names of the first alternatives in a Depends field."""
    return [re.match(r"\s*([a-z0-9.+-]+)", part).group(1) for part in field.split(",") if part.strip()]


def owner(library):
    """The Debian package that a copied library came from."""
    found = subprocess.run(["dpkg-query", "-S", f"*/{library}"], capture_output=True, text=True).stdout
    return found.split(":")[0] if found else None


def sha256(data):
    return [{"algorithm": "SHA256", "checksumValue": hashlib.sha256(data).hexdigest()}]


def ours(name, version, file):
    return {"SPDXID": spdx_id(name), "name": name, "versionInfo": version, "packageFileName": file.name,
            "downloadLocation": "NOASSERTION", "filesAnalyzed": False, "licenseConcluded": "MIT",
            "licenseDeclared": "MIT", "copyrightText": "Copyright (c) 2026 The Bloomery authors",
            "checksums": sha256(file.read_bytes())}


def theirs(name, spdx, version):
    return {"SPDXID": spdx_id(spdx), "name": name, "versionInfo": version or "NOASSERTION",
            "downloadLocation": "NOASSERTION", "filesAnalyzed": False, "licenseConcluded": "NOASSERTION",
            "licenseDeclared": "NOASSERTION", "copyrightText": "NOASSERTION", "supplier": "Organization: Debian"}


def contents(wheel):
    """A package per library in the wheel."""
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        for name in sorted(names):
            if not re.fullmatch(r"bloomery/libs/[^/]+", name):
                continue
            library = name.rpartition("/")[2]
            package = owner(library)
            text = f"bloomery/licenses/{package}.txt"
            if package is None or text not in names:
                sys.exit(f"{wheel}: {name}: " + ("no Debian package owns it, so its version is not known"
                                                 if package is None else f"its licence {text} is not in the wheel"))
            yield {**theirs(package, f"wheel-{library}", installed_version(package)), "packageFileName": name,
                   "checksums": sha256(archive.read(name)), "licenseComments": f"{text} in the wheel"}


def main():
    version = make_changelog.version()
    date = next(iter(make_changelog.entries()))[1]
    packages, relations = {}, []
    for deb in sorted(pathlib.Path(sys.argv[1]).glob("*.deb")):
        name, built, needed = (run("dpkg-deb", "-f", deb, field).strip() for field in ("Package", "Version", "Depends"))
        packages[name] = ours(name, built, deb)
        relations.append(("SPDXRef-DOCUMENT", "DESCRIBES", name))
        relations += [(spdx_id(name), "DEPENDS_ON", library) for library in depends(needed)]
    if not packages:
        sys.exit(f"{sys.argv[1]}: no Debian package; run tools/make_deb first")
    for _, _, library in relations:
        packages.setdefault(library, theirs(library, library, installed_version(library)))
    for wheel in sorted(pathlib.Path(sys.argv[1]).glob("*.whl")):
        name = f"wheel-{wheel.name.split('-')[0]}"
        packages[name] = {**ours(name, wheel.name.split("-")[1], wheel), "name": wheel.name.split("-")[0]}
        relations.append(("SPDXRef-DOCUMENT", "DESCRIBES", name))
        for library in contents(wheel):
            packages[library["SPDXID"].removeprefix("SPDXRef-")] = library
            relations.append((spdx_id(name), "CONTAINS", library["SPDXID"].removeprefix("SPDXRef-")))
    seen = hashlib.sha256("".join(sorted(json.dumps(package, sort_keys=True) for package in packages.values())).encode())
    print(json.dumps({
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"bloomery-{version}", "documentNamespace": f"https://bloomery.invalid/spdx/{version}/{seen.hexdigest()}",
        "creationInfo": {"created": f"{date}T12:00:00Z", "creators": ["Tool: tools/make_sbom.py"]},
        "packages": [packages[name] for name in sorted(packages)],
        "relationships": [{"spdxElementId": source, "relationshipType": kind, "relatedSpdxElement": spdx_id(target)}
                          for source, kind, target in relations]}, indent=1))


if __name__ == "__main__":
    main()
