"""Runs every check of the project in order and ends in a count. Called by ./test, which installs the tools."""
import concurrent.futures
import glob
import os
import pathlib
import platform
import shutil
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree

ROOT = pathlib.Path(__file__).resolve().parent.parent
REPORTS = ROOT / "build" / "reports"
QUICK = "--quick" in sys.argv
FULL = "--full" in sys.argv
FUZZ_SECONDS = 120 if FULL else 2
# On an emulated CPU: what depends on the CPU most, and the files of other systems; no statistics.
ARM64_TESTS = ["hash_tests", "layout_tests", "simd_tests", "golden_tests"]
ARM64_FILTER = "-*IsKeptByNineteen*:BlockSizing.TheModel*:BlockSizing.TheExpectedRateAnd*:BlockSizing.MoreKeys*:BlockKernels.AFilterOfMoreThanFour*"
if FULL:
    ARM64_TESTS += ["base_tests", "funnel_tests", "filter_tests", "formats_tests", "typed_filter_tests", "property_tests",
                    "other_char_tests"]
    ARM64_FILTER = "*"
CORES = str(os.cpu_count() or 2)

if FULL:  # the tests that prove more when given minutes
    os.environ["BLOOMERY_FULL"] = "1"

os.environ.setdefault("BLOOMERY_LAUNCHER", shutil.which("ccache") or "")
os.environ.setdefault("CMAKE_CXX_COMPILER_LAUNCHER", os.environ["BLOOMERY_LAUNCHER"])
os.environ.setdefault("CCACHE_BASEDIR", str(ROOT))
os.environ.setdefault("CCACHE_NOHASHDIR", "1")
os.environ.setdefault("CCACHE_DEPEND", "1")  # no preprocessing of its own: a tenth of a build without a cache
os.environ.setdefault("CCACHE_SLOPPINESS", "pch_defines,time_macros,include_file_mtime,include_file_ctime")


class Tally:
    """Counts what passed and failed, and remembers how long things took."""

    def __init__(self):
        self.passed, self.failed, self.skipped = 0, [], 0
        self.times, self.units = [], []

    def step(self, name, command, **options):
        """One command that passes or fails as a whole."""
        print(f"== {name}", flush=True)
        start = time.monotonic()
        code = subprocess.run(command, cwd=ROOT, **options).returncode
        self.note_step(name, time.monotonic() - start, code == 0)
        return code == 0

    def note_step(self, name, seconds, passed):
        self.times.append((seconds, name))
        if passed:
            self.passed += 1
        else:
            print(f"-- FAILED: {name}", flush=True)
            self.failed.append(name)

    def ctest(self, preset, *arguments, folder=".", jobs=CORES):
        """A test suite, or one folder of it: each of its tests counts."""
        print(f"== tests, {preset}", flush=True)
        report = REPORTS / f"{preset}.xml"
        report.unlink(missing_ok=True)
        shutil.rmtree(ROOT / "build" / preset / "cases", ignore_errors=True)
        subprocess.run(["ctest", "--test-dir", f"build/{preset}/{folder}", "-j", jobs, "--output-on-failure", "--progress",
                        "--output-junit", str(report), *arguments], cwd=ROOT, stdout=open(REPORTS / f"{preset}.log", "w"))
        if not report.exists():
            self.failed.append(f"{preset}: ctest wrote no report, see build/reports/{preset}.log")
            return
        cases = ElementTree.parse(report).getroot().findall("testcase")
        if not cases:
            self.failed.append(f"{preset}: no test ran")
        for case in cases:
            name = f"{preset}: {case.get('name')}"
            self.times.append((float(case.get("time") or 0), name))
            if case.get("status") == "run":
                self.count_cases(preset, case.get("name"))
            elif case.get("status") in ("notrun", "disabled"):
                self.skip(name)
            else:
                self.failed.append(name)
                print(f"-- FAILED: {name}\n{case.findtext('system-out')}", flush=True)

    def count_cases(self, preset, name):
        """A program that passed: one, or the cases that its report counts."""
        report = ROOT / "build" / preset / "cases" / f"{name}.xml"
        if not report.exists():
            self.passed += 1
            return
        for case in ElementTree.parse(report).getroot().iter("testcase"):
            if case.find("skipped") is not None or case.get("status") == "notrun":
                self.skip(f"{preset}: {case.get('classname')}.{case.get('name')}")
            else:
                self.passed += 1

    def skip(self, name):
        self.skipped += 1
        print(f"   skipped {name}")

    def note_units(self, preset, since):
        """What the compiler took for each unit that it compiled since then, from ninja's log."""
        log = ROOT / "build" / preset / ".ninja_log"
        for line in log.read_text().splitlines()[1:] if log.exists() else []:
            start, end, changed, name, _ = line.split("\t")
            if name.endswith(".o") and int(changed) > since * 1e9:
                self.units.append(((int(end) - int(start)) / 1000, f"{preset}: {name.replace('CMakeFiles/', '')}"))

    def close(self):
        for title, times in (("tests and steps", self.times), ("units to compile", self.units)):
            print(f"\nThe ten slowest {title}:")
            for seconds, name in sorted(times, reverse=True)[:10]:
                print(f"  {seconds:7.1f} s  {name}")
        for name in self.failed:
            print(f"FAILED {name}")
        print(f"\n{self.passed} passed, {len(self.failed)} failed, {self.skipped} skipped")
        return 1 if self.failed else 0


def build_command(preset, targets):
    more = "ON" if FULL else "OFF"
    programs = (f"-DBLOOMERY_SANITIZE_PROGRAMS={more} -DBLOOMERY_OTHER_CHAR={more} -DBLOOMERY_TEST_TWICE={more} "
                f"-DBLOOMERY_BUILD_BENCH={more}")
    command = f"cmake --preset {preset} {programs} > build/reports/{preset}-configure.log && cmake --build build/{preset} -j {CORES}"
    if targets:
        command += " --target " + " ".join(targets)
    return f"( {command} ) > build/reports/{preset}-build.log 2>&1 || {{ tail -n 60 build/reports/{preset}-build.log; exit 1; }}"


def build(tally, preset, *targets):
    start = time.time()
    passed = tally.step(f"build, {preset}", ["bash", "-c", build_command(preset, targets)])
    tally.note_units(preset, start)
    return passed


class BuildMeanwhile:
    """A build with what the processor has left over while tests wait; finish() waits for the rest of it."""

    def __init__(self, preset, *targets):
        self.preset, self.begun = preset, time.time()
        self.process = subprocess.Popen(["nice", "-n", "15", "bash", "-c", build_command(preset, targets)], cwd=ROOT,
                                        stdin=subprocess.DEVNULL)

    def finish(self, tally):
        name = f"build, {self.preset}"
        print(f"== {name}, begun {time.time() - self.begun:.0f} s ago", flush=True)
        passed = self.process.wait() == 0
        tally.note_step(name, time.time() - self.begun, passed)
        tally.note_units(self.preset, self.begun)
        return passed


def why_not_arm64():
    """Why the library cannot be tested on aarch64 here; None where it can."""
    missing = [tool for tool in ("aarch64-linux-gnu-g++", "qemu-aarch64") if shutil.which(tool) is None]
    if missing:
        return f"there is no {' and no '.join(missing)}"
    if subprocess.run(["tools/arm64_sysroot.sh"], cwd=ROOT).returncode != 0:
        return "its libraries could not be fetched"
    return None


def arm64(tally):
    """The library on an emulated aarch64: a short list of its tests, or with --full all of them."""
    if platform.machine() == "aarch64":
        return  # the dev build is one
    reason = why_not_arm64()
    if reason is not None:
        if os.environ.get("CI") == "true":
            tally.failed.append(f"arm64: {reason}")
        else:
            tally.skip(f"arm64: {reason}")
    elif build(tally, "arm64", *ARM64_TESTS):
        os.environ["GTEST_FILTER"] = ARM64_FILTER
        tally.ctest("arm64", "-R", f"^({'|'.join([*ARM64_TESTS, 'kernel_symbols'])})$")
        del os.environ["GTEST_FILTER"]


def fuzz_one(target):
    """Its exit code, its log and its seconds. The log is shown only where something was found."""
    name = os.path.basename(target)
    work = REPORTS / "corpus" / name
    work.mkdir(parents=True, exist_ok=True)
    seeds = [str(folder) for folder in (ROOT / "tests/fuzz/corpus" / name.removeprefix("fuzz_"),
                                        ROOT / "tests/fuzz/crashes" / name.removeprefix("fuzz_")) if folder.is_dir()]
    log = REPORTS / f"{name}.log"
    start = time.monotonic()
    with open(log, "w") as out:
        code = subprocess.run([target, f"-max_total_time={FUZZ_SECONDS}", "-timeout=10", "-rss_limit_mb=2048",
                               "-malloc_limit_mb=512", f"-artifact_prefix={REPORTS}/", str(work), *seeds],
                              cwd=ROOT, stdout=out, stderr=subprocess.STDOUT).returncode
    return name, code, log, time.monotonic() - start


def missing_programs(targets):
    """What tests/fuzz has a source or a corpus for, and the build no program: a library that is not there drops it."""
    shared = {"format", "ethlog"}  # sources of several programs, which their corpora name
    sources = {path.stem.removeprefix("fuzz_").replace("_", "-") for path in (ROOT / "tests/fuzz").glob("fuzz_*.cc")}
    corpora = {path.name for path in (ROOT / "tests/fuzz/corpus").iterdir()}
    return sorted((sources - shared | corpora) - {os.path.basename(target).removeprefix("fuzz_") for target in targets})


def fuzz(tally):
    targets = [path for path in sorted(glob.glob(str(ROOT / "build/asan/tests/fuzz/fuzz_*")))
               if os.access(path, os.X_OK) and not os.path.isdir(path)]
    print(f"== fuzz, {len(targets)} targets of {FUZZ_SECONDS} s", flush=True)
    tally.failed += [f"fuzz, {name}: build/asan has no program fuzz_{name}" for name in missing_programs(targets)]
    with concurrent.futures.ThreadPoolExecutor(int(CORES)) as pool:
        for name, code, log, seconds in pool.map(fuzz_one, targets):
            tally.times.append((seconds, f"fuzz, {name}"))
            if code == 0:
                tally.passed += 1
            else:
                print(f"-- FAILED: fuzz, {name}\n" + "\n".join(log.read_text(errors="replace").splitlines()[-40:]), flush=True)
                tally.failed.append(f"fuzz, {name}")


def main():
    REPORTS.mkdir(parents=True, exist_ok=True)
    tally = Tally()
    tally.step("layers", [sys.executable, "tools/check_layers.py"])
    tally.step("format", ["bash", "-c", f"git ls-files -z '*.h' '*.cc' | xargs -0 -n 64 -P {CORES} clang-format --dry-run --Werror"])
    if not build(tally, "dev"):
        return tally.close()
    tally.step("documents", [sys.executable, "tools/check_docs.py", "build/dev/apps/cli/bloomery"])
    # Half of their time these tests wait: for servers, clients and clocks. The next build takes what they leave.
    asan = None if QUICK else BuildMeanwhile("asan")
    tally.ctest("dev", *([] if FULL else ["-LE", "full"]), jobs=str(2 * int(CORES)))
    if QUICK:
        return tally.close()
    if asan.finish(tally):
        tally.ctest("asan", "-LE", "full|e2e|slow")
        fuzz(tally)
    if build(tally, "tsan", "concurrency_tests"):
        tally.ctest("tsan", folder="tests/concurrency")
        tally.step("every test file is registered", [sys.executable, "tools/check_tests.py", "build/dev", "build/tsan"])
    arm64(tally)
    if FULL:
        tally.step("tidy", ["bash", "tools/tidy.sh", "--full"])
    return tally.close()


sys.exit(main())
