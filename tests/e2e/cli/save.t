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

A kill during a save leaves a temporary file, and the next save of the same file removes it.

$ bloomery build -q -F -o big.bloom --bits 2G --probes 1 -m 4Gi a.txt & pid=$!; for i in $(seq 2000); do ls -A | grep -q '^\.big\.bloom\.' && break; sleep 0.01; done; kill -KILL $pid; wait $pid 2>/dev/null; ls -A | grep -c '^\.big'; seq 30 | bloomery add -q big.bloom; ls -A | grep -c '^\.big'; cmp -s f.bloom big.bloom
1
0
[1]

A file beyond the limit of the process is a write that fails, reported like any other.

$ (ulimit -f 100; bloomery build -q -o limited.bloom --bits 10M --probes 1 a.txt; echo $?; seq 100000 | bloomery dedup -q > out.txt; echo $?; cp f.bloom g.bloom; bloomery build -q -F -o g.bloom --bits 10M --probes 1 a.txt); cmp f.bloom g.bloom; ls -A | grep limited
bloomery: limited.bloom: cannot write: File too large
2
bloomery: standard output: cannot write: File too large
2
bloomery: g.bloom: cannot write: File too large
[1]

Other names of a file (hard links) keep the old content, and a warning says so.

$ ln g.bloom second.bloom; seq 101 105 | bloomery add g.bloom 2>&1 | grep warning; cmp -s f.bloom second.bloom && stat -c %h g.bloom second.bloom
bloomery: warning: g.bloom: the file had 1 other name (hard links), which keeps the old content, because a save replaces the file under its own name
1
1

$ ln -f g.bloom second.bloom; ln g.bloom third.bloom; ln -s g.bloom soft.bloom; seq 106 110 | bloomery add soft.bloom 2>&1 | grep -o 'soft.*content'; bloomery build -F -n 100 -o second.bloom a.txt 2>&1 | grep -o 'second.*content'; ln g.bloom fourth.bloom; seq 3 | bloomery add -q g.bloom
soft.bloom: the file had 2 other names (hard links), which keep the old content
second.bloom: the file had 1 other name (hard links), which keeps the old content
