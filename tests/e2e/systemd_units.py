"""The installed units of systemd. Usage: systemd_units.py COMMAND CMAKE BUILD-FOLDER

Installs them under a prefix of its own and checks that they run the command of that prefix; where systemd-analyze is
there, also that systemd understands them and how much they leave open (0 nothing, 10 everything)."""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

MOST_EXPOSED = {"bloomery-eth@.service": 2.0, "bloomery-track@.service": 5.0}


def installed(cmake, build, prefix, destdir=None):
    environment = {"PATH": "/usr/bin:/bin", **({"DESTDIR": destdir} if destdir else {})}
    run = subprocess.run([cmake, "--install", build, "--prefix", prefix, "--component", "units"],
                         capture_output=True, text=True, env=environment)
    assert run.returncode == 0, run.stdout + run.stderr
    folder = pathlib.Path((destdir or "") + prefix) / "lib/systemd/system"
    units = {path.name: path for path in folder.iterdir()}
    assert sorted(units) == sorted(MOST_EXPOSED), units
    return units


def check_names(units, prefix):
    for name, path in units.items():
        text = path.read_text()
        command = re.search(r"^ExecStart=(\S+) (\S+)", text, re.M)
        assert command and command[1] == f"{prefix}/bin/bloomery", f"{name} runs {command and command[0]}"
        assert command[2] == name.split("-")[1].split("@")[0], f"{name} runs {command[0]}"
        assert "@CMAKE" not in text, name


def exposure(path):
    run = subprocess.run(["systemd-analyze", "security", "--offline=true", "--json=short", "--no-pager", str(path)],
                         capture_output=True, text=True)
    if run.returncode != 0 and not run.stdout.startswith("["):
        return None  # too old to judge a unit that is not loaded
    # The JSON has what each setting weighs; the sum is only in the text.
    json.loads(run.stdout)
    run = subprocess.run(["systemd-analyze", "security", "--offline=true", "--no-pager", str(path)],
                         capture_output=True, text=True)
    found = re.search(r"exposure level for \S+: ([0-9.]+)", run.stdout)
    return float(found[1]) if found else None


def main(command, cmake, build):
    with tempfile.TemporaryDirectory(prefix="bloomery-units-") as folder:
        check_names(installed(cmake, build, "/opt/b", destdir=f"{folder}/stage"), "/opt/b")
        prefix = f"{folder}/prefix"
        units = installed(cmake, build, prefix)
        check_names(units, prefix)
        eth = units["bloomery-eth@.service"].read_text()
        for wanted in ("DynamicUser=yes", "NoNewPrivileges=yes", "ProtectSystem=strict", "CapabilityBoundingSet=\n"):
            assert wanted in eth, wanted
        if shutil.which("systemd-analyze") is None:
            print("systemd-analyze is not here: the units were not judged")
            return
        (pathlib.Path(prefix) / "bin").mkdir()
        (pathlib.Path(prefix) / "bin/bloomery").symlink_to(command)
        for name, path in units.items():
            instance = path.with_name(name.replace("@", "@test"))
            shutil.copy(path, instance)
            judged = subprocess.run(["systemd-analyze", "verify", "--man=no", str(instance)], capture_output=True, text=True)
            told = [line for line in judged.stderr.splitlines() if "bloomery" in line]
            assert not told, told
            level = exposure(instance)
            print(f"{name}: exposure {level}")
            assert level is None or level <= MOST_EXPOSED[name], (name, level)


main(*sys.argv[1:4])
print("ok")
