The first scan of a tree reads everything, and says why.

$ mkdir -p tree/photos/2024 tree/photos/2025 tree/music/old 'tree/odd name'; for i in 1 2 3; do head -c ${i}000000 /dev/zero > tree/photos/2024/$i.jpg; done; seq 100000 > tree/music/song; echo 1 > tree/music/old/a; ln tree/music/song tree/music/link; ln -s ../photos tree/music/photos; touch -d '2026-01-02 03:04 UTC' tree/*/*/* tree/*/* tree/* tree; bloomery track scan tree --state s --marks-only 2> notes; sed 's/in [0-9.]* s/in T/' notes
6.8 MiB  ##########  6  2026-01-02 03:04  /.*/tree (re)
5.7 MiB  ########..  3  2026-01-02 03:04  ├── photos
5.7 MiB  ########..  3  2026-01-02 03:04  │   ├── 2024
0 bytes  ..........  0  2026-01-02 03:04  │   └── 2025
1.1 MiB  ##........  3  2026-01-02 03:04  ├── music
2 bytes  ..........  1  2026-01-02 03:04  │   └── old
0 bytes  ..........  0  2026-01-02 03:04  └── odd name
bloomery: read 7 of 7 folders (100 %) in T; the cache was not used: this tree was not scanned before

Then it reads the way to what changed. Its sums are those of `find`: files only, every link, no symbolic link.

$ echo more > tree/music/old/b; bloomery track mark --state s music/old/b; bloomery track scan tree --state s --sweep 0 --top 3 2> notes; sed 's/in [0-9.]* s/in T/' notes
6.8 MiB  ##########  7  20.*  /.*/tree (re)
5.7 MiB  ########..  3  2026-01-02 03:04  └── photos
5.7 MiB  ########..  3  2026-01-02 03:04      └── 2024
bloomery: read 3 of 7 folders (42.9 %) in T, the rest from the cache

$ find tree -type f -printf '%s\n' | awk '{ n++; b += $1 } END { print n, b }'; python3 -c 'import json; u = json.load(open("s/usage.json")); print(u["objects"], u["bytes"], u["folders"], u["complete"], u["scan"]["read"], u["scan"]["from_cache"])'
7 7177797
7 7177797 7 True 3 4

$ bloomery track scan tree --state s -q --json --all --sweep 0 | python3 -c 'import json, sys; u = json.load(sys.stdin); print(*[(f["path"], f["own_objects"], f["own_bytes"], f["objects"]) for f in u["all"]], sep="\n"); print(u["histogram"], u["scan"]["read"])'
('', 0, 0, 7)
('music', 2, 1177790, 4)
('music/old', 2, 7, 2)
('odd name', 0, 0, 0)
('photos', 0, 0, 3)
('photos/2024', 3, 6000000, 3)
('photos/2025', 0, 0, 0)
[{'from': 1, 'below': 16, 'objects': 2}, {'from': 65536, 'below': 1048576, 'objects': 3}, {'from': 1048576, 'below': 16777216, 'objects': 2}] 0

What was not marked is found by the sweep, and by a full scan.

$ echo x > tree/photos/2025/unmarked; for i in 1 2 3 4; do bloomery track scan tree --state s --sweep 4 --json -q; done | python3 -c 'import json, sys; rows = [json.loads(line) for line in sys.stdin]; print([r["scan"]["swept"] for r in rows], sum(r["scan"]["unmarked"] for r in rows), rows[-1]["objects"])'
[2, 2, 2, 1] 1 8

$ echo x > tree/photos/2025/another; bloomery track scan tree --state s --full --json -q | python3 -c 'import json, sys; u = json.load(sys.stdin); print(u["objects"], u["scan"]["read"], u["scan"]["all_read_because"])'
9 7 --full was given

A torn cache, a lost one and a tracker that lost its state mean that everything is read, once.

$ for harm in 'truncate -s -1 s/usage-*.bloomery' 'rm s/usage-*.bloomery' 'rm s/tracker.bloomery'; do eval "$harm"; for i in 1 2; do bloomery track scan tree --state s --marks-only --sweep 0 --json -q; done; done | python3 -c 'import json, sys; print([json.loads(line)["scan"]["read"] for line in sys.stdin])'
[7, 0, 7, 0, 7, 0]

An interruption keeps what was read; the same command goes on.

$ mkdir -p many/{1..30}; timeout -s INT 1 bloomery track scan many --state m --marks-only --rate 20 --top 1 > /dev/null 2> notes; echo $?; tail -1 notes
124
bloomery: interrupted: the folders read so far are kept, and the same command continues from there

$ bloomery track scan many --state m --sweep 0 --json -q | python3 -c 'import json, sys; u = json.load(sys.stdin); s = u["scan"]; print(u["folders"], u["complete"], s["read"] + s["from_cache"], 0 < s["read"] < 31, s["from_cache"] > 0)'
31 True 31 True True

A path that a state knows by another name; a name that is no text; what is no folder.

$ bloomery track scan tree/music --state p --marks-only --prefix bucket/music -q --sweep 0 > /dev/null; bloomery track mark --state p bucket/music/song; bloomery track scan tree/music --state p --prefix bucket/music --sweep 0 --json -q | grep -o '"read":[0-9]*'
"read":1

$ mkdir -p strange/$'\xff\n'; bloomery track scan strange --state s --top 2 -q | tail -1 | sed 's/.*└/└/'; bloomery track scan strange --state s --json -q | python3 -c 'import json, sys; f = json.load(sys.stdin)["largest"][1]; print(ascii(f["path"]), f["path_hex"])'
└── \xff\n
'\ufffd\n' ff0a

$ bloomery track scan nowhere --state s
bloomery: nowhere: is not a folder that can be scanned: No such file or directory
[2]

$ bloomery track scan tree --state s --minio-exact
bloomery: s: holds an adaptive tracker, not MinIO's
[2]

$ bloomery track scan tree --state s --rate 0
bloomery: --rate: a number above 0 is expected, not '0'
Try 'bloomery track scan --help'.
[2]

MinIO's files and MinIO's rules: it looks at a folder when its turn comes, in one of sixteen cycles.

$ bloomery track scan tree --state e --minio-exact -q > /dev/null; for f in music photos "odd name"; do echo x > "tree/$f/late"; done; bloomery track mark --state e --minio-exact music/late photos/late "odd name/late"; for i in $(seq 17); do bloomery track scan tree --state e --minio-exact --json -q; done | python3 -c 'import json, sys; n = [json.loads(line)["objects"] for line in sys.stdin]; print(n[0] < 12, n[-1], n == sorted(n))'
True 12 True

A state that was never watched: every scan reads everything, and says why.

$ mkdir -p r/a r/b; echo 1 > r/a/f; bloomery track scan r --state n --top 1 2> notes > /dev/null; sed 's/in [0-9.]* s/in T/' notes; head -c 1000000 /dev/zero > r/b/big; bloomery track scan r --state n --json -q | python3 -c 'import json, sys; u = json.load(sys.stdin); print(u["bytes"], u["complete"], u["scan"]["from_cache"], u["coverage"])'
bloomery: read 3 of 3 folders (100 %) in T; the cache was not used: this tree was not scanned before
bloomery: warning: n: the next scan reads everything too: no watcher runs with this state, and no caller said with --marks-only that it marks every change
1000002 True 0 {'proven': False, 'by': 'none', 'process': None, 'from': None, 'reason': 'no watcher runs with this state, and no caller said with --marks-only that it marks every change'}

A state that is damaged, a folder that is another one, a fleet's state without its Redis.

$ bloomery track scan r --state q --marks-only -q > /dev/null; truncate -s 50 q/tracker.bloomery; for i in 1 2; do echo $i >> r/a/f; bloomery track scan r --state q --json -q; done | python3 -c 'import json, sys; print(*[(u["bytes"], u["scan"]["read"], u["coverage"]["by"]) for u in map(json.loads, sys.stdin)])'
(1000004, 3, 'none') (1000006, 3, 'none')

$ for i in 1 2; do bloomery track scan r --state q --marks-only -q > /dev/null; done; cp -r r r2; mv r r1; mv r2 r; echo 3 >> r/a/f; bloomery track scan r --state q --json -q | python3 -c 'import json, sys; u = json.load(sys.stdin); print(u["bytes"], u["scan"]["all_read_because"])'
1000008 the folder is another one than the last scan's, under its name

$ printf x > q/fleet.leader; echo 4 >> r/a/f; bloomery track scan r --state q --json -q | python3 -c 'import json, sys; u = json.load(sys.stdin); print(u["bytes"], u["coverage"]["proven"], u["coverage"]["reason"][:35])'; rm q/fleet.leader
1000010 False this state belongs to the fleet of 

Two trees with one state have a result each.

$ bloomery track scan r1 --state q --top 1 2>&1 > /dev/null | grep -o 'contains the result; .*'; python3 -c 'import glob, json; print(*sorted(json.load(open(f))["root"].split("/")[-1] for f in glob.glob("q/usage*.json")))'
contains the result; q/usage.json belongs to another tree
r r1

A state in the tree that it is about is warned of.

$ mkdir -p own/a; bloomery track scan own --state own/s --marks-only 2>&1 > /dev/null | grep -o 'warning: .*lies.*'; bloomery track scan -q own --state own/s 2>&1 > /dev/null
warning: own/s: lies in the scanned tree, and changes with every scan; choose a --state outside of it
