"""Packages of npm for a client under test: exactly those that a package-lock.json names, their checksums verified."""
import os
import shutil
import subprocess

# A registry that is not reached must not hold a test up.
PATIENCE = ["--fetch-retries=1", "--fetch-retry-mintimeout=1000", "--fetch-retry-maxtimeout=2000", "--fetch-timeout=20000"]


def install(package, folder, skip):
    """Copies the package into the folder and installs what it needs; where that cannot be, calls skip with a reason, or with
    CI=true raises it."""
    def give_up(reason):
        if os.environ.get("CI") == "true":
            raise RuntimeError(f"{reason}; with CI=true that is a failure")
        skip(reason)

    for program in ["node", "npm"]:
        if shutil.which(program) is None:
            give_up(f"{program} is not installed")
    for name in ["package.json", "package-lock.json", *(path.name for path in package.glob("*.mjs"))]:
        shutil.copy(package / name, folder)
    run = subprocess.run(["npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts", "--prefer-offline", *PATIENCE],
                         cwd=folder, capture_output=True, text=True, timeout=240)
    if "EINTEGRITY" in run.stderr:
        raise RuntimeError("a package does not have the pinned checksum:\n" + run.stderr)
    if run.returncode != 0:
        give_up("npm could not install the packages:\n" + run.stderr[-2000:])
