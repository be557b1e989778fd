A new tracker knows nothing of what was before, and says so until its first cycle is over.

$ bloomery track mark --state s --marks-only photos/2024/img.jpg && bloomery track query --state s music
music
bloomery: every path may have changed: the tracker is new

$ bloomery track cycle --state s 2> notes; cat notes
2:[0-9a-f]{16} (re)
bloomery: cycle 2: changes are known completely from cycle 2 on

What changed since is known with every folder above it; a path has many spellings and one meaning.

$ bloomery track mark --state s ./photos//2025/./img.jpg music/old/../new && bloomery track query --state s --since 2 photos photos/2025/ music/new music/old films
photos
photos/2025/
music/new

$ bloomery track query --state s --since 2 films
[1]

$ bloomery track query --state s --since 2 -v films photos
films

$ bloomery track query --state s --since 2 --json photos films
[{"path":"photos","may_have_changed":true},{"path":"films","may_have_changed":false}]

The usual question is asked after a scan began its cycle, and is about the one before.

$ bloomery track cycle -q --state s > /dev/null; bloomery track query --state s photos films
photos

$ bloomery track cycle -q --state s > /dev/null; bloomery track query --state s photos films
[1]

Another cycle of the same number is not believed.

$ bloomery track query --state s --since 4:1234 films
films

$ bloomery track query --state s --since four films
bloomery: --since: a cycle is a number, or the output of `track cycle`, not 'four'
[2]

Paths from stdin may hold newlines, and bytes that are no UTF-8.

$ printf 'odd\nname/x\0\377/y\0' | bloomery track mark --state s -0 - && printf 'odd\nname\0\377\0odd\0' | bloomery track query --state s -0 - | od -An -c | tr -s ' '
 o d d \n n a m e \0 377 \0

$ bloomery track mark --state s --below restored && bloomery track query --state s restored/deep/down restore
restored/deep/down

$ bloomery track status --state s --json | python3 -c 'import json, sys; s = json.load(sys.stdin); print(s["mode"], s["rate"], s["knows_from"], [c["number"] for c in s["cycles"]], s["cycles"][0]["below"], s["cycles"][-1]["everything"])'
adaptive 0.01 2 [4, 3, 2, 1] ['restored'] the tracker is new

$ bloomery track status --state s | tail -4 | cut -c-24
4      ok             6 
3      ok             0 
2      ok             6 
1      everything     - 

A copy on every drive; the newest valid one counts, and a lost one is made anew.

$ bloomery track cycle -q --state d1 --drive d2 --marks-only --rate 0.1% > /dev/null && rm d1/tracker.bloomery && bloomery track mark --state d1 a && bloomery track query --state d1 --since 2 a b && cmp d1/tracker.bloomery d2/tracker.bloomery
a

$ rm d1/tracker.bloomery; printf torn > d2/tracker.bloomery; bloomery track query --state d1 -q b && bloomery track status --state d1 | grep -c -e 'could be read' -e 'problem'
b
4

A drive that lost its folder is made anew, with a word: it may be that it is not mounted. A new drive is no loss.

$ bloomery track mark --state d3 --marks-only --drive d4 a; rm -r d4; bloomery track query --state d3 -q a; bloomery track mark --state d3 b 2>&1 | sed "s|$PWD|.|"; ls d4; bloomery track mark --state d3 c
a
bloomery: warning: ./d4: this folder of a --drive is missing: its copy of the state was lost, or the drive is not mounted. The next save creates it again
tracker.bloomery

$ rm -r d4; bloomery track mark --state d3 --drive d5 d; ls d5; ls d4
tracker.bloomery
ls: cannot access 'd4': No such file or directory
[2]

Numbers do not come again, and a cycle can be looked at.

$ bloomery track cycle --state s --number 3
bloomery: s: cycle 3 cannot begin: the tracker is at 4 already, and numbers do not come again
[2]

$ bloomery track cycle --state s --peek --oldest 2 --json | sed "s/4:[0-9a-f]*/4/"
{"cycle":"4","number":4,"oldest":2,"newest":3,"complete":true,"knows_from":2}

MinIO's file, byte for byte as long as its own.

$ bloomery track mark -q --state m --minio-exact bucket/directory/file.txt && bloomery track cycle -q --state m --minio-exact && bloomery track query --state m --minio-exact bucket/directory nowhere && wc -c < m/.tracker.bin && bloomery inspect --json m/.tracker.bin | grep -c minio-tracker
2
bucket/directory
239713
1

$ bloomery track cycle --state s --minio
bloomery: s: holds an adaptive tracker, not MinIO's
[2]

$ bloomery track query --state nowhere a
bloomery: nowhere: there is no tracker; `track watch` or `track scan` begins one (so do `track mark` and `track cycle`)
[2]

$ bloomery track mark --state new --rate 90% a
bloomery: new: the rate of a cycle is from 0.0001 to 0.25, and not 0.9
[2]

Twenty commands at once wait for one another, and none is lost.

$ for i in $(seq 20); do bloomery track mark --state s together/$i & done; wait; for i in $(seq 20); do bloomery track query --state s --since 4 together/$i; done | wc -l
20

Without a watcher, and without a caller who says that it marks every change, nothing is known.

$ bloomery track mark --state u a; bloomery track cycle --state u --json | sed 's/2:[0-9a-f]*/2/'; bloomery track query --state u --json b; bloomery track query --state u -v b
bloomery: warning: u: the marks are stored, but every path still counts as changed until a watcher runs, or --marks-only promises that every change is marked
{"cycle":"2","number":2,"oldest":2,"newest":1,"complete":false,"knows_from":3,"reason":"no watcher runs with this state, and no caller said with --marks-only that it marks every change"}
[{"path":"b","may_have_changed":true,"reason":"no watcher runs with this state, and no caller said with --marks-only that it marks every change"}]
bloomery: every path may have changed: no watcher runs with this state, and no caller said with --marks-only that it marks every change
bloomery: every path may have changed: no watcher runs with this state, and no caller said with --marks-only that it marks every change
[1]

It is said once; an older copy of the state that was put back is not believed, and neither is a newer version's.

$ bloomery track cycle -q --state k --marks-only > /dev/null; bloomery track cycle -q --state k > /dev/null; bloomery track query --state k b; cp k/tracker.bloomery old; bloomery track mark --state k b; cp old k/tracker.bloomery; bloomery track query --state k b
b
bloomery: every path may have changed: the state is not the one that was saved last: an older copy of it was put back, or a newer one was lost

$ bloomery track status --state k --json | python3 -c 'import json, sys; s = json.load(sys.stdin); print(s["marks_only"], s["coverage"]["proven"], s["coverage"]["by"])'
True False marks

A state, or a cache, that is larger than the memory it may take is left as it is.

$ mkdir limited && bloomery track scan -q limited --state m4 --marks-only > /dev/null && cp -r m4 before
$ bloomery track mark -m 1 --state m4 a
bloomery: m4/tracker.bloomery: longer than the limit of 1 bytes; give more with -m
[4]

$ bloomery track scan -q -m 1 limited --state m4
bloomery: m4/tracker.bloomery: longer than the limit of 1 bytes; give more with -m
[4]

$ bloomery track query -m 1 --state m4 a
bloomery: m4/tracker.bloomery: longer than the limit of 1 bytes; give more with -m
[4]

$ rm m4/lock before/lock; diff -r m4 before && bloomery track scan limited --state m4 2>&1 > /dev/null
bloomery: read 1 of 1 folders .100 %. in [0-9.]* s (re)

$ mkdir limited/{001..200}; bloomery track mark --state m4 --below . && bloomery track scan -q limited --state m4 > /dev/null; bloomery track scan -q -m 2k limited --state m4
bloomery: m4/usage-[0-9a-f]*.bloomery: longer than the limit of 2000 bytes; give more with -m (re)
[4]

$ bloomery track mark -m 1 --state m --minio-exact a
bloomery: m.*longer than the limit of 1 bytes; give more with -m (re)
[4]

The files are for their owner alone.

$ (umask 0; bloomery track scan s --state private -q > /dev/null); stat -c '%a %n' private private/* | sed 's/-[0-9a-f]*/-H/'
700 private
600 private/lock
600 private/tracker.bloomery
600 private/tracker.seal
600 private/usage-H.bloomery
600 private/usage-H.lock
600 private/usage.json

$ mkdir -m 777 open; bloomery track mark --state open --marks-only a
bloomery: warning: open: other users can write to this folder, and so replace the tracker's files; use one of mode 700
