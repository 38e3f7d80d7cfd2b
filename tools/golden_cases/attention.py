"""attention.py - attention between rows that are given: every score, weigh, reach and position
that can be said in PyTorch. Two heads of width 4."""
import math

import torch
import torch.nn.functional as F

from .vectors import LENGTHS, Golden, each

FAR_LENGTHS = [3, 2, 0, 5]  # of the sequences asked in attention across
HEADS = 2
UNLIMITED = 10**9


def distances(t, s):
    """i - j, where the last query is aligned with the last key."""
    return (torch.arange(t) + s - t)[:, None] - torch.arange(s)[None, :]


def heads_of(x, heads):
    """(T, heads * E) -> (heads, T, E)"""
    return x.reshape(x.shape[0], heads, x.shape[1] // heads).transpose(0, 1)


def attend(q, k, v, bias, visible):
    """PyTorch's own attention: (H, T, E) ..., bias (H, T, S). A query that sees nothing gives 0."""
    seen = visible.any(-1)
    out = torch.zeros(q.shape[0], q.shape[1], v.shape[2])
    if seen.any():
        mask = bias.masked_fill(~visible, -math.inf)[:, seen]
        part = F.scaled_dot_product_attention(q[:, seen], k, v, attn_mask=mask)
        rows = seen.nonzero()[:, 0][None, :]
        out = out.index_put((torch.arange(len(q))[:, None], rows), part)
    return out


def weighed(scores, v, visible, kind):
    """Weights by formula; n is the number of visible keys."""
    n = visible.sum(-1, keepdim=True).clamp(min=1)
    if kind == "relu":
        w = F.relu(scores) / n
    elif kind == "sigmoid":
        w = torch.sigmoid(scores - torch.log(n))
    else:
        w = torch.softmax(scores, -1)
    return w.masked_fill(~visible, 0) @ v


def position_bias(words, away, table):
    if "alibi" in words:  # the slopes of two heads
        return -torch.tensor([2.0**-4, 2.0**-8])[:, None, None] * away.abs()
    if "relative" in words:
        return table[:, away.clamp(-2, 2) + 2]
    return torch.zeros(HEADS, *away.shape)


def one_sequence(words, q, k, v, table, vector):
    """Rows of one sequence through the attention that the words of the case describe."""
    away = distances(len(q), len(k))
    left = 2 if "window" in words else UNLIMITED
    right = 1 if "window" in words else 0 if "past" in words else UNLIMITED
    visible = (away <= left) & (-away <= right)
    if "grouped" in words:  # both query heads share the first key and value head
        k, v = k[:, :4].repeat(1, 2), v[:, :4].repeat(1, 2)
    qh, kh, vh = heads_of(q, HEADS), heads_of(k, HEADS), heads_of(v, HEADS)
    if "additive" in words:
        scores = (torch.tanh(qh[:, :, None] + kh[:, None]) * vector[:, None, None]).sum(-1)
        out = weighed(scores, vh, visible, "softmax")
    elif "gatv2" in words:
        scores = (F.leaky_relu(qh[:, :, None] + kh[:, None], 0.2) * vector[:, None, None]).sum(-1)
        out = weighed(scores, vh, visible, "softmax")
    elif "gat" in words:  # one number a head
        sums = q[:, :HEADS].T[:, :, None] + k[:, :HEADS].T[:, None]
        out = weighed(F.leaky_relu(sums, 0.2), vh, visible, "softmax")
    elif words[0] in ("relu", "sigmoid"):
        out = weighed(qh @ kh.transpose(1, 2) / 2, vh, visible, words[0])
    else:
        out = attend(qh, kh, vh, position_bias(words, away, table), visible)
    return out.transpose(0, 1).reshape(len(q), 8)


CASES = ["full", "past", "window", "alibi past", "relative", "relative window", "grouped", "cross",
         "cross past", "cross alibi", "additive", "gat", "relu window", "sigmoid past",
         "gatv2", "gatv2 grouped"]


def attention():
    g = Golden("attention")
    g.put("queries", LENGTHS)
    g.put("keys", FAR_LENGTHS)
    N, M = sum(LENGTHS), sum(FAR_LENGTHS)
    q, k, v = g.draw("q", N, 8), g.draw("k", N, 8), g.draw("v", N, 8)
    far_k, far_v = g.draw("far_k", M, 8), g.draw("far_v", M, 8)
    dout, table, vector = g.draw("dout", N, 8), g.draw("relative", 2, 5), g.draw("vector", 2, 4)
    for case in CASES:
        words = case.split()
        keys, values, lengths = (far_k, far_v, FAR_LENGTHS) if "cross" in words else (k, v, LENGTHS)
        sequences = zip(each(q, LENGTHS), each(keys, lengths), each(values, lengths))
        out = torch.cat([one_sequence(words, *three, table, vector) for three in sequences])
        leaves = {"q": q, "k": keys, "v": values}
        if "relative" in words:
            leaves["relative"] = table
        if "additive" in words or "gatv2" in words:
            leaves["vector"] = vector
        g.results(case, out, dout, **leaves)
    return g
