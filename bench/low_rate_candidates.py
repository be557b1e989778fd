#!/usr/bin/env python3
"""Bits per key of layouts for rates below 3e-4, in multiples of the least possible. Computed by models: nothing is built or timed.

usage: bench/low_rate_candidates.py

  one line       8 bits of one block of 512 bits, one in each word of 64: the layout block at such a rate
  1024 bits      bits of two neighbouring lines, one in each word: 16 words of 64 bits or 32 of 32, what costs less; one place
  split pattern  the eight bits of a key in two lines, four words of each: two places
  lines          8 bits in each of two to four lines: the layout lines, with the number that lines_for() takes
  classic        independent bits anywhere

Keys fall on blocks as a Poisson variable. A word with j keys has a given bit set with chance 1 - (63/64)^j, and the words of a
block share j: that is what makes blocks cost bits. Two lines of a key are taken to be different and independent, as
bloomery/layout/block_sizing.cc does. The shapes are for very many keys, without the margin and the rounding of a real filter.
"""
import math

RATES = [1e-4, 1e-6, 1e-9]


def poisson(load):
    """(keys, chance) of a block, of all that matter."""
    spread = 12 * math.sqrt(load) + 40
    first = max(0, int(load - spread))
    for keys in range(first, int(load + spread) + 1):
        yield keys, math.exp(keys * math.log(load) - load - math.lgamma(keys + 1))


def in_block(load, words_asked, words, word_bits):
    """The chance that a bit of each of so many words of one block is set, where a key uses as many of all its words."""
    miss = 1 - words_asked / words / word_bits
    return sum(chance * (1 - miss ** keys) ** words_asked for keys, chance in poisson(load))


def bits_of_blocks(rate, bits, places, words_asked, words):
    """The fewest bits per key that keep the rate: a key sets a bit in words_asked words of a block at each of its places."""
    low, high = 0.01, float(bits)  # keys per block
    for _ in range(60):
        middle = math.sqrt(low * high)
        found = in_block(middle * places, words_asked, words, bits // words) ** places
        low, high = (low, middle) if found > rate else (middle, high)
    return bits / low


def classic(rate):
    return min(-probes / math.log(1 - rate ** (1 / probes)) for probes in range(1, 65))


def lines(rate):
    """lines_for(): the fewest that take at most 1.1 times the bits of classic; else the cheapest."""
    cost = {count: bits_of_blocks(rate, 512, count, 8, 8) for count in (2, 3, 4)}
    for count, bits in cost.items():
        if bits <= 1.1 * classic(rate):
            return count, bits
    return min(cost.items(), key=lambda one: one[1])


def main():
    print("| rate | classic | one line of 512 bits | block of 1024 bits | eight bits over two lines | `lines` |")
    print("|---|---|---|---|---|---|")
    for rate in RATES:
        least = classic(rate)
        count, of_lines = lines(rate)

        def cell(bits):
            return f"{bits:.1f} ({bits / least:.2f})"

        print(f"| {rate:.0e} | {least:.2f} | {cell(bits_of_blocks(rate, 512, 1, 8, 8))} | "
              f"{cell(min(bits_of_blocks(rate, 1024, 1, words, words) for words in (16, 32)))} | {cell(bits_of_blocks(rate, 512, 2, 4, 8))} | "
              f"{cell(of_lines)}, {count} lines |")


main()
