#!/usr/bin/env python3
"""golden.py [FOLDER] - writes the golden vectors of tests/golden/ with PyTorch.

Run it with any Python that has PyTorch 2.4 or newer, from the root of the tree:

    python tools/golden.py

The files are committed; this script is needed only to add a case. tests/layer/test_golden*.c read them
and check that ken's operations and layers give the same results and gradients.

Inputs and weights are float32; PyTorch computes in float64 and the results are rounded once, so a
difference is ken's alone. Everything is drawn from one seed: the same PyTorch writes the same
bytes. PyTorch gets the sequences one by one, ken gets them as one ragged batch.

A file is the eight bytes "kengold1" followed by arrays until its end, all numbers little-endian:

    uint32   length of the name
    bytes    the name, without a final 0
    uint32   rows
    uint32   columns
    float32  rows * columns numbers, row by row (ids and lengths are numbers as well)

Names: a result is CASE.out, its upstream gradient is given as an input, the gradient of an input
or weight x is CASE.d.x. Inputs and weights that several cases share have no case in their name.
Arrays have ken's layouts and weights ken's names, e.g. "attention.project.weight".
"""
import os
import sys

sys.dont_write_bytecode = True

from golden_cases import attention, layers, models, operations, rivals  # noqa: E402

FILES = [attention.attention, layers.multihead, layers.blocks, operations.dense,
         operations.recurrent, operations.convolution, operations.losses, operations.optimiser,
         models.models, rivals.rivals]


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else "tests/golden"
    os.makedirs(folder, exist_ok=True)
    for make in FILES:
        make().write(folder)


if __name__ == "__main__":
    main()
