// goleveldb's side of live_policies.py: the same keys as policy_tool.cc.
//
//	goleveldb_tool write|read DIR
//
// `read` prints how many keys were lost and how many kilobytes were read for as many absent keys.
package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/syndtr/goleveldb/leveldb"
	"github.com/syndtr/goleveldb/leveldb/filter"
	"github.com/syndtr/goleveldb/leveldb/opt"
	"github.com/syndtr/goleveldb/leveldb/util"
)

const keys = 20000

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func keyOf(i int) []byte { return []byte(fmt.Sprintf("key %d", 1000000+i)) }

func write(db *leveldb.DB) {
	for i := 0; i < keys; i++ {
		key := keyOf(i * 7919 % keys)
		check(db.Put(key, []byte("value of "+string(key)+strings.Repeat(".", 80)), nil))
	}
	check(db.CompactRange(util.Range{}))
}

func read(db *leveldb.DB) {
	lost := 0
	for i := 0; i < keys; i++ {
		if _, err := db.Get(keyOf(i), nil); err != nil {
			lost++
		}
	}
	var before, after leveldb.DBStats
	check(db.Stats(&before))
	for i := 0; i < keys; i++ {
		if _, err := db.Get(append(keyOf(i), " absent"...), nil); err != leveldb.ErrNotFound {
			check(fmt.Errorf("an absent key gave %v", err))
		}
	}
	check(db.Stats(&after))
	fmt.Println(lost, (after.IORead-before.IORead)/1024)
}

func main() {
	db, err := leveldb.OpenFile(os.Args[2], &opt.Options{
		Filter:                 filter.NewBloomFilter(10),
		DisableBlockCache:      true,
		DisableSeeksCompaction: true,
		WriteBuffer:            256 * opt.KiB,
	})
	check(err)
	if os.Args[1] == "write" {
		write(db)
	} else {
		read(db)
	}
	check(db.Close())
}
