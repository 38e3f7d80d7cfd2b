"""operations.py - norms, activations, recurrence, convolution, losses, and steps of AdamW."""
import torch
import torch.nn.functional as F
from torch import nn

from .layers import draw_weights, put_results, put_weights
from .vectors import LENGTHS, Golden, each, rounded


def dense():
    g = Golden("dense")
    x, dout, half_dout = g.draw("x", 5, 8, 2.0), g.draw("dout", 5, 8), g.draw("half_dout", 5, 4)
    gain, bias = g.draw("gain", 1, 8, 0.5, 1.0), g.draw("bias", 1, 8)
    g.results("layer norm", F.layer_norm(x, (8,), gain[0], bias[0], 1e-5), dout, x=x, gain=gain,
              bias=bias)
    g.results("rms norm", F.rms_norm(x, (8,), gain[0], 1e-6), dout, x=x, gain=gain)
    functions = {"relu": F.relu, "gelu": F.gelu, "silu": F.silu, "sigmoid": torch.sigmoid,
                 "tanh": torch.tanh, "elu": F.elu,
                 "gelu tanh": lambda rows: F.gelu(rows, approximate="tanh")}
    for name, function in functions.items():
        g.results(name, function(x), dout, x=x)
    g.results("glu", F.glu(x), half_dout, x=x)
    g.results("swiglu", x[:, :4] * F.silu(x[:, 4:]), half_dout, x=x)
    weight, shift, dz = g.draw("weight", 3, 8), g.draw("shift", 1, 3), g.draw("dz", 5, 3)
    g.results("linear", F.gelu(F.linear(x, weight, shift[0])), dz, x=x, weight=weight, shift=shift)
    return g


def recurrent():
    g = Golden("recurrent")
    g.put("rows", LENGTHS)
    x, dout = g.draw("x", sum(LENGTHS), 3), g.draw("dout", sum(LENGTHS), 10)
    for case, make in [("lstm", nn.LSTM), ("gru", nn.GRU), ("rnn", nn.RNN)]:
        module = make(3, 5, bidirectional=True)
        draw_weights(module, 0.5)
        names = {}
        for way, suffix in [("forward", ""), ("reversed", "_reverse")]:
            for ours, theirs in [("w_input", "weight_ih"), ("w_hidden", "weight_hh"),
                                 ("bias_input", "bias_ih"), ("bias_hidden", "bias_hh")]:
                p = getattr(module, f"{theirs}_l0{suffix}")
                names[f"{way}.{ours}"] = (p, 0, len(p))
        put_weights(g, names, case + ".")
        rows = [module(part[:, None])[0][:, 0] for part in each(x, LENGTHS) if len(part)]
        put_results(g, case, torch.cat(rows), dout, names, x=x)
    return g


def convolution():
    g = Golden("convolution")
    g.put("rows", LENGTHS)
    N = sum(LENGTHS)
    x, bias, depth_bias = g.draw("x", N, 3), g.draw("bias", 1, 4), g.draw("depth_bias", 1, 3)
    dout, depth_dout = g.draw("dout", N, 4), g.draw("depth_dout", N, 3)
    for taps in [3, 4]:
        # ken's (out, taps * in) and (taps, D) are PyTorch's (out, in, taps) and (D, 1, taps)
        weight, depth = g.draw(f"weight {taps}", 4, taps * 3), g.draw(f"depth {taps}", taps, 3)
        theirs, depth_theirs = weight.reshape(4, taps, 3).transpose(1, 2), depth.T[:, None]
        for way, before in [("centred", (taps - 1) // 2), ("causal", taps - 1)]:
            padded = [F.pad(part.T, (before, taps - 1 - before))
                      for part in each(x, LENGTHS) if len(part)]
            out = torch.cat([F.conv1d(p, theirs, bias[0]).T for p in padded])
            g.results(f"conv {taps} {way}", out, dout, x=x, weight=weight, bias=bias)
            out = torch.cat([F.conv1d(p, depth_theirs, depth_bias[0], groups=3).T for p in padded])
            g.results(f"depth {taps} {way}", out, depth_dout, x=x, weight=depth, bias=depth_bias)
    image_convolution(g)
    return g


def image_convolution(g):
    """Two images of 5 x 4 pixels with 2 channels, 3 x 3 taps, stride 2; a row is a pixel."""
    x, weight, bias = g.draw("pixels", 40, 2), g.draw("taps", 3, 18), g.draw("image_bias", 1, 3)
    dout = g.draw("image_dout", 12, 3)
    out = F.conv2d(x.reshape(2, 5, 4, 2).permute(0, 3, 1, 2),
                   weight.reshape(3, 3, 3, 2).permute(0, 3, 1, 2), bias[0], stride=2, padding=1)
    g.results("image", out.permute(0, 2, 3, 1).reshape(12, 3), dout, x=x, weight=weight, bias=bias)


def losses():
    g = Golden("loss")
    ids, targets = torch.tensor([4, 0, 4, 2, 6, 1, 4]), torch.tensor([0, -1, 2, 2, -1, 4, 6])
    g.put("ids", ids)
    g.put("targets", targets)
    table, weight, bias = g.draw("table", 7, 5), g.draw("weight", 7, 5), g.draw("bias", 1, 7)
    one = torch.tensor(1.0)
    for case, smoothing, tied in [("sharp", 0.0, False), ("smooth", 0.1, False),
                                  ("tied", 0.1, True)]:
        logits = F.linear(1.5 * F.embedding(ids, table), table if tied else weight, bias[0])
        loss = F.cross_entropy(logits, targets, ignore_index=-1, label_smoothing=smoothing)
        leaves = {"table": table, "bias": bias} | ({} if tied else {"weight": weight})
        g.results(case, loss, one, **leaves)
    x, numbers = g.draw("x", 4, 3), rounded(torch.rand(4, 3))
    g.put("numbers", numbers)
    g.results("mse", F.mse_loss(x, numbers), one, x=x)
    g.results("bce", F.binary_cross_entropy_with_logits(x, numbers), one, x=x)
    return g


def optimiser():
    """Ten steps of AdamW, the gradient clipped at a norm that only the first ones exceed."""
    g = Golden("adamw")
    x, y = g.draw("x", 6, 4).detach(), g.draw("y", 6, 3).detach()
    weight, bias = g.draw("weight", 3, 4), g.draw("bias", 1, 3)
    adam = torch.optim.AdamW([{"params": [weight], "weight_decay": 0.1},
                              {"params": [bias], "weight_decay": 0.0}],
                             lr=0.05, betas=(0.9, 0.98), eps=1e-8)
    norms, weights, biases = [], [], []
    for _ in range(10):
        adam.zero_grad()
        F.mse_loss(F.linear(x, weight, bias[0]), y).backward()
        norms.append(nn.utils.clip_grad_norm_([weight, bias], 2.3).item())
        adam.step()
        weights.append(weight.detach().clone())
        biases.append(bias.detach().clone())
    assert norms[0] > 2.3 > norms[-1], norms
    g.put("norms", norms)
    g.put("weights", torch.cat(weights))
    g.put("biases", torch.cat(biases))
    return g
