// goleveldb behind the commands of peer.go: its filter of ten bits per key (KEYS, RATE and VARIANT
// are not used), and whole databases.
//
//	database DIR    writes the keys on standard input to a new database, compressed with Snappy
//	tables DIR      prints each key of each table: the file's name, a tab, hexadecimal digits
package main

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"path/filepath"

	"github.com/syndtr/goleveldb/leveldb"
	policy "github.com/syndtr/goleveldb/leveldb/filter"
	"github.com/syndtr/goleveldb/leveldb/opt"
	"github.com/syndtr/goleveldb/leveldb/storage"
	"github.com/syndtr/goleveldb/leveldb/table"
	"github.com/syndtr/goleveldb/leveldb/util"
)

const peerName = "goleveldb"

var tenBitsPerKey = policy.NewBloomFilter(10)

type policyFilter struct{ data util.Buffer }

func create(int, float64, string) filter { return &policyFilter{} }

func open(data []byte, _ string) filter {
	return &policyFilter{*util.NewBuffer(data)}
}

func (f *policyFilter) addAll(keys [][]byte) {
	generator := tenBitsPerKey.NewGenerator()
	for _, key := range keys {
		generator.Add(key)
	}
	generator.Generate(&f.data)
}

func (f *policyFilter) testAll(keys [][]byte, answers []bool) {
	data := f.data.Bytes()
	for i, key := range keys {
		answers[i] = tenBitsPerKey.Contains(data, key)
	}
}

func (f *policyFilter) file() []byte { return f.data.Bytes() }

func (f *policyFilter) bits() int { return 8 * (f.data.Len() - 1) }

// Small tables, so that there are several.
func writeDatabase(path string, keys [][]byte) {
	db, err := leveldb.OpenFile(path, &opt.Options{
		Filter:              tenBitsPerKey,
		Compression:         opt.SnappyCompression,
		WriteBuffer:         256 * opt.KiB,
		CompactionTableSize: 256 * opt.KiB,
		ErrorIfExist:        true,
	})
	check(err)
	for i, key := range keys {
		check(db.Put(key, bytes.Repeat([]byte(fmt.Sprintf("value %d ", i)), 10), nil))
	}
	check(db.CompactRange(util.Range{}))
	check(db.Close())
}

func printTables(path string) {
	paths, err := filepath.Glob(filepath.Join(path, "*.ldb"))
	check(err)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	for _, path := range paths {
		data, err := os.ReadFile(path)
		check(err)
		reader, err := table.NewReader(bytes.NewReader(data), int64(len(data)),
			storage.FileDesc{Type: storage.TypeTable}, nil, nil, &opt.Options{})
		check(err)
		stored := reader.NewIterator(nil, nil)
		for stored.Next() {
			key := stored.Key() // ends in eight bytes of sequence and type
			fmt.Fprintf(out, "%s\t%x\n", filepath.Base(path), key[:len(key)-8])
		}
		check(stored.Error())
		stored.Release()
		reader.Release()
	}
}

func otherCommand(arguments []string) {
	switch {
	case len(arguments) == 2 && arguments[0] == "database":
		writeDatabase(arguments[1], readKeys())
	case len(arguments) == 2 && arguments[0] == "tables":
		printTables(arguments[1])
	default:
		check(fmt.Errorf("unknown command: %q", arguments))
	}
}
