// What the peers in Go have in common: they make a filter from the keys on standard input, ask one,
// and measure one. Built together with one of the files beside it, which says what a filter is.
//
//	make OUT KEYS RATE VARIANT    writes OUT
//	ask VARIANT FILE...           one line for each key, one digit for each FILE: 1 maybe, 0 no
//	--bench                       one line of JSON
//
// A key is a line of hexadecimal digits.
package main

import (
	"bufio"
	"encoding/hex"
	"fmt"
	"math/rand"
	"os"
	"sort"
	"strconv"
	"time"
)

// Keys pass in batches, so that a measurement holds the library's own calls and nothing else.
type filter interface {
	addAll(keys [][]byte)
	testAll(keys [][]byte, answers []bool)
	file() []byte
	bits() int
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
}

func readKeys() [][]byte {
	var keys [][]byte
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		key, err := hex.DecodeString(lines.Text())
		check(err)
		keys = append(keys, key)
	}
	check(lines.Err())
	return keys
}

func makeFilter(out, keys, rate, variant string) {
	n, err := strconv.Atoi(keys)
	check(err)
	p, err := strconv.ParseFloat(rate, 64)
	check(err)
	made := create(n, p, variant)
	made.addAll(readKeys())
	check(os.WriteFile(out, made.file(), 0o644))
}

func askFilters(variant string, paths []string) {
	keys := readKeys()
	answers := make([][]bool, len(paths))
	for i, path := range paths {
		data, err := os.ReadFile(path)
		check(err)
		answers[i] = make([]bool, len(keys))
		open(data, variant).testAll(keys, answers[i])
	}
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	for key := range keys {
		for i := range paths {
			if answers[i][key] {
				out.WriteByte('1')
			} else {
				out.WriteByte('0')
			}
		}
		out.WriteByte('\n')
	}
}

func benchKeys(seed int64, count int) [][]byte {
	bytes := make([]byte, 16*count)
	rand.New(rand.NewSource(seed)).Read(bytes)
	keys := make([][]byte, count)
	for i := range keys {
		keys[i] = bytes[16*i : 16*i+16]
	}
	return keys
}

func countTrue(answers []bool) int {
	count := 0
	for _, answer := range answers {
		if answer {
			count++
		}
	}
	return count
}

func bench() {
	const count = 1000000
	present, absent := benchKeys(1, count), benchKeys(2, count)
	hits, misses := make([]bool, count), make([]bool, count)
	var add, hit, miss []float64
	perKey := func(work func()) float64 {
		start := time.Now()
		work()
		return float64(time.Since(start).Nanoseconds()) / count
	}
	var measured filter
	for i := 0; i < 3; i++ {
		measured = create(count, 0.01, "")
		add = append(add, perKey(func() { measured.addAll(present) }))
		hit = append(hit, perKey(func() { measured.testAll(present, hits) }))
		miss = append(miss, perKey(func() { measured.testAll(absent, misses) }))
	}
	if countTrue(hits) != count {
		check(fmt.Errorf("a key that was added is not contained"))
	}
	for _, times := range [][]float64{add, hit, miss} {
		sort.Float64s(times)
	}
	fmt.Printf("{\"peer\": %q, \"add_ns\": %.2f, \"hit_ns\": %.2f, \"miss_ns\": %.2f, "+
		"\"keys\": %d, \"fpr\": %.6f, \"bits_per_key\": %.3f}\n",
		peerName, add[1], hit[1], miss[1], count,
		float64(countTrue(misses))/count, float64(measured.bits())/count)
}

func main() {
	arguments := os.Args[1:]
	switch {
	case len(arguments) == 5 && arguments[0] == "make":
		makeFilter(arguments[1], arguments[2], arguments[3], arguments[4])
	case len(arguments) > 2 && arguments[0] == "ask":
		askFilters(arguments[1], arguments[2:])
	case len(arguments) == 1 && arguments[0] == "--bench":
		bench()
	default:
		otherCommand(arguments)
	}
}
