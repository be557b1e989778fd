What a path means to `track mark` and `track query` where no tree is watched.

$ mkdir -p r/a r/b && echo 1 > r/a/f && bloomery track scan -q r --state s --marks-only > /dev/null && bloomery track scan r --state s 2>&1 > /dev/null | sed 's/ in .* s,/,/'
bloomery: read 1 of 3 folders (33.3 %), the rest from the cache

An absolute path is looked up in the trees that were scanned: the mark is found by the next scan.

$ echo 22 > r/a/f; bloomery track mark --state s $PWD/r/a/f && bloomery track query --state s a b $PWD/r/a $PWD/r/b | sed "s|$PWD|.|"; bloomery track scan --json -q r --state s | python3 -c 'import json, sys; u = json.load(sys.stdin); print(u["bytes"], u["coverage"]["proven"])'
a
./r/a
3 True

It may be reached through a symbolic link, or be gone.

$ ln -s r alias; rm r/a/f; bloomery track mark --state s $PWD/alias/a/f && bloomery track scan --json -q r --state s | python3 -c 'import json, sys; print(json.load(sys.stdin)["bytes"])'
0

A tree that was given a name among the marks has it here too; a path that lies in two trees is marked in both.

$ bloomery track scan -q r/b --state s --prefix bucket > /dev/null; bloomery track cycle -q --state s > /dev/null; bloomery track mark --state s $PWD/r/b/new && bloomery track query --state s --since 5 b/new bucket/new new
b/new
bucket/new

What lies in none of the trees is refused, because it would name another path; the others are marked.

$ bloomery track mark --state s /elsewhere/x c/y $PWD/r2 2>&1 | sed "s|$PWD|.|g"; bloomery track query --state s --since 5 c/y elsewhere/x
bloomery: /elsewhere/x: lies in no tree that was scanned with this state (./r, ./r/b); give a path relative to the scanned folder
c/y

$ bloomery track mark --state s /elsewhere/x 2> /dev/null
[2]

$ bloomery track query --state s /
bloomery: /: lies in no tree that was scanned .* (re)
[2]

$ bloomery track mark --state unscanned --marks-only /photos/x
bloomery: /photos/x: an absolute path, and no tree is known: none was scanned with this state; give the path relative to the folder that is scanned
[2]

A refused path begins no state.

$ test -e unscanned; echo "exit $?"
exit 1

So is what leads out of the tree, or names nothing.

$ bloomery track mark --state s ..
bloomery: ..: leads out of the tree; give the path relative to its root
[2]

$ bloomery track query --state s a/../../r/a
bloomery: a/../../r/a: leads out of the tree; give the path relative to its root
[2]

$ bloomery track mark --state s ""
bloomery: an empty path names nothing; the root of the marks is .
[2]

$ printf 'd\n\ne\n' | bloomery track mark --state s -; bloomery track query --state s --since 5 d e
bloomery: an empty path names nothing; the root of the marks is .
d
e

$ bloomery track mark --state s . a/..

A path that names nothing in the scanned tree is marked, with a note: it may begin with the name of the tree.

$ bloomery track mark --state s r/a/f; bloomery track mark -q --state s r/a/f; bloomery track mark --state s a/gone .
bloomery: note: r/a/f: neither it nor its folder exists in the scanned tree; paths are relative to the folder that is scanned

A list whose lines end in CR LF, or that begins with a byte order mark, means its paths with and without them.

$ bloomery track cycle -q --state t --marks-only > /dev/null; printf '\357\273\277p/1\r\np/2\r\n' | bloomery track mark --state t -
bloomery: warning: standard input: a line ends in CR, or the first begins with a UTF-8 byte order mark: the path counts with it and without it; -0 takes paths as they are

$ bloomery track query --state t --since 2 p/1 p/2 p/3 $'p/2\r' $'\357\273\277p/1' | od -An -c | tr -s ' '
 p / 1 \n p / 2 \n p / 2 \r \n 357 273 277
 p / 1 \n

$ printf 'p/2\r\np/3\r\n' | bloomery track query -q --state t --since 2 - | od -An -c
   p   /   2  \r  \n

$ printf '\357\273\277p/3\np/4\n' | bloomery track query --state t --since 2 -
bloomery: warning: standard input: a line ends in CR, or the first begins with .* (re)
[1]

With -0 nothing is read into them.

$ printf 'p/5\r\0' | bloomery track mark --state t -0 - && bloomery track query --state t --since 2 p/5
[1]
