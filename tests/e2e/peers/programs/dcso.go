// The library of DCSO bloom behind the commands of peer.go. It has one VARIANT.
package main

import (
	"bytes"
	"fmt"

	"github.com/DCSO/bloom"
)

const peerName = "dcso"

type dcso struct{ *bloom.BloomFilter }

func create(keys int, rate float64, _ string) filter {
	created := bloom.Initialize(uint64(keys), rate)
	return dcso{&created}
}

func open(data []byte, _ string) filter {
	opened, err := bloom.LoadFromBytes(data, false)
	check(err)
	return dcso{opened}
}

func (f dcso) addAll(keys [][]byte) {
	for _, key := range keys {
		f.Add(key)
	}
}

func (f dcso) testAll(keys [][]byte, answers []bool) {
	for i, key := range keys {
		answers[i] = f.Check(key)
	}
}

func (f dcso) file() []byte {
	var out bytes.Buffer
	check(f.Write(&out))
	return out.Bytes()
}

func (f dcso) bits() int { return int(f.NumBits()) }

func otherCommand(arguments []string) { check(fmt.Errorf("unknown command: %q", arguments)) }
