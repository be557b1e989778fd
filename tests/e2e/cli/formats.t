Every format that can be made from keys: built, added to, and asked again by its name.

$ seq 100 > a.txt; seq 101 200 > b.txt; seq 200 > all.txt

$ try() { name=$1; shift; bloomery build -q -o f.bin --format $name -F -n 200 a.txt && bloomery add -q --format $name "$@" f.bin b.txt && bloomery query -c --format $name "$@" f.bin all.txt; }; for name in bloomery guava guava:mitz32 bits-and-blooms bits-and-blooms:json bits-and-blooms:v2.0.0 dcso leveldb redisbloom redisbloom:payload rediscuckoo rediscuckoo:payload; do echo $name $(try $name); done
bloomery 200
guava 200
guava:mitz32 200
bits-and-blooms 200
bits-and-blooms:json 200
bits-and-blooms:v2.0.0 200
dcso 200
leveldb 200
redisbloom 200
redisbloom:payload 200
rediscuckoo 200
rediscuckoo:payload 200

Where the bytes carry a mark, no name is needed.

$ for name in bloomery guava bits-and-blooms bits-and-blooms:json dcso redisbloom:payload rediscuckoo:payload; do bloomery build -q -o f.bin --format $name -F -n 200 a.txt && echo $name $(bloomery query -c f.bin a.txt); done
bloomery 100
guava 100
bits-and-blooms 100
bits-and-blooms:json 100
dcso 100
redisbloom:payload 100
rediscuckoo:payload 100

The shape of those without a header must be given again.

$ for name in eventhorizon eventhorizon:x64; do bloomery build -q -o f.bin --format $name -F --bits 4000 --probes 5 a.txt && echo $name $(bloomery query -c --format $name --bits 4000 --probes 5 f.bin a.txt); done
eventhorizon 100
eventhorizon:x64 100

$ bloomery build -q -o f.bin --format ethereum -F --hex <(echo 0x095e7baea6a6c7c4c2dfeb977efac326af552d87) && stat -c %s f.bin && echo 095e7baea6a6c7c4c2dfeb977efac326af552d87 | bloomery query -c --hex --format ethereum f.bin
256
1

The options of one format.

$ bloomery build -q -o f.bin -F --format leveldb --bits-per-key 20 a.txt && stat -c %s f.bin
251

$ bloomery build -q -o f.bin -F --format dcso -n 200 --data 'made by me' a.txt && tail -c 10 f.bin
made by me

$ for release in 31 33.4; do bloomery build -q -o f.bin -F --format guava --guava-release $release -n 1 -p 0.01 a.txt && od -An -tu1 -N 2 f.bin; done
   1   6
   1   7

$ bloomery build -q -o f.bin -F --format redisbloom --expansion 4 a.txt && bloomery query -c --format redisbloom f.bin a.txt
100

$ for expansion in 0 4; do bloomery build -q -o f.bin -F --format rediscuckoo --expansion $expansion -n 1k a.txt && od -An -tu2 -j 32 -N 6 f.bin; done
     2    20     0
     2    20     4

$ bloomery build -q -o f.bin -F --format rediscuckoo -p 0.1% a.txt 2>&1 | grep -o 'one byte: its false-positive rate is up to 0.0156'
one byte: its false-positive rate is up to 0.0156

What RESTORE takes, from what BF.SCANDUMP gave, and back.

$ bloomery build -q -o f.bin -F --format redisbloom a.txt && bloomery convert -q --format redisbloom --to redisbloom:payload -o p.bin f.bin && bloomery convert -q --to redisbloom -o g.bin p.bin && cmp f.bin g.bin && bloomery verify p.bin
p.bin: ok (redisbloom:payload, checksum and structure)
