A save replaces the file in one step, keeps its mode, and goes through a link.

$ seq 10 > a.txt && bloomery build -q -o f.bloom -n 100 a.txt && chmod 640 f.bloom && ln -s f.bloom link.bloom && seq 20 | bloomery add -q link.bloom && stat -c '%a %F' f.bloom && readlink link.bloom
640 regular file
f.bloom

$ seq 20 | bloomery query -c f.bloom
20

A folder that is not there is noticed before anything is read.

$ bloomery build -o nowhere/f.bloom a.txt
bloomery: nowhere/f.bloom: cannot write: there is no folder nowhere
[2]

$ bloomery build -F -o /dev/null a.txt 2>&1 | tail -1
bloomery: /dev/null: only a regular file can be replaced

A signal during a save leaves the old file whole and nothing beside it. (A filter of 256 MiB takes long enough
to be interrupted; the last grep finds nothing and says so with 1.)

$ cp f.bloom big.bloom; for try in 1 2 3; do bloomery build -q -F -o big.bloom --bits 2G --probes 1 -m 4Gi a.txt 2>/dev/null & pid=$!; for i in $(seq 2000); do ls -A | grep -q '^\.big\.bloom\.' && break; sleep 0.01; done; kill -TERM $pid; wait $pid; echo $?; cmp f.bloom big.bloom && ls -A | grep -c '^\.big'; done
143
0
143
0
143
0
[1]
