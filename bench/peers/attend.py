"""attend.py - softmax(q k^T / sqrt(E)) v, alone.

    attend PASS REACH H E LENGTHS      PASS forward|both   REACH all|past   LENGTHS 128 or 12,40,7

One length is a batch of one. Several are a ragged batch, for which PyTorch has no one way: padded
with a mask, a nested tensor (no causal mask on a CPU as of 2.13), and one call per sequence are
tried. Inputs are in the layout of each way from the start: making it is not counted.

q, k, v are (B, T, H, E) in memory and handed over as (B, H, T, E), which is what a fused
projection leaves behind and as fast as a copy in that order.
"""
import torch
import torch.nn.functional as F


def run_of(passes, inputs, attend, upstream):
    """A function that does the work once; `both` means gradients of q, k and v as well."""
    if passes == "forward":
        def forward():
            with torch.no_grad():
                attend(*inputs)
        return forward

    leaves = [x.requires_grad_() for x in inputs]

    def both():
        torch.autograd.grad(attend(*leaves), leaves, upstream)
    return both


def heads(*shape):
    """(B, T, H, E) in memory, seen as (B, H, T, E)."""
    return torch.randn(*shape).transpose(1, 2)


def single(passes, causal, H, E, T):
    inputs = [heads(1, T, H, E) for _ in range(3)]

    def attend(q, k, v):
        return F.scaled_dot_product_attention(q, k, v, is_causal=causal)
    return run_of(passes, inputs, attend, heads(1, T, H, E))


def padded(passes, causal, H, E, lengths):
    B, T = len(lengths), max(lengths)
    inputs = [heads(B, T, H, E) for _ in range(3)]
    real = torch.arange(T)[None, :] < torch.tensor(lengths)[:, None]  # (B, T)
    mask = real[:, None, None, :]
    if causal:
        mask = mask & torch.ones(T, T, dtype=torch.bool).tril()

    def attend(q, k, v):
        return F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
    return run_of(passes, inputs, attend, heads(B, T, H, E) * real[:, None, :, None])


def nested(passes, causal, H, E, lengths):
    def jagged():
        return torch.nested.nested_tensor([torch.randn(T, H, E) for T in lengths],
                                          layout=torch.jagged)
    inputs = [jagged() for _ in range(3)]
    upstream = torch.randn(sum(lengths), H, E)

    def attend(q, k, v):
        return F.scaled_dot_product_attention(q.transpose(1, 2), k.transpose(1, 2),
                                              v.transpose(1, 2), is_causal=causal)

    def attend_values(q, k, v):
        return attend(q, k, v).transpose(1, 2).values()
    return run_of(passes, inputs, attend if passes == "forward" else attend_values, upstream)


def one_by_one(passes, causal, H, E, lengths):
    runs = [single(passes, causal, H, E, T) for T in lengths]

    def all_of_them():
        for run in runs:
            run()
    return all_of_them


def prepare(arguments):
    passes, reach, H, E, lengths = arguments.split()
    lengths = [int(length) for length in lengths.split(",")]
    case = (passes, reach == "past", int(H), int(E))
    if len(lengths) == 1:
        return {"sdpa": single(*case, lengths[0])}
    return {"padded": padded(*case, lengths), "nested": nested(*case, lengths),
            "one by one": one_by_one(*case, lengths)}
