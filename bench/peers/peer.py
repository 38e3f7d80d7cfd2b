"""peer.py THREADS - runs ken's benchmark cases in PyTorch and, for `answer`, in ONNX Runtime; `ken
bench` is on the other end.

Reads commands from standard input and answers each with one line on standard output:

    (at start)      torch VERSION, N threads; onnxruntime VERSION     the latter if it is there
    CASE ARGS       ready NOTE        the case is prepared and has run at least once
    go N            SECONDS           of one run, the mean of N
    done            free              the case's memory is given back
    anything wrong  error TEXT

While ken runs, this process is blocked in a read.

PyTorch is used the way its documentation recommends for a CPU: eager mode, float32, fused
kernels where they exist (scaled_dot_product_attention, AdamW(fused=True), fused qkv projection),
no_grad for inference, zero_grad(set_to_none=True), the default allocator, as many threads as ken.
Where there is more than one reasonable way, all are tried and the fastest is measured.
"""
import gc
import importlib
import importlib.metadata
import logging
import os
import sys
import time
import warnings

CASES = {"attend", "step", "gpt2", "graph", "answer"}  # each a module of this folder with prepare(args)


def fastest(variants):
    """Name and function of the fastest in {name: function}, without what PyTorch refuses."""
    times = {}
    for name, run in variants.items():
        try:
            run()
            if len(variants) == 1:
                return name, run
            times[name] = min(mean_seconds(run, 1) for _ in range(3))
        except (RuntimeError, NotImplementedError) as error:
            refusal = error
    if not times:
        raise refusal
    name = min(times, key=times.get)
    return name, variants[name]


def mean_seconds(run, repeats):
    if repeats > 1:
        run()  # wakes the threads and warms the caches, as ken does it
    start = time.perf_counter()
    for _ in range(repeats):
        run()
    return (time.perf_counter() - start) / repeats


class Peer:
    def __init__(self):
        self.run = None

    def answer(self, line):
        command, _, arguments = line.partition(" ")
        if command == "go":
            return repr(mean_seconds(self.run, int(arguments or 1)))
        self.run = None
        gc.collect()
        if command == "done":
            return "free"
        if command not in CASES:
            return "error unknown case " + command
        variants = importlib.import_module(command).prepare(arguments)
        note, self.run = fastest(variants)
        return "ready " + note


def onnx_version():
    try:
        return "; onnxruntime " + importlib.metadata.version("onnxruntime")
    except importlib.metadata.PackageNotFoundError:
        return ""


def main():
    # Libraries may print; the protocol keeps the real standard output to itself.
    out = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    sys.dont_write_bytecode = True  # a benchmark leaves nothing behind in the source tree
    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)  # why a variant was refused is of no interest here
    try:
        import torch
    except ImportError as error:
        sys.exit(f"peer.py: {error}")
    torch.set_num_threads(int(sys.argv[1]))
    torch.manual_seed(1)
    print(f"torch {torch.__version__}, {torch.get_num_threads()} threads{onnx_version()}", file=out)
    peer = Peer()
    for line in sys.stdin:
        try:
            print(peer.answer(line.strip()), file=out)
        except Exception as error:  # whatever it is, ken leaves this case out and goes on
            peer.run = None
            text = " ".join(str(error).split()) or type(error).__name__
            print("error " + text[:200], file=out)


if __name__ == "__main__":
    main()
