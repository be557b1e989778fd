The first lines of every help are examples.

$ for command in build add query remove; do bloomery $command --help | head -2; done
Examples:
  bloomery build -o seen.bloom urls.txt .* (re)
Examples:
  bloomery add seen.bloom today.txt .* (re)
Examples:
  bloomery query seen.bloom new.txt .* (re)
Examples:
  bloomery remove live.bloom expired.txt .* (re)

$ bloomery --version
bloomery \d+\.\d+\.\d+ (re)

$ bloomery --help | head -1
Examples:

A near miss is pointed out: of a command, of one in a group, of an option.

$ bloomery qeury f.bloom; bloomery logs --db chain; bloomery query --invret f.bloom
bloomery: unknown command 'qeury'; did you mean `query`?
Try 'bloomery --help'.
bloomery: unknown command 'logs'; did you mean `eth logs`?
Try 'bloomery --help'.
bloomery: unknown option --invret; did you mean `--invert`?
Try 'bloomery query --help'.
[2]

help shows the help of a command, and pages on topics.

$ bloomery help query > a; bloomery query --help > b; cmp a b; bloomery help eth logs > a; bloomery eth logs --help > b; cmp a b; bloomery help | grep -A5 '^Topics' | awk '{ print $1 }'
Topics
exit-codes
formats
keys
redis
units

$ for topic in exit-codes formats keys redis units; do bloomery help $topic | head -1; done; bloomery help unit
Exit codes
Filter formats
From records to keys
Filters in a Redis server
Numbers and units
bloomery: there is no help on 'unit'; did you mean `units`?
Try 'bloomery help'.
[2]

The formats, as a table and as JSON.

$ bloomery formats | head -2 | tr -s ' '; bloomery formats --json | python3 -c 'import json, sys; rows = json.load(sys.stdin); print(len(rows), *rows[0], sep=" "); print([r["name"] for r in rows if not r["build"]])'
format system files recognised build query
bloomery Bloomery *.bloom yes yes yes
19 name system files recognized read write build query
['minio-tracker']

Global options stand before the command or after it.

$ seq 5 > a.txt; bloomery -q --json build -o f.bloom a.txt > before; bloomery build -F -o f.bloom a.txt -q --json > after; cut -c 1-14 before after
{"records":5,"
{"records":5,"

Colours appear on request, and not in a pipe.

$ bloomery --color always query missing.bloom a.txt 2>&1 | od -An -c | head -1 | grep -c 033
1

$ bloomery query missing.bloom a.txt 2>&1 | od -An -c | grep -c 033
0
[1]

A terminal on stdin and no file: the short help. (script gives the command a terminal.)

$ script -qec true /dev/null < /dev/null > /dev/null 2>&1 || { echo 'script(1) gives no terminal here'; exit 77; }

$ script -qec 'bloomery query f.bloom' /dev/null < /dev/null | tr -d '\r' | grep -c -e '^Examples:' -e '^Usage: bloomery query' -e "^Try 'bloomery query --help'"
3

$ script -qec 'bloomery build -o g.bloom' /dev/null < /dev/null > /dev/null
[2]

Nor on a terminal where NO_COLOR forbids them.

$ NO_COLOR=1 script -qec 'bloomery query missing.bloom a.txt' /dev/null < /dev/null | od -An -c | grep -c 033
0
[1]
