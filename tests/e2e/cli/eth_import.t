Blocks from pipes and compressed files are those of the file.

$ bloomery eth --help > /dev/null || exit 77; bloomery eth status --db chain 2>&1 | grep -q 'built without' && { echo 'built without the log search'; exit 77; }; cp $GOLDEN/ethereum/chain_blocks.jsonl blocks.jsonl

$ cat blocks.jsonl | bloomery eth import --db a -; bloomery eth import --db b <(cat blocks.jsonl); cat blocks.jsonl | bloomery eth import --db c /dev/stdin; bloomery eth import --db d - < blocks.jsonl
bloomery: 701 blocks stored with 1,280 logs
bloomery: 701 blocks stored with 1,280 logs
bloomery: 701 blocks stored with 1,280 logs
bloomery: 701 blocks stored with 1,280 logs

$ gzip -k blocks.jsonl; zstd -q blocks.jsonl; for name in blocks.jsonl.gz blocks.jsonl.zst; do bloomery eth import --db $name.db $name; cat $name | bloomery eth import --db $name.pipe.db -; done
bloomery: 701 blocks stored with 1,280 logs
bloomery: 701 blocks stored with 1,280 logs
bloomery: 701 blocks stored with 1,280 logs
bloomery: 701 blocks stored with 1,280 logs

$ (head -300 blocks.jsonl | gzip; tail -n +301 blocks.jsonl | gzip) | bloomery eth import --db two -
bloomery: 701 blocks stored with 1,280 logs

A file that was cut is an error that names the line. What came before it stays.

$ head -c 60000 blocks.jsonl.gz > cut.jsonl.gz; bloomery eth import --db cut cut.jsonl.gz
bloomery: \d+ blocks stored with \d+ logs (re)
bloomery: cut.jsonl.gz: line \d+: the gzip data end early; the file is incomplete \(after byte \d+ of the compressed data\) (re)
bloomery: cut: imported up to block \d+; these blocks stay, and a new import skips them (re)
[2]

$ bloomery eth import --db cut blocks.jsonl
bloomery: \d+ blocks stored with .* logs, \d+ were already stored (re)

What holds no blocks is refused.

$ printf 'PAR1\025\004\025\220' > blocks.parquet; bloomery eth import --db e blocks.parquet
bloomery: blocks.parquet: it is a Parquet file, not records; write a column of it as lines first (duckdb -noheader -list -c "SELECT column FROM 'blocks.parquet'" | bloomery eth import --db DIR -)
[2]

A server follows plain files and folders only.

$ mkfifo pipe; bloomery eth serve --db a --listen 127.0.0.1:0 --follow pipe; bloomery eth serve --db a --listen 127.0.0.1:0 --follow blocks.jsonl.gz
bloomery: pipe: only a plain file of JSON lines can be followed, not a pipe or a device; bloomery eth import reads pipes
bloomery: blocks.jsonl.gz: only a plain file of JSON lines can be followed, and it is gzip-compressed; put it into a folder that is followed, or import it
[2]

Hashes of transactions that a source does not have are not made up, with and without an empty list.

$ head -n 16 $GOLDEN/ethereum/chain_blocks.jsonl > whole.jsonl; sed 's/,"txHashes":\[[^]]*\]//' whole.jsonl > none.jsonl; sed 's/"txHashes":\[[^]]*\]/"txHashes":[]/' whole.jsonl > empty.jsonl; for kind in whole none empty; do bloomery eth import -q --db hashes-$kind $kind.jsonl; bloomery eth logs --db hashes-$kind --from 15 --limit 1 | grep -o '"transactionHash":[^,]*'; done
"transactionHash":"0x67dc1f7e2c4625fe8e94522c39d7bb46eb9196fd3d92110ebcb0e7289ef85c5f"
"transactionHash":null
"transactionHash":null

An era1 file that was cut short is named as such, and not by what its last bytes would mean.

$ (printf 'e2\0\0\0\0\0\0'; seq 1 200) > cut.era1; bloomery eth import --db cut-era cut.era1
bloomery: cut.era1: era file: it is cut short or damaged: it does not end in an index of 1 to 8192 blocks; get it again
[3]

Blocks of another chain displace nothing.

$ bloomery eth import --db a $GOLDEN/ethereum/token_blocks.jsonl; bloomery eth import --db a blocks.jsonl
bloomery: block 0 \(0x[0-9a-f]{64}\) would displace block 0 \(0x[0-9a-f]{64}\), the lowest in the folder, with all blocks above it: it is of another chain; import it into another folder \(--db\) (re)
bloomery: 0 blocks stored with 0 logs, 701 were already stored

A folder is made once there is something to put into it.

$ bloomery eth import --db never nowhere.jsonl; echo nonsense > nonsense.jsonl; bloomery eth import --db never nonsense.jsonl; ls -d never 2>&1 | grep -c 'No such file'
bloomery: nowhere.jsonl: cannot open: No such file or directory
bloomery: nonsense.jsonl: .* (re)
1
