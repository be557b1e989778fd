"""Prints the bill of materials of a folder of Debian packages as SPDX 2.3: tools/make_sbom.py dist > dist/bloomery.spdx.json

Each package is listed with its checksum, and each library that it depends on with the version on this machine, which is
the one it was built with. The same packages give the same bytes."""
import hashlib
import json
import pathlib
import re
import subprocess
import sys

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


def main():
    version = make_changelog.version()
    date = next(iter(make_changelog.entries()))[1]
    packages, relations = {}, []
    for deb in sorted(pathlib.Path(sys.argv[1]).glob("*.deb")):
        name, built, needed = (run("dpkg-deb", "-f", deb, field).strip() for field in ("Package", "Version", "Depends"))
        packages[name] = {
            "SPDXID": spdx_id(name), "name": name, "versionInfo": built, "packageFileName": deb.name,
            "downloadLocation": "NOASSERTION", "filesAnalyzed": False, "licenseConcluded": "MIT",
            "licenseDeclared": "MIT", "copyrightText": "Copyright (c) 2026 The Bloomery authors",
            "checksums": [{"algorithm": "SHA256", "checksumValue": hashlib.sha256(deb.read_bytes()).hexdigest()}]}
        relations.append(("SPDXRef-DOCUMENT", "DESCRIBES", name))
        relations += [(spdx_id(name), "DEPENDS_ON", library) for library in depends(needed)]
    if not packages:
        sys.exit(f"{sys.argv[1]}: no Debian package; run tools/make_deb first")
    for _, _, library in relations:
        packages.setdefault(library, {
            "SPDXID": spdx_id(library), "name": library, "versionInfo": installed_version(library) or "NOASSERTION",
            "downloadLocation": "NOASSERTION", "filesAnalyzed": False, "licenseConcluded": "NOASSERTION",
            "licenseDeclared": "NOASSERTION", "copyrightText": "NOASSERTION", "supplier": "Organization: Debian"})
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
