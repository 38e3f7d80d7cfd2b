"""lengths.py - writes bench/lengths.c: how long the sentences of the English treebank are.

    python3 bench/lengths.py > bench/lengths.c

Reads $KEN_DATA/pos/en_ewt-ud-train.conllu.gz (default ../shared/data). Only needed to make the
table anew; the committed table stands in for the data.
"""
import gzip
import os

COUNT = 2000


def sentence_lengths(path):
    """Words per sentence: lines with a whole number as id (neither 3-4 nor 8.1)."""
    words = 0
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            if line == "\n":
                yield words
                words = 0
            elif line.split("\t", 1)[0].isdigit():
                words += 1


def main():
    data = os.environ.get("KEN_DATA", "../shared/data")
    lengths = []
    for length in sentence_lengths(os.path.join(data, "pos", "en_ewt-ud-train.conllu.gz")):
        lengths.append(length)
        if len(lengths) == COUNT:
            break
    print("/* lengths.c - words in each of the first 2,000 training sentences of the English Web")
    print(" * Treebank (Universal Dependencies), in their order. Made by lengths.py. */")
    print('#include "bench/sentences.h"')
    print()
    print("/* clang-format off */")
    print("const unsigned char bench_lengths[BENCH_SENTENCES] = {")
    row = "   "
    for length in lengths:
        if len(row) + len(f" {length},") > 99:
            print(row)
            row = "   "
        row += f" {length},"
    print(row)
    print("};")


main()
