Compressed input is recognised by its first bytes, not by its name.

$ seq 1000 > a.txt && gzip -k a.txt && zstd -q a.txt && mv a.txt.gz packed.one && mv a.txt.zst packed.two

$ bloomery build -q -o a.bloom -n 1000 a.txt && bloomery build -q -o b.bloom -n 1000 packed.one && bloomery build -q -o c.bloom -n 1000 < packed.two && cmp a.bloom b.bloom && cmp a.bloom c.bloom

$ bloomery query -c a.bloom packed.one packed.two a.txt
3000

$ cat packed.one packed.one | bloomery query -c a.bloom
2000

$ cat packed.two packed.two | bloomery query -c a.bloom
2000

The number of keys is judged from what is inside.

$ bloomery build -o d.bloom packed.one 2>&1 | head -1 | cut -c 1-40
bloomery: plan: 1000 keys (counted) at 1

Redirected, a file is a file and not a pipe.

$ bloomery build -o e.bloom < a.txt 2>&1 | head -1 | cut -c 1-53
bloomery: plan: 1000 keys (counted) at 1 %: block, 10

$ bloomery build -o e2.bloom < packed.one 2>&1 | head -1 | cut -c 1-53
bloomery: plan: 1000 keys (counted) at 1 %: block, 10

$ bloomery query -c e2.bloom a.txt
1000

Damage is noticed.

$ head -c 1000 packed.one > cut.gz; bloomery query -c a.bloom cut.gz
bloomery: cut.gz: the compressed data end early
[2]

$ (cat packed.one; echo garbage) | bloomery query -q -v a.bloom
bloomery: standard input: the gzip data are broken: other bytes follow them
[2]

A folder is no file.

$ mkdir folder; bloomery query a.bloom folder
bloomery: folder: cannot read: Is a directory
[2]
