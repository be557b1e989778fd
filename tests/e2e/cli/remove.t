$ seq 100 > a.txt && bloomery build -q -o f.bloom --layout counting a.txt && seq 50 | bloomery remove f.bloom
bloomery: f.bloom: 50 records in .* s: 50 removed, 0 were not members (re)

$ bloomery query -c -v f.bloom a.txt
(49|50) (re)

$ seq 51 100 > b.txt && bloomery query -c f.bloom b.txt
50

$ seq 51 100 | bloomery remove -q --json f.bloom | grep -o '"records":50,"selected":50,"dropped":0'
"records":50,"selected":50,"dropped":0

$ bloomery query f.bloom a.txt
[1]

What was never in it is not removed.

$ seq 100000 100009 | bloomery remove f.bloom
bloomery: f.bloom: 10 records in .* s: 0 removed, 10 were not members (re)

Only counting filters can.

$ bloomery build -q -o g.bloom a.txt && bloomery remove g.bloom a.txt
bloomery: g.bloom: this kind of filter cannot remove keys: only a counting or cuckoo filter can, because others share their bits
[2]

A cuckoo filter removes them too, and is asked again as Redis would be.

$ bloomery build -q -o c.dump --format rediscuckoo -n 200 a.txt && stat -c %s c.dump && seq 50 | bloomery remove --format rediscuckoo c.dump
294
bloomery: c.dump: 50 records in .* s: 50 removed, 0 were not members (re)

$ bloomery query --format rediscuckoo -c c.dump a.txt
5[0-9] (re)

A key that is in it twice is removed twice.

$ yes once | head -2 | bloomery build -q -o t.dump --format rediscuckoo -n 100 - && for i in 1 2 3; do echo once | bloomery remove -q --json --format rediscuckoo t.dump | grep -o '"selected":[01]'; done
"selected":1
"selected":1
"selected":0
