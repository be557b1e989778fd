#!/usr/bin/env python3
"""Compiles every source of kernels to PTX, where CUDA's nvcc is found: minutes, so only in a full run."""
import concurrent.futures
import os
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
SKIPPED = 77


def main():
    nvcc = shutil.which("nvcc") or shutil.which("nvcc", path="/usr/local/cuda/bin")
    if not nvcc or not os.environ.get("BLOOMERY_FULL"):
        print("skipped:", "BLOOMERY_FULL is not set" if nvcc else "there is no nvcc")
        return SKIPPED
    sources = sorted((ROOT / "bloomery/gpu/cuda").glob("*.cu"))
    assert len(sources) == 10, sources

    def compiled(source):
        command = [nvcc, "-std=c++20", "-O1", "-arch=sm_90", "--expt-relaxed-constexpr", f"-I{ROOT}", "-ptx", source, "-o", "/dev/null"]
        return source, subprocess.run(command, capture_output=True, text=True)

    wrong = 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for source, done in pool.map(compiled, sources):
            if done.returncode != 0 or "warning" in done.stderr:
                wrong += 1
                print(f"{source.name}:\n{done.stderr}")
    print(f"kernels: {len(sources)} files, {wrong} with errors or warnings")
    return 1 if wrong else 0


sys.exit(main())
