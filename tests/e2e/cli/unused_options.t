An option that would not be used is refused, so that no user relies on it.

$ seq 100 > a.txt && bloomery build -q -o f.bloom -n 1000 a.txt && cp f.bloom g.bloom

A filter that exists keeps its size, layout and hash. Options that say what it has already are no mistake: the same
command can run every day.

$ bloomery dedup -q -n 5M --save f.bloom a.txt
bloomery: --keys is for a new filter: f.bloom exists and keeps its parameters; leave the option out, or save to a new file
[2]

$ for option in '-p 1e-6' '--layout classic' '--bits 77' '--probes 3' '--profile aes' '--seed 4' '--growth 3' '--max-layers 2' '--counter-bits 8' '--blocks 8' '--bits-per-key 3'; do bloomery dedup -q $option --save f.bloom a.txt 2>&1 | cut -d: -f2; done
 --fpr is for a new filter
 --layout is for a new filter
 --bits is for a new filter
 --probes is for a new filter
 --profile is for a new filter
 --seed is for a new filter
 --growth is for a new filter
 --max-layers is for a new filter
 --counter-bits is for a new filter
 --blocks is for a new filter
 --bits-per-key is for a new filter

$ cmp f.bloom g.bloom && seq 5 | bloomery dedup -q -n 1000 -p 0.01 --layout block --profile xxh3-64 --seed 0 --save f.bloom

$ bloomery dedup -q --format guava --save f.bloom a.txt 2>&1 | head -c 9; seq 3 | bloomery dedup -q --save new.bloom -n 50 >/dev/null; seq 4 | bloomery dedup -q --save new.bloom -n 50
bloomery:4

$ bloomery dedup --against-format guava a.txt
bloomery: --against-format describes the filters of --against, but none is given
[2]

Sizes that a format or a layout does not use.

$ for options in 'guava --bits 64' 'go-bloom -n 9 -p 1% --bits 64' 'go-bloom -n 9 --probes 3' 'leveldb -p 1% --bits-per-key 10' 'redisbloom -n 9 -p 1% --bits 64' 'parquet -n 9 --blocks 4' 'eventhorizon --bits 64 --probes 3 -n 9' 'ethereum -n 9' 'bits-and-blooms --bits 64 --probes 3 -p 1%' 'dcso --probes 3'; do bloomery build -q -F -o x --format $options a.txt; echo $?; done
bloomery: a filter of format guava is sized by --keys and --fpr; it cannot use --bits
2
bloomery: a filter of format go-bloom is sized by --keys and --fpr, or --bits and --probes; it cannot use --keys --fpr --bits together
2
bloomery: a filter of format go-bloom is sized by --keys and --fpr, or --bits and --probes; it cannot use --keys --probes together
2
bloomery: a filter of format leveldb is sized by --keys with --bits-per-key or --fpr, or --bits and --probes; it cannot use --fpr --bits-per-key together
2
bloomery: a filter of format redisbloom is sized by --keys and --fpr; it cannot use --keys --fpr --bits together
2
bloomery: a filter of format parquet is sized by --keys and --fpr, or --blocks; it cannot use --keys --blocks together
2
bloomery: a filter of format eventhorizon is sized by --bits and --probes; it cannot use --keys --bits --probes together
2
bloomery: a filter of format ethereum is sized by no option: it has 2048 bits and 3 probes; it cannot use --keys
2
bloomery: a filter of format bits-and-blooms is sized by --keys and --fpr, or --bits and --probes; it cannot use --fpr --bits --probes together
2
bloomery: a filter of format dcso is sized by --keys and --fpr; it cannot use --probes
2

$ for options in '--counter-bits 8' '--layout classic --growth 3' '--layout block --max-layers 3' '--layout counting --blocks 4' '--format leveldb --base-lg 9'; do bloomery build -q -F -o x $options a.txt; echo $?; done
bloomery: --counter-bits is an option of layout counting; the layout is block
2
bloomery: --growth is an option of layout scalable; the layout is classic
2
bloomery: --max-layers is an option of layout scalable; the layout is block
2
bloomery: --blocks is an option of layout block; the layout is counting
2
bloomery: --base-lg is an option of format leveldb:block; the format is leveldb
2

$ ls x 2>&1 | grep -c 'No such'; printf secret > s; bloomery build -q -o x --profile siphash --secret-file s --seed 3 a.txt
1
bloomery: --seed: --profile siphash takes its key from --secret-file, not from a seed
[2]

What describes a file without a header is refused for one that has a header.

$ for command in query add remove inspect verify; do bloomery $command --keys 5 g.bloom < a.txt; echo $?; done
bloomery: g.bloom: --keys: a file of format bloomery stores its size; leave the option out
2
bloomery: g.bloom: --keys: a file of format bloomery stores its size; leave the option out
2
bloomery: g.bloom: --keys: a file of format bloomery stores its size; leave the option out
2
bloomery: g.bloom: --keys: a file of format bloomery stores its size; leave the option out
2
bloomery: g.bloom: --keys: a file of format bloomery stores its size; leave the option out
2

$ bloomery compare --bits 64 --probes 3 g.bloom g.bloom; bloomery merge --fpr 1% -o m.bloom g.bloom g.bloom; bloomery fold -p 5% --bits 64 -o m.bloom g.bloom
bloomery: g.bloom: --bits --probes: a file of format bloomery stores its size; leave the option out
bloomery: g.bloom: --fpr: a file of format bloomery stores its size; leave the option out
bloomery: g.bloom: --bits: a file of format bloomery stores its size; leave the option out
[2]

$ bloomery query -c --secret-file s g.bloom a.txt; bloomery inspect --quick g.bloom
bloomery: warning: g.bloom: the filter is not keyed; --secret-file is ignored
100
bloomery: g.bloom: --quick works on LevelDB tables and databases only
[2]

How records are printed, where none is; a format, where no filter is kept; limits of what is not made; and servers that are not queried.

$ for options in '-c --line-number' '-c --label' '--json --label' '--json --line-number'; do bloomery query $options g.bloom a.txt; echo $?; done
bloomery: --line-number formats printed records, but --count prints only their number; leave one of them out
2
bloomery: --label formats printed records, but --count prints only their number; leave one of them out
2
bloomery: --label formats printed records, but --json prints only a summary; leave one of them out
2
bloomery: --line-number formats printed records, but --json prints only a summary; leave one of them out
2

$ for options in '' --exact -c; do bloomery dedup $options --format guava a.txt; echo $?; done; bloomery dedup -q -c --format guava --against g.bloom a.txt
bloomery: --format describes the filter of --save, but none is given
2
bloomery: --format describes the filter of --save, but none is given
2
bloomery: --format describes the filter of --save, but none is given
2
0

$ bloomery size -n 5 -m 1G; bloomery -m 1G size -n 5; bloomery size -n 5 -j 2
bloomery: --memory has no effect: size only computes; leave the option out
bloomery: --memory has no effect: size only computes; leave the option out
bloomery: --threads has no effect: size only computes; leave the option out
[2]

$ bloomery query --redis-password-file s g.bloom a.txt; for command in 'build -o y.bloom' 'add g.bloom' dedup; do bloomery $command --redis-ca-file s a.txt 2>&1 | head -1; done; ls y.bloom 2>&1 | grep -c 'No such'; bloomery query --redis-password-file s redis://127.0.0.1:1/x a.txt 2>&1 | grep -c 'for a filter in a server'
bloomery: --redis-password-file: no redis:// address is given; leave the option out
Try 'bloomery query --help'.
bloomery: --redis-ca-file: no redis:// address is given; leave the option out
bloomery: --redis-ca-file: no redis:// address is given; leave the option out
bloomery: --redis-ca-file: no redis:// address is given; leave the option out
1
0
[1]

$ mkdir tree; bloomery track scan tree --state scans --all --top 3 2>&1 | head -1; bloomery track scan tree --state scans --full --sweep 3 2>&1 | head -1; ls scans 2>&1 | grep -c 'No such'
bloomery: --top cannot be combined with --all
bloomery: --full cannot be combined with --sweep
1
