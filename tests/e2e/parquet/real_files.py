"""Real Parquet files: the values of a column are in the Bloom filter that its writer stored beside it, and no others were."""
import os
import pathlib
import subprocess
import sys

REAL = pathlib.Path(os.environ.get("BLOOMERY_REAL_DIR", pathlib.Path(__file__).resolve().parents[4] / "shared/real")) / "parquet"
SKIP = 77
# parquet-mr wrote both, with the same 14 strings.
COLUMNS = {"data_index_bloom_encoding_stats.parquet": "String", "data_index_bloom_encoding_with_length.parquet": "String"}


def run(bloomery, *arguments, **more):
    return subprocess.run([bloomery, *arguments], capture_output=True, text=True, timeout=60, **more)


def main():
    bloomery = os.path.abspath(sys.argv[1])
    files = [REAL / name for name in COLUMNS if (REAL / name).exists()]
    if not files:
        print(f"skipped: there are no real Parquet files in {REAL}")
        sys.exit(SKIP)
    wrong = []
    for file in files:
        column = COLUMNS[file.name]
        # The file is the filter and the records: each value must be found, and then it is printed.
        found = run(bloomery, "query", "-q", "--column", column, str(file), str(file))
        absent = run(bloomery, "query", "-q", "-v", "-c", "--column", column, str(file), str(file))
        distinct = run(bloomery, "dedup", "-q", "-c", "--exact", "--column", column, str(file))
        if (found.returncode, len(found.stdout.split("\n")) - 1, absent.stdout, distinct.stdout) != (0, 14, "0\n", "14\n"):
            wrong.append(f"{file}: {found} {absent} {distinct}")
    print("\n".join(wrong) or f"{len(files)} files: each value of the column is in the filter beside it")
    sys.exit(1 if wrong else 0)


main()
