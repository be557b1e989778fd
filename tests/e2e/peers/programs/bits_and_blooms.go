// bits-and-blooms/bloom behind the commands of peer.go. VARIANT is binary or json.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/bits-and-blooms/bloom"
)

const peerName = "bits-and-blooms"

type bitsAndBlooms struct {
	*bloom.BloomFilter
	variant string
}

func create(keys int, rate float64, variant string) filter {
	return bitsAndBlooms{bloom.NewWithEstimates(uint(keys), rate), variant}
}

func open(data []byte, variant string) filter {
	opened := bitsAndBlooms{&bloom.BloomFilter{}, variant}
	if variant == "json" {
		check(json.Unmarshal(data, opened.BloomFilter))
	} else {
		_, err := opened.ReadFrom(bytes.NewReader(data))
		check(err)
	}
	return opened
}

func (f bitsAndBlooms) addAll(keys [][]byte) {
	for _, key := range keys {
		f.Add(key)
	}
}

func (f bitsAndBlooms) testAll(keys [][]byte, answers []bool) {
	for i, key := range keys {
		answers[i] = f.Test(key)
	}
}

func (f bitsAndBlooms) file() []byte {
	if f.variant == "json" {
		text, err := json.Marshal(f.BloomFilter)
		check(err)
		return text
	}
	var out bytes.Buffer
	_, err := f.WriteTo(&out)
	check(err)
	return out.Bytes()
}

func (f bitsAndBlooms) bits() int { return int(f.Cap()) }

func otherCommand(arguments []string) { check(fmt.Errorf("unknown command: %q", arguments)) }
