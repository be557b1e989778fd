Speed beside the measured rate: a table for people.

$ bloomery bench --seconds 0.5 -n 20k -p 1% > table; head -1 table; grep -c -e '^block, aes ' -e '^block, xxh3-64 ' -e '^block, xxh3 ' -e '^block seeded, aes ' -e '^classic, xxh3 ' table
20,000 keys of 16 bytes at 1 %, ns per key, kernels (baseline|avx2|avx512) (re)
9

The fastest is named, or none is.

$ tail -1 table
(fastest lookups: .* at a time|no winner: the rounds differ by more than 5 %; try again on a quieter machine) (re)

An array for scripts, with the members of the contract; every rate near the one asked for.

$ bloomery bench --seconds 0.5 -n 20k -p 1% --json > rows.json; python3 -c 'import json; rows = json.load(open("rows.json")); print(len(rows), list(rows[0])); print(all(0.005 < row["fpr"] < 0.015 and 8 < row["bits_per_key"] < 12 and row["hit_ns"] > 0 for row in rows), sorted({row["layout"] for row in rows}))'
9 ['name', 'layout', 'keys', 'bits_per_key', 'fpr', 'insert_ns', 'hit_ns', 'miss_ns', 'batch']
True ['block', 'classic']

What cannot be is refused before anything is made.

$ bloomery bench -n 1G -m 1Gi
bloomery: bench: a trial of 1000000000 keys takes .* GiB; --memory allows 1.0+ GiB (re)
[4]

$ bloomery bench -p 1e-15
bloomery: bench: a block filter keeps rates down to 1e-12: take the classic layout for 1e-15
[2]
