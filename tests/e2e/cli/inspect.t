What a filter is, and how healthy.

$ seq 1000 > thousand.txt && bloomery build -q -o a.bloom -n 1000 -p 1% thousand.txt && bloomery inspect a.bloom | grep -v -e '^$' -e Note
a.bloom
  format           bloomery
  layout           block
  dialect          bloomery-block
  bits             10,752
  probes           8
  memory           1.3 KiB
  designed for     1,000 keys at 1 %
  keys inserted    (99\d|1,000) (re)
  estimated keys   (9\d\d|1,0\d\d) (re)
  fill             53.1 %
  false positives  0.724 %, from its bits
  health           ok
  checksum         ok

The members of --json are a contract.

$ bloomery inspect --json a.bloom | python3 -c 'import json, sys; print(" ".join(json.load(sys.stdin)))'
format layout dialect bits probes bytes keys_inserted estimated_keys fill design_fpr estimated_fpr health sampled checksum layers

$ bloomery inspect --json a.bloom | python3 -c 'import json, sys; d = json.load(sys.stdin); print(d["format"], d["bits"], d["probes"], d["design_fpr"], d["health"], d["sampled"], d["checksum"], d["layers"], 950 < d["estimated_keys"] < 1050)'
bloomery 10752 8 0.01 ok False ok None True

A format that keeps neither its goal nor its keys says so with null.

$ bloomery build -q -o a.guava --format guava -n 1000 thousand.txt && bloomery inspect --json a.guava | python3 -c 'import json, sys; d = json.load(sys.stdin); print(d["format"], d["bits"], d["keys_inserted"], d["design_fpr"], d["checksum"])'
guava 9600 None None none

Then health is judged by --fpr, and without it the text says that there is no goal.

$ bloomery inspect a.guava | grep -e goal -e health; bloomery inspect --fpr 1.2% a.guava | grep -e goal -e health
  health           ok (no goal stored; give one with --fpr)
  goal             1.2 %, from --fpr
  health           ok

$ seq 1700 | bloomery build -q -o over.guava --format guava -n 1000 2> /dev/null; bloomery inspect --strict over.guava > /dev/null; bloomery inspect --fpr 1% over.guava | grep health; bloomery inspect --json --fpr 1% over.guava | grep -o -e '"design_fpr":[0-9.]*' -e '"health":"[a-z-]*"'; bloomery inspect --strict --fpr 1% over.guava > /dev/null
  health           over-design: its false-positive rate is .* times the goal (re)
"design_fpr":0.01
"health":"over-design"
bloomery: over.guava: the filter is over-design; --strict demands a healthy one. Its false-positive rate is .* % (re)
[4]

$ cp a.guava kept.guava; seq 1700 | bloomery add -q --strict --fpr 1% a.guava; cmp a.guava kept.guava; bloomery add --fpr 1% a.guava thousand.txt 2>&1 | grep -c warning; bloomery inspect --fpr 1% a.bloom
bloomery: a.guava: not saved: the filter would be over its design, which --strict forbids
0
bloomery: a.bloom: --fpr: a file of format bloomery stores its goal; leave the option out
[2]

go-bloom's bits mislead: built for 1 %, its false-positive rate is about 5 %, and that is what is reported.

$ bloomery build -q -o go.bin --format go-bloom -n 1000 -p 1% thousand.txt 2> /dev/null; bloomery inspect --json --format go-bloom -n 1000 --fpr 1% go.bin 2>&1 | head -1 | cut -c 1-30
bloomery: unknown option -n

$ bloomery inspect --json --format go-bloom --keys 1000 --fpr 1% go.bin | python3 -c 'import json, sys; d = json.load(sys.stdin); print(0.035 < d["estimated_fpr"] < 0.065, d["health"], d["sampled"])'
True over-design True

--strict refuses what is over its design.

$ bloomery inspect --strict a.bloom > /dev/null

$ seq 3000 | bloomery add -q a.bloom; bloomery inspect --strict a.bloom > /dev/null
bloomery: a.bloom: the filter is over-design; --strict demands a healthy one. Its false-positive rate is .* % (re)
[4]

$ bloomery inspect a.bloom | grep health
  health           over-design: its false-positive rate is .* times its design rate (re)

$ seq 20000 | bloomery add -q a.bloom; bloomery inspect --json a.bloom | grep -o '"health":"saturated"'
"health":"saturated"

Layers of a filter that grew.

$ seq 5000 | bloomery build -q --layout scalable -n 1000 -o grown.bloom && bloomery inspect --json grown.bloom | python3 -c 'import json, sys; d = json.load(sys.stdin); print(d["layout"], len(d["layers"]), d["layers"][0]["probes"])'
scalable 3 8

$ bloomery inspect grown.bloom | grep -c -e '^  layer ' -e '^  [0-9] '
4

Those of RedisBloom count from 1 in the text too; its files count from 0, and so does --json.

$ seq 5000 | bloomery build -q --format redisbloom -n 1000 -o grown.redis 2> /dev/null; bloomery inspect --format redisbloom grown.redis | grep -o -e '^  layer [0-9]'; bloomery inspect --json --format redisbloom grown.redis | grep -o '"name":"layer [0-9]"'
  layer 1
  layer 2
  layer 3
"name":"layer 0"
"name":"layer 1"
"name":"layer 2"

One file at a time.

$ bloomery inspect a.bloom grown.bloom
bloomery: unexpected argument 'grown.bloom'; inspect takes one FILE at a time
Try 'bloomery inspect --help'.
[2]

What is not a filter.

$ bloomery inspect missing.bloom
bloomery: missing.bloom: cannot open: No such file or directory
[2]

$ bloomery inspect thousand.txt 2>&1 | cut -c 1-65
bloomery: thousand.txt: the format is not recognised by the first

$ head -c 200 a.bloom > cut.bloom; bloomery inspect cut.bloom 2> /dev/null
[3]
