#!/usr/bin/env python3
"""Plots the false-positive rate of a filter as it is filled: docs/images/python-rate.svg. Usage: python_plot.py FILE.svg

The output depends on the version of matplotlib only.
"""
import sys

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as pyplot

from bloomery import Bloom

GOAL_KEYS, GOAL_RATE, STEPS = 10_000, 0.01, 20
ABSENT = [f"absent {i}" for i in range(100_000)]


def main():
    matplotlib.rcParams.update({"svg.hashsalt": "bloomery", "svg.fonttype": "none", "font.size": 11})
    seen, keys, reported, measured = Bloom(GOAL_KEYS, GOAL_RATE), [], [], []
    for step in range(1, STEPS + 1):
        first = (step - 1) * GOAL_KEYS // 10
        seen.update(f"key {i}" for i in range(first, first + GOAL_KEYS // 10))
        keys.append(first + GOAL_KEYS // 10)
        reported.append(100 * seen.health.rate)
        measured.append(100 * seen.count(ABSENT) / len(ABSENT))
    figure, axes = pyplot.subplots(figsize=(7, 3.6))
    axes.axvline(GOAL_KEYS, color="#999999", linewidth=1)
    axes.text(GOAL_KEYS * 1.02, max(measured) * 0.92, "made for 10,000 keys at 1 %", color="#666666")
    axes.plot(keys, reported, color="#1f77b4", label="reported by health.rate")
    axes.plot(keys, measured, "o", color="#d62728", markersize=4, label="measured with 100,000 absent keys")
    axes.set_xlabel("keys inserted")
    axes.set_ylabel("false-positive rate, %")
    axes.set_ylim(bottom=0)
    axes.legend(frameon=False, loc="upper left")
    axes.spines[["top", "right"]].set_visible(False)
    figure.tight_layout()
    figure.savefig(sys.argv[1], metadata={"Date": None})


main()
