$ seq 100 > a.txt && bloomery build -q -o f.bloom --layout counting a.txt && seq 50 | bloomery remove f.bloom
bloomery: f.bloom: 50 records in .* s: 50 removed, 0 were not in it (re)

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
bloomery: f.bloom: 10 records in .* s: 0 removed, 10 were not in it (re)

Only counting filters can.

$ bloomery build -q -o g.bloom a.txt && bloomery remove g.bloom a.txt
bloomery: g.bloom: this kind of filter cannot remove keys: only a counting filter can, for others share their bits
[2]
