"""layers.py - PyTorch's layers with ken's names of their weights: multi-head attention and the
blocks of encoder and decoder; and a block as newer models have it, by formula."""
import math

import torch
import torch.nn.functional as F
from torch import nn

from .attention import attend, distances, heads_of
from .vectors import LENGTHS, Golden, each, rounded


def draw_weights(module, spread):
    """float32 weights; gains around 1."""
    for name, p in module.named_parameters():
        gain = "norm" in name and name.endswith("weight")
        p.data = rounded((1 if gain else 0) + spread * torch.randn(p.shape))


# The functions *_names give {ken's name: (PyTorch's parameter, first row, end)}.


def plain_names(name, module, weight="weight"):
    return {f"{name}.{weight}": (module.weight, 0, len(module.weight)),
            f"{name}.bias": (module.bias, 0, len(module.bias))}


def multihead_names(name, module, cross):
    D = module.embed_dim
    parts = [("project", 0, D), ("remember", D, 3 * D)] if cross else [("project", 0, 3 * D)]
    names = plain_names(f"{name}.out", module.out_proj)
    for part, first, end in parts:
        names[f"{name}.{part}.weight"] = (module.in_proj_weight, first, end)
        names[f"{name}.{part}.bias"] = (module.in_proj_bias, first, end)
    return names


def block_names(layer, decoder):
    names = multihead_names("attention", layer.self_attn, False)
    norms = ["norm_attention", "norm_forward"]
    if decoder:
        names |= multihead_names("cross", layer.multihead_attn, True)
        norms.insert(1, "norm_cross")
    for i, norm in enumerate(norms):
        names |= plain_names(norm, getattr(layer, f"norm{i + 1}"), "gain")
    return (names | plain_names("forward_in", layer.linear1)
            | plain_names("forward_out", layer.linear2))


def put_weights(g, names, prefix):
    for name, (p, first, end) in names.items():
        g.put(prefix + name, p[first:end])


def put_results(g, case, out, dout, names, **leaves):
    """As Golden.results(), with the gradients of all weights."""
    for tensor in [p for p, _, _ in names.values()] + list(leaves.values()):
        tensor.grad = None
    out.backward(dout)
    g.put(case + ".out", out)
    for name, leaf in leaves.items():
        g.put(f"{case}.d.{name}", leaf.grad)
    for name, (p, first, end) in names.items():
        g.put(f"{case}.d.{name}", p.grad[first:end])


def past_mask(t):
    return torch.full((t, t), -math.inf).triu(1)


def multihead():
    g = Golden("multihead")
    far_lengths = [3, 2, 1, 5]
    g.put("queries", LENGTHS)
    g.put("keys", far_lengths)
    module = nn.MultiheadAttention(6, 2)
    draw_weights(module, 0.6)
    for cross in [False, True]:
        put_weights(g, multihead_names("cross" if cross else "self", module, cross), "")
    x, memory, dout = g.draw("x", 8, 6), g.draw("memory", 11, 6), g.draw("dout", 8, 6)
    for case in ["all", "past", "other"]:
        cross = case == "other"
        rows, weights = [], []
        for part, far in zip(each(x, LENGTHS), each(memory, far_lengths)):
            if len(part) == 0:
                continue
            other = far if cross else part
            y, w = module(part, other, other, average_attn_weights=False,
                          attn_mask=past_mask(len(part)) if case == "past" else None)
            rows.append(y)
            weights.append(w)
        put_results(g, case, torch.cat(rows), dout,
                    multihead_names("cross" if cross else "self", module, cross), x=x,
                    **({"memory": memory} if cross else {}))
        g.put(case + ".weights", weights[0].flatten(0, 1))  # of the first sequence, all heads
    return g


def run_block(layer, part, far):
    """Rows of one sequence, and for a decoder those of its memory."""
    if far is None:
        return layer(part[:, None])[:, 0]
    return layer(part[:, None], far[:, None], tgt_mask=past_mask(len(part)))[:, 0]


def blocks():
    g = Golden("block")
    lengths, far_lengths = [3, 0, 1, 2], [2, 1, 4, 1]
    g.put("rows", lengths)
    g.put("memory_rows", far_lengths)
    x, memory, dout = g.draw("x", 6, 6), g.draw("memory", 8, 6), g.draw("dout", 6, 6)
    for kind, make in [("encoder", nn.TransformerEncoderLayer),
                       ("decoder", nn.TransformerDecoderLayer)]:
        decoder = kind == "decoder"
        weights = make(6, 2, 7, dropout=0.0)
        draw_weights(weights, 0.5)
        put_weights(g, block_names(weights, decoder), kind + ".")
        for case in ["pre relu", "pre gelu", "post relu", "post gelu"]:
            norm, activation = case.split()
            layer = make(6, 2, 7, dropout=0.0, activation=activation, norm_first=norm == "pre")
            layer.load_state_dict(weights.state_dict())
            rows = [run_block(layer, part, far if decoder else None)
                    for part, far in zip(each(x, lengths), each(memory, far_lengths)) if len(part)]
            put_results(g, f"{kind} {case}", torch.cat(rows), dout, block_names(layer, decoder),
                        x=x, **({"memory": memory} if decoder else {}))
    modern_block(g, x, dout, lengths)
    return g


def turned(x):
    """Rotary positions of (heads, T, E), where a number and the one half a head on are a pair."""
    half = x.shape[-1] // 2
    angle = torch.arange(x.shape[1])[:, None] * 10000.0 ** (-torch.arange(half) / half)
    a, b = x[..., :half], x[..., half:]
    return torch.cat([a * angle.cos() - b * angle.sin(), b * angle.cos() + a * angle.sin()], -1)


def modern_block(g, x, dout, lengths):
    """RMS norms, rotary positions, one key head for three query heads of width 2, gated
    feed-forward, no biases."""
    w = {}
    for name, rows, cols in [("attention.project.weight", 10, 6), ("attention.out.weight", 6, 6),
                             ("norm_attention.gain", 1, 6), ("forward_in.weight", 14, 6),
                             ("forward_out.weight", 6, 7), ("norm_forward.gain", 1, 6)]:
        w[name] = g.draw("modern." + name, rows, cols, 0.5, 1.0 if "gain" in name else 0.0)

    def normed(rows, name):
        return F.rms_norm(rows, (6,), w[name][0], 1e-5)

    outs = []
    for part in each(x, lengths):
        t = len(part)
        qkv = F.linear(normed(part, "norm_attention.gain"), w["attention.project.weight"])
        q, k = turned(heads_of(qkv[:, :6], 3)), turned(heads_of(qkv[:, 6:8], 1))
        v = heads_of(qkv[:, 8:], 1)
        seen = attend(q, k.repeat(3, 1, 1), v.repeat(3, 1, 1), torch.zeros(3, t, t),
                      distances(t, t) >= 0)
        h = part + F.linear(seen.transpose(0, 1).reshape(t, 6), w["attention.out.weight"])
        hidden = F.linear(normed(h, "norm_forward.gain"), w["forward_in.weight"])
        gated = hidden[:, :7] * F.silu(hidden[:, 7:])
        outs.append(h + F.linear(gated, w["forward_out.weight"]))
    g.results("modern", torch.cat(outs), dout, x=x, **w)
