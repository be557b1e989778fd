The sample chain of geth: 701 blocks, 1280 logs.

$ bloomery eth --help > /dev/null || exit 77; bloomery eth status --db chain 2>&1 | grep -q 'built without' && { echo 'built without the log search'; exit 77; }; true

$ bloomery eth import --db chain $GOLDEN/ethereum/chain_blocks.jsonl
bloomery: 701 blocks stored with 1,280 logs

Again: nothing to do. What is not a block, and a block that does not fit, are named.

$ bloomery eth import --db chain --format jsonl $GOLDEN/ethereum/chain_blocks.jsonl
bloomery: 0 blocks stored with 0 logs, 701 were there already

$ sed -n 3p $GOLDEN/ethereum/chain_blocks.jsonl > third.jsonl; sed -n 9p $GOLDEN/ethereum/chain_blocks.jsonl > ninth.jsonl; bloomery eth import --db other third.jsonl && bloomery eth import --db other ninth.jsonl

$ bloomery eth import --db other --gaps ninth.jsonl

$ bloomery eth import --db chain --format era1 third.jsonl

Without an index the headers' blooms are tested, with it only the candidates are read.

$ bloomery eth logs --db chain --address 0x79d720b462a1724ea710687caae044404fd675fd --explain > without.jsonl

$ bloomery eth index --db chain --section 128 --confirms 32

$ bloomery eth logs --db chain --address 0x79d720b462a1724ea710687caae044404fd675fd --explain > with.jsonl; cmp with.jsonl without.jsonl && wc -l < with.jsonl

$ bloomery eth index --db chain --section 64

$ bloomery eth logs --db chain --from 0xf --to 15 --address 0x79d720b462a1724ea710687caae044404fd675fd,0x0000000000000000000000000000000000000000

$ bloomery eth logs --db chain --topic '*' --topic 0xd00ecba725a27c4c9f525d66d06d46088d284d9748f4acbdd1f0c3a42bcb0d5e | wc -l

$ bloomery eth logs --db chain --newest-first --limit 2 | cut -d, -f5- | grep -o '"blockNumber":"[^"]*"\|"logIndex":"[^"]*"'

$ bloomery eth logs --db chain --block-hash 0x7f13795a46797466bb65684ad1d06f8e28be5ad26c7b29e7897842cd8f94d177 | wc -l

$ bloomery eth logs --db chain --topic 0x00000000000000000000000000000000000000000000000000000000000000ff

$ bloomery eth logs --db chain --address 0x12

$ bloomery eth logs --db chain --from soon

$ bloomery eth logs --db other | wc -l; bloomery eth logs --db other --skip-missing | wc -l

A node's folder is searched in place and stays as it was.

$ tar -xzf $GOLDEN/ethereum/chaindata_compacted.tar.gz && find chaindata -type f | sort | xargs sha256sum > before; bloomery eth logs --db chaindata --address 0x79d720b462a1724ea710687caae044404fd675fd | cmp - with.jsonl; find chaindata -type f | sort | xargs sha256sum | cmp - before

$ bloomery eth status --db chaindata --json

$ bloomery eth import --db chaindata third.jsonl

$ bloomery eth import --db copy chaindata

$ bloomery eth status --db chain

$ bloomery eth verify --db chain && bloomery eth verify --db chaindata && bloomery eth verify --db chain --repair --json

$ mkdir pebble; touch pebble/OPTIONS-000003 pebble/CURRENT pebble/000004.sst; bloomery eth logs --db pebble

$ bloomery eth logs --db nowhere
