"""vectors.py - a file of golden vectors, and what all cases use."""
import os
import struct

import torch

torch.set_default_dtype(torch.float64)

LENGTHS = [4, 0, 1, 3]  # of the sequences in most files


class Golden:
    """One file of named matrices; the format is described in golden.py."""

    def __init__(self, name):
        self.name = name
        self.arrays = {}
        torch.manual_seed(20170612)

    def put(self, name, array):
        array = torch.as_tensor(array, dtype=torch.float64).detach()
        if array.dim() < 2:
            array = array.reshape(1, -1)
        assert name not in self.arrays and array.dim() == 2, name
        self.arrays[name] = array.float().contiguous()

    def draw(self, name, rows, cols, spread=1.0, mean=0.0):
        """A random input, stored, that wants a gradient."""
        array = rounded(mean + spread * torch.randn(rows, cols))
        self.put(name, array)
        return array.requires_grad_()

    def results(self, case, out, dout, **leaves):
        """Stores a result, and the gradients of `leaves` for the upstream gradient `dout`."""
        self.put(case + ".out", out)
        gradients = torch.autograd.grad(out, list(leaves.values()), dout)
        for name, gradient in zip(leaves, gradients):
            self.put(f"{case}.d.{name}", gradient)

    def write(self, folder):
        path = os.path.join(folder, self.name + ".golden")
        with open(path, "wb") as file:
            file.write(b"kengold1")
            for name, array in self.arrays.items():
                file.write(struct.pack("<I", len(name)) + name.encode())
                file.write(struct.pack("<II", *array.shape))
                file.write(array.numpy().astype("<f4").tobytes())
        print(f"{path}: {len(self.arrays)} arrays, {os.path.getsize(path)} bytes")


def rounded(array):
    """The nearest numbers that ken can hold."""
    return array.float().double()


def each(x, lengths):
    """The sequences of a ragged batch."""
    return torch.split(x, lengths)
