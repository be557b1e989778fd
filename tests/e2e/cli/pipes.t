A pipe does not tell how many keys it holds: our own format grows, for others it must be given.

$ seq 100 | bloomery build -o f.bloom 2>&1 | head -1
bloomery: plan: 1,000,000 keys \(a first layer, for a pipe\) at 1 %: scalable, .* of memory \(limit .*\) (re)

$ seq 200 | bloomery query -c f.bloom
100

$ seq 2500000 | bloomery build -q -o grown.bloom && seq 2500000 | bloomery query -c grown.bloom
2500000

$ bloomery inspect --json grown.bloom | python3 -c 'import json, sys; j = json.load(sys.stdin); print(j["layout"], len(j["layers"]), j["health"])'
scalable 2 ok

$ seq 100 | bloomery build -o g.guava --format guava
bloomery: standard input: the number of keys in a pipe is unknown, and a filter of format guava cannot grow; give --keys
[2]

$ seq 100 | bloomery build -o g.bloom --layout counting
bloomery: standard input: the number of keys in a pipe is unknown, and this layout cannot grow; give --keys
[2]

$ seq 100 | bloomery build -q -o g.guava --format guava -n 100 && seq 100 | bloomery query -c g.guava
100

Growth meets the memory limit.

$ seq 3000000 | bloomery build -q -o h.bloom -m 4Mi; echo $?; test -e h.bloom
bloomery: h.bloom: the filter has grown to .* MiB; --memory allows 4.0 MiB (re)
4
[1]

LevelDB's filters are sized by exactly their keys: a pipe is counted too.

$ seq 1000 > a.txt && bloomery build -q -o a.ldb --format leveldb a.txt && seq 1000 | bloomery build -q -o b.ldb --format leveldb && cmp a.ldb b.ldb && stat -c %s a.ldb
1251

A broken pipe ends quietly.

$ bloomery build -q -o m.bloom -n 200k <(seq 200000) && seq 200000 | bloomery query m.bloom 2> message | head -1; cat message
1

$ seq 200000 > many.txt; (trap '' PIPE; bloomery query m.bloom many.txt 2> message | head -1); cat message
1

A full disk behind stdout is reported.

$ bloomery query m.bloom many.txt > /dev/full
bloomery: standard output: cannot write: No space left on device
[2]

$ bloomery query -c m.bloom many.txt > /dev/full
bloomery: standard output: cannot write: No space left on device
[2]

So it is when the command did other work after its output failed.

$ mkdir tree; bloomery track scan -q tree --state state > /dev/full
bloomery: standard output: cannot write: No space left on device
[2]

$ bloomery track scan -q --json tree --state state > /dev/full
bloomery: standard output: cannot write: No space left on device
[2]

Answers arrive as soon as their records do.

$ mkfifo in out; bloomery query m.bloom < in > out & exec 3> in 4< out; echo 7 >&3; read -t 20 answer <&4; echo "got $answer"; exec 3>&-; wait
got 7
