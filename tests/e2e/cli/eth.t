The sample chain of geth: 701 blocks, 1280 logs.

$ bloomery eth --help > /dev/null || exit 77; bloomery eth status --db chain 2>&1 | grep -q 'built without' && { echo 'built without the log search'; exit 77; }; true

$ bloomery eth import --db chain $GOLDEN/ethereum/chain_blocks.jsonl
bloomery: 701 blocks stored with 1,280 logs

Again: nothing to do. What is not a block, and a block that does not fit, are named.

$ bloomery eth import --db chain --format jsonl $GOLDEN/ethereum/chain_blocks.jsonl
bloomery: 0 blocks stored with 0 logs, 701 were already stored

$ sed -n 3p $GOLDEN/ethereum/chain_blocks.jsonl > third.jsonl; sed -n 9p $GOLDEN/ethereum/chain_blocks.jsonl > ninth.jsonl; bloomery eth import --db other third.jsonl && bloomery eth import --db other ninth.jsonl
bloomery: 1 block stored with 0 logs
bloomery: block 8: its parent, block 7 \(0x[0-9a-f]{64}\), is neither in the store nor in what was read; import it first, or allow gaps \(--gaps\) (re)
[3]

$ bloomery eth import --db other --gaps ninth.jsonl
bloomery: 1 block stored with 5 logs; 5 are missing between the first and the head

$ bloomery eth import --db chain --format era1 third.jsonl
bloomery: third.jsonl: the file does not begin like one of the format era1; omit --format, and the format is recognised by the first bytes
[2]

Without an index the headers' blooms are tested, with it only the candidates are read.

$ bloomery eth logs --db chain --address 0x79d720b462a1724ea710687caae044404fd675fd --explain 2> said > without.jsonl; grep -v '^time' said; grep -c '^time in ms .*planning .*index .*header blooms .*checking .*reading .*matching' said
range            0 to 700, 701 blocks
by header blooms 701 blocks
read             75 blocks, 0 of them without a match
false positives  0
found            82 logs, complete
1

$ bloomery eth index --db chain --kind bloombits --section 128 --confirms 32
bloomery: 5 sections made; 5 from block 0 on

$ bloomery eth logs --db chain --address 0x79d720b462a1724ea710687caae044404fd675fd --explain 2> said > with.jsonl; grep -v '^time' said; cmp with.jsonl without.jsonl && wc -l < with.jsonl
range            0 to 700, 701 blocks
by bloombits     640 blocks in 5 sections: 15 vectors, 195 bytes read, 67 candidates
directly         5 sections
by header blooms 61 blocks
read             75 blocks, 0 of them without a match
false positives  0
found            82 logs, complete
82

The adaptive index comes before it. It is as large as the set rate demands, and checks its candidates without their receipts.

$ cp -r chain two; bloomery eth index --db two --confirms 32; bloomery eth logs --db two --address 0x79d720b462a1724ea710687caae044404fd675fd --explain 2> said | cmp - without.jsonl; grep -v '^time' said
bloomery: 5 adaptive sections made
range            0 to 700, 701 blocks
by adaptive      640 blocks in 5 sections: 17 vectors, 25284 bytes read, 69 candidates
directly         5 sections
checked          69 candidates by their columns, 2 of them without a match
by header blooms 61 blocks
read             75 blocks, 0 of them without a match
false positives  2
found            82 logs, complete

$ bloomery eth status --db two | sed '1,7d; s/about [0-9.e-]* ms/about T ms/'
  bloombits           640 blocks in sections of 128
    real rate         0.000201 % at 14.44 bytes a block, by 5 sections
  adaptive            640 blocks in 5 sections of 139 to 165 rows, 4 to 5 probes
    version           2, sections of 128 blocks
    size              12.3 KiB, 19.71 bytes a block; columns 146.6 KiB
    real rate         0.465 %, the worst section 0.481 %; measured 0.499 %; set to 0.5 %
  search              an absent address over 701 blocks: about T ms
    by adaptive       640 blocks: 2.98 candidates, 13.4 KiB read, about T ms
    by header blooms  61 blocks: 0.000153 candidates, 30.1 KiB read, about T ms
    cheaper           nothing to do: every section is indexed

$ bloomery eth verify --db two; bloomery eth index --db two --kind both --confirms 0 --fpr 10%; bloomery eth status --db two --json | grep -o '"adaptive".*"column'
701 blocks and 10 sections: 0 problems
bloomery: 0 sections made; 5 from block 0 on
bloomery: 5 adaptive sections made
"adaptive":{"sections":5,"indexed_blocks":640,"sections_of_version_1":0,"rows":[39,48],"probes":[2,2],"keys":4101,"bytes":3920,"bytes_per_block":6.125,"column

$ bloomery eth index --db two --kind bloombits --rate 1%
bloomery: --rate needs the adaptive index: leave --kind out, or add --kind both
[2]

$ bloomery eth index --db chain --section 64
bloomery: chain: the folder has an index in sections of 128 blocks, not 64; leave --section out, or drop the index first (--drop)
[2]

$ bloomery eth logs --db chain --from 0xf --to 15 --address 0x79d720b462a1724ea710687caae044404fd675fd,0x0000000000000000000000000000000000000000 | sed 's/"topics.*"blockNumber/.../'
{"address":"0x79d720b462a1724ea710687caae044404fd675fd",...":"0xf","transactionHash":"0xbc087f4026c120d397681667b94f1fa83f12b4b697d8ccf884de65b37892fbf1","transactionIndex":"0x1","blockHash":"0xa5962f8e92036bfda703e7a2dae11be967e0ad2e8cd907bea42a5f6e388bf193","blockTimestamp":"0x96","logIndex":"0x4","removed":false}

$ bloomery eth logs --db chain --topic '*' --topic 0xd00ecba725a27c4c9f525d66d06d46088d284d9748f4acbdd1f0c3a42bcb0d5e | wc -l
41

$ bloomery eth logs --db chain --newest-first --limit 2 | grep -o '"blockNumber":"[^"]*"\|"logIndex":"[^"]*"'
"blockNumber":"0x2b9"
"logIndex":"0x1"
"blockNumber":"0x2b9"
"logIndex":"0x0"

$ bloomery eth logs --db chain --block-hash 0x7f13795a46797466bb65684ad1d06f8e28be5ad26c7b29e7897842cd8f94d177 | wc -l
1

$ bloomery eth logs --db chain --topic 0x00000000000000000000000000000000000000000000000000000000000000ff
[1]

$ bloomery eth logs --db chain --address 0x12
bloomery: --address: 0x and 40 hexadecimal digits are expected, not '0x12'
[2]

$ bloomery eth logs --db chain --from 20 --to 10
bloomery: --from is after --to: 20 is more than 10; --from is the first block, --to the last
[2]

$ bloomery eth serve --db chain --port 8546
bloomery: unknown option --port; give the address and port with --listen 127.0.0.1:PORT
Try 'bloomery eth serve --help'.
[2]

$ bloomery eth logs --db chain --from soon
bloomery: --from: a block is a number, 0x and hexadecimal digits, earliest, finalized or latest, not 'soon'
[2]

$ bloomery eth logs --db other | wc -l; bloomery eth logs --db other --skip-missing | wc -l
bloomery: other: header not found: blocks 3 to 7 are in the range, but not in the store
0
5

A node's folder is searched in place and stays as it was.

$ tar -xzf $GOLDEN/ethereum/chaindata_compacted.tar.gz && find chaindata -type f | sort | xargs sha256sum > before; bloomery eth logs --db chaindata --address 0x79d720b462a1724ea710687caae044404fd675fd | cmp - with.jsonl; find chaindata -type f | sort | xargs sha256sum | cmp - before

$ bloomery eth status --db chaindata --json | sed 's/,"search":.*/}/'
{"kind":"geth","chain_id":null,"lowest":0,"head":700,"head_hash":"0x3177284502545e3e619ee90ff63125cc9c049ae293560f148f341d9455b914dc","frozen_blocks":100,"bloombits":{"section_size":128,"sections":5,"indexed_blocks":640,"sampled_sections":5,"bytes_per_block":14.4375,"rate":2.0111350750084966e-06}}

$ bloomery eth import --db chaindata third.jsonl
bloomery: chaindata: the folder holds a database of another program, which is never written to; choose another folder
[2]

$ bloomery eth import --db copy chaindata
bloomery: 701 blocks stored with 1,280 logs

$ bloomery eth status --db chain | sed 's/about [0-9.e-]* ms/about T ms/'
  chain               chain
  chain id            1
  blocks              0 to 700
  head                0x3177284502545e3e619ee90ff63125cc9c049ae293560f148f341d9455b914dc
  stored              701
  missing             0
  unverified          0
  bloombits           640 blocks in sections of 128
    real rate         0.000201 % at 14.44 bytes a block, by 5 sections
  adaptive            none
  search              an absent address over 701 blocks: about T ms
    by bloombits      640 blocks: 0.00129 candidates, 21 bytes read, about T ms
    by header blooms  61 blocks: 0.000153 candidates, 30.1 KiB read, about T ms
    cheaper           bloomery eth index --db chain (adaptive sections: 0 of 3)

$ bloomery eth verify --db chain && bloomery eth verify --db chaindata && bloomery eth verify --db chain --repair --json
701 blocks and 5 sections: 0 problems
701 blocks and 5 sections: 0 problems
{"blocks":701,"unverifiable":0,"sections":5,"problems":0,"repaired":0,"told":[]}

$ mkdir pebble; touch pebble/OPTIONS-000003 pebble/CURRENT pebble/000004.sst; bloomery eth logs --db pebble
bloomery: pebble: this is a Pebble database, and only LevelDB databases of geth are read; import from the running node (bloomery eth import --from-rpc http://127.0.0.1:8545), or stop it and export its history to files that are read (geth export-history DIR 0 LAST)
[2]

$ bloomery eth logs --db nowhere
bloomery: nowhere: the folder holds no chain: neither one that was imported nor one of geth
[2]
