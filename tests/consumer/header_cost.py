"""Prints how long the public headers take to compile beside <unordered_set>, and fails beyond a generous bound.

usage: header_cost.py SOURCE CXX

Each is the least CPU time of five runs with -fsyntax-only: other work on the machine changes it little.
"""
import resource
import subprocess
import sys

HEADERS = [  # the header, and the most it may take as a multiple of <unordered_set>
    ('"bloomery/bloomery.h"', 7),
    ('"bloomery/concurrent_filter.h"', 10),
]


def cpu_seconds(header, source, cxx):
    times = []
    for _ in range(5):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([cxx, "-std=c++20", "-O0", "-fsyntax-only", f"-I{source}", "-x", "c++", "-"],
                       input=f"#include {header}\n", text=True, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        times.append(after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime)
    return min(times)


def main():
    source, cxx = sys.argv[1:]
    unit = cpu_seconds("<unordered_set>", source, cxx)
    print(f"<unordered_set>: {unit:.2f} s")
    slow = []
    for header, most in HEADERS:
        seconds = cpu_seconds(header, source, cxx)
        print(f"{header}: {seconds:.2f} s, {seconds / unit:.1f} times <unordered_set>")
        if seconds > most * unit:
            slow.append(f"{header} takes more than {most} times as long to compile as <unordered_set>")
    sys.exit("\n".join(slow) or 0)


if __name__ == "__main__":
    main()
