"""rivals.py - blocks that have something else in place of attention, and the conformer's, by their
formulas and with PyTorch's recurrent modules; all with pre-norm, D = 6, one neighbour a side."""
import torch
import torch.nn.functional as F
from torch import nn

from .attention import heads_of
from .vectors import Golden, each

D, HIDDEN, TAPS = 6, 7, 3
CELLS = {"rnn": (nn.RNN, 1), "gru": (nn.GRU, 3), "lstm": (nn.LSTM, 4)}


class Weights:
    """Those of one case: drawn when first asked for, by ken's names."""

    def __init__(self, g, case):
        self.g, self.case, self.list = g, case, {}

    def __call__(self, name, rows, cols, mean=0.0):
        if name not in self.list:
            self.list[name] = self.g.draw(f"{self.case}.{name}", rows, cols, 0.5, mean)
        return self.list[name]

    def linear(self, x, name, rows):
        return F.linear(x, self(name + ".weight", rows, x.shape[1]), self(name + ".bias", 1, rows)[0])

    def norm(self, x, name):
        return F.layer_norm(x, (D,), self(name + ".gain", 1, D, 1.0)[0],
                            self(name + ".bias", 1, D)[0], 1e-5)

    def feed_forward(self, x, name):
        return self.linear(F.gelu(self.linear(x, name + "_in", HIDDEN)), name + "_out", D)


def padded(x, causal):
    before = TAPS - 1 if causal else TAPS // 2
    return F.pad(x.T, (before, TAPS - 1 - before))


def depthwise(w, x, causal):
    taps, bias = w("convolve.taps", TAPS, D), w("convolve.bias", 1, D)[0]
    return F.conv1d(padded(x, causal), taps.T[:, None], bias, groups=D).T


def fc_window(w, x, causal):
    taps = w("convolve.taps", D, TAPS * D).reshape(D, TAPS, D).transpose(1, 2)
    return F.conv1d(padded(x, causal), taps, w("convolve.bias", 1, D)[0]).T


def conv(w, x, causal):
    return w.linear(F.gelu(depthwise(w, x, causal)), "convolve.out", D)


def module(w, x, causal):
    gated = F.glu(w.linear(x, "convolve.in", 2 * D))
    return w.linear(F.silu(w.norm(depthwise(w, gated, causal), "convolve.norm")), "convolve.out", D)


def recurrent(w, x, kind, both_ways):
    """One direction after the other, each by PyTorch's module, joined by one linear layer."""
    make, gates = CELLS[kind]
    H, total = D // 2 if both_ways else D, 0
    for way in ["forwards", "backwards"][:1 + both_ways]:
        name = f"recurrent.{way}."
        p = [w(name + "w_input", gates * H, D), w(name + "w_hidden", gates * H, H),
             w(name + "bias_input", 1, gates * H)[0],
             w(name + "bias_hidden", 1, gates * H)[0] if kind == "gru" else torch.zeros(gates * H)]
        keys = ["weight_ih_l0", "weight_hh_l0", "bias_ih_l0", "bias_hh_l0"]
        rows = x if way == "forwards" else x.flip(0)
        state, _ = torch.func.functional_call(make(D, H), dict(zip(keys, p)), (rows[:, None],))
        state = state[:, 0] if way == "forwards" else state[:, 0].flip(0)
        bias = w(name + "out.bias", 1, D)[0] if way == "forwards" else None
        total = total + F.linear(state, w(name + "out.weight", D, H), bias)
    return total


def attention(w, x, causal):
    qkv = w.linear(x, "attention.project", 3 * D)
    q, k, v = (heads_of(qkv[:, i * D:(i + 1) * D], 2) for i in range(3))
    seen = F.scaled_dot_product_attention(q, k, v, is_causal=causal)
    return w.linear(seen.transpose(0, 1).reshape(len(x), D), "attention.out", D)


def conformer(w, x, causal):
    x = x + w.feed_forward(w.norm(x, "norm_half"), "half") / 2
    x = x + attention(w, w.norm(x, "norm_attention"), causal)
    x = x + module(w, w.norm(x, "norm_convolve"), causal)
    x = x + w.feed_forward(w.norm(x, "norm_forward"), "forward") / 2
    return w.norm(x, "norm_closing")


def block(w, x, kind, causal):
    if kind == "conformer":
        return conformer(w, x, causal)
    if kind != "fc":
        normed = w.norm(x, "norm_mix")
        mixed = {"fc-window": fc_window, "conv": conv}.get(kind)
        x = x + (mixed(w, normed, causal) if mixed else recurrent(w, normed, kind, not causal))
    return x + w.feed_forward(w.norm(x, "norm_forward"), "forward")


def rivals():
    g = Golden("rivals")
    lengths = [3, 0, 1, 5]
    g.put("rows", lengths)
    x, dout = g.draw("x", sum(lengths), D), g.draw("dout", sum(lengths), D)
    for kind, causal in [("fc", False), ("fc-window", True), ("conv", False), ("rnn", False),
                         ("gru", True), ("lstm", False), ("conformer", False), ("conformer", True)]:
        case = kind + (" causal" if causal else "")
        w = Weights(g, case)
        rows = [block(w, part, kind, causal) for part in each(x, lengths) if len(part)]
        g.results(case, torch.cat(rows), dout, x=x, **w.list)
    return g
