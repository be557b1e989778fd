Events of tokens in twelve blocks, decoded.

$ bloomery eth --help > /dev/null || exit 77; bloomery eth status --db chain 2>&1 | grep -q 'built without' && { echo 'built without the log search'; exit 77; }; true

$ cp $GOLDEN/ethereum/erc20_abi.json erc20.json; bloomery eth import --db tokens $GOLDEN/ethereum/token_blocks.jsonl

By the declaration of an event; what is none of it is printed as it is, with the reason.

$ bloomery eth logs --db tokens --event 'Transfer(address indexed from, address indexed to, uint256 value)' | sed 's/.*"blockNumber":\("[^"]*"\).*"removed":false,/\1 /'

$ bloomery eth logs --db tokens --event 'event Transfer(address indexed from, address indexed to, uint256 value);' --on-error skip | wc -l

$ bloomery eth logs --db tokens --abi erc20.json --event Transfer --on-error stop | wc -l; bloomery eth logs --db tokens --abi erc20.json --event Transfer --on-error stop > /dev/null

$ bloomery eth logs -q --db tokens --event 'Transfer(address indexed from, address indexed to, uint256 indexed tokenId)' --event 'Transfer(address indexed from, address indexed to, uint256 value)' --format csv --on-error skip | cut -d, -f1,8-

Values of indexed arguments; the same name means or, another one and.

$ bloomery eth logs -q --db tokens --abi erc20.json --event Transfer --arg from=0xb0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0 --arg to=0xa1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1 --arg to=0xcacacacacacacacacacacacacacacacacacacaca --address 0xc011c011c011c011c011c011c011c011c011c011 | grep -o '"args.*'

$ bloomery eth logs --db tokens --event 'Sale(string indexed shop, string note, (uint32 id, bytes data)[] items, int64 change, bool paid)' --arg shop=Wien | grep -o '"eventName.*'

$ bloomery eth logs --db tokens --event 'Sale(string indexed shop, string note, (uint32 id, bytes data)[] items, int64 change, bool paid)' --arg shop=Linz
[1]

An anonymous event is what has as many topics.

$ bloomery eth logs -q --db tokens --address 0x0dd00dd00dd00dd00dd00dd00dd00dd00dd00dd0 --event 'Seen(bytes32 indexed what, string text) anonymous' | grep -o '"args.*'

An ABI: all its events, those of a name, or of a signature.

$ bloomery eth logs -q --db tokens --abi erc20.json --format csv --on-error skip | tr -d '\r' | cut -d, -f1,8- | sed 's/0x\(....\)[0-9a-f]*/\1/g'

$ bloomery eth logs -q --db tokens --abi erc20.json --event 'Approval(address,address,uint256)' | wc -l

$ echo '{"abi":[{"type":"event","name":"E","inputs":[{"type":"uint7","name":"a"}]}]}' > bad.json; bloomery eth logs --db tokens --abi bad.json

$ bloomery eth logs --db tokens --abi erc20.json --event Mint

$ bloomery eth logs --db tokens --event Mint

$ bloomery eth logs --db tokens --event 'Transfer(adress indexed from)'

$ bloomery eth logs --db tokens --abi erc20.json --event Transfer --arg value=1

$ bloomery eth logs --db tokens --abi erc20.json --event Transfer --arg from=alice

$ bloomery eth logs --db tokens --abi erc20.json --event Transfer --topic 0x00000000000000000000000000000000000000000000000000000000000000ff

$ bloomery eth logs --db tokens --abi erc20.json --event Transfer --topic '*' --topic '*' --limit 1 -q | wc -l

$ bloomery eth logs --db tokens --arg from=0x00

$ bloomery eth logs --db tokens --event 'A(address x)' --event 'B(uint256 x)' --format csv

Tables without an event.

$ bloomery eth logs --db tokens --from 7 --to 7 --format csv | tr -d '\r' | sed 's/0x\(....\)[0-9a-f]*/\1/g'

Files are complete or absent, and not replaced by accident.

$ bloomery eth logs -q --db tokens --abi erc20.json --format parquet -o all.parquet; bloomery eth logs -q --db tokens --abi erc20.json --format parquet -o all.parquet

$ bloomery eth logs -q --db tokens --abi erc20.json --on-error stop --format csv -o stopped.csv; ls stopped.csv 2>&1 | grep -c 'No such file'

$ bloomery build -q --column value -n 100 -o values.bloom all.parquet; printf '1500\n1501\n' | bloomery query -q values.bloom

$ bloomery build -q --column address -n 100 -o contracts.bloom all.parquet; printf 'c011c011c011c011c011c011c011c011c011c011\n1111111111111111111111111111111111111111\n' | bloomery query -q --hex contracts.bloom

$ bloomery eth logs --db tokens --format parquet

$ bloomery eth logs --db tokens --format parquet -o x.parquet --follow

With a checkpoint each run goes on where the last one ended.

$ head -n 6 $GOLDEN/ethereum/token_blocks.jsonl > first.jsonl; bloomery eth import -q --db grows first.jsonl; bloomery eth logs -q --db grows --abi erc20.json --checkpoint state --format csv -o coin.csv; wc -l < coin.csv

$ bloomery eth import -q --db grows $GOLDEN/ethereum/token_blocks.jsonl; bloomery eth logs -q --db grows --abi erc20.json --checkpoint state --format csv -o coin.csv; wc -l < coin.csv

$ bloomery eth logs -q --db grows --abi erc20.json --checkpoint state --format csv -o coin.csv; wc -l < coin.csv

$ bloomery eth logs --db grows --checkpoint state -o coin.csv

$ bloomery eth logs --db grows --follow --to 5

$ bloomery eth logs --db grows --limit 5 --follow

$ bloomery eth logs --db grows --from-rpc http://127.0.0.1:1

$ bloomery eth logs

