"""models.py - whole models up to their loss, with the gradients of all weights."""
import math

import torch
import torch.nn.functional as F
from torch import nn

from .layers import block_names, draw_weights, past_mask, plain_names, put_weights
from .vectors import Golden, each


def sinusoid(t, D):
    angle = torch.arange(t)[:, None] * 10000.0 ** (-torch.arange(0, D, 2) / D)
    return torch.stack([angle.sin(), angle.cos()], -1).reshape(t, D)


def stack_names(name, stack, decoder):
    names = {}
    for i, layer in enumerate(stack.layers):
        for part, entry in block_names(layer, decoder).items():
            names[f"{name}.{i}.{part}"] = entry
    if stack.norm is not None:
        names |= plain_names(f"{name}.norm", stack.norm, "gain")
    return names


def put_model(g, case, loss, names):
    put_weights(g, names, case + ".")
    loss.backward()
    g.put(case + ".loss", loss)
    for name, (p, first, end) in names.items():
        g.put(f"{case}.d.{name}", p.grad[first:end])


def tagger(g):
    """A label for each row, some unknown; learned positions, norms after the residual sums."""
    lengths = [4, 1, 0, 3]
    ids, labels = torch.tensor([3, 0, 7, 3, 5, 1, 2, 7]), torch.tensor([1, -1, 0, 2, 2, -1, 0, 1])
    for name, values in [("rows", lengths), ("ids", ids), ("labels", labels)]:
        g.put("tagger." + name, values)
    layer = nn.TransformerEncoderLayer(6, 2, 7, dropout=0.0, activation="gelu")
    stack = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
    table, places, head = nn.Embedding(8, 6), nn.Embedding(5, 6), nn.Linear(6, 3)
    for module in [stack, table, places, head]:
        draw_weights(module, 0.5)
    rows = []
    for part in each(ids, lengths):
        if len(part):
            x = math.sqrt(6) * table(part) + places(torch.arange(len(part)))
            rows.append(stack(x[:, None])[:, 0])
    loss = F.cross_entropy(head(torch.cat(rows)), labels, ignore_index=-1)
    names = {"input": (table.weight, 0, 8), "input_places": (places.weight, 0, 5)}
    names |= stack_names("encoder", stack, False) | plain_names("head", head)
    put_model(g, "tagger", loss, names)


def translator(g):
    """Encoder and decoder; sinusoids, norms before each part, target embedding tied to the
    output, labels smoothed. Id 0 begins a target and 1 ends it."""
    from_lengths, to_lengths = [3, 1, 4], [2, 3, 0]
    source, target = torch.tensor([1, 6, 2, 0, 4, 4, 5, 3]), torch.tensor([5, 2, 3, 3, 6])
    for name, values in [("from_rows", from_lengths), ("to_rows", to_lengths), ("from_ids", source),
                         ("to_ids", target)]:
        g.put("translator." + name, values)
    options = dict(dropout=0.0, activation="relu", norm_first=True)
    encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(6, 3, 8, **options), 2,
                                    nn.LayerNorm(6), enable_nested_tensor=False)
    decoder = nn.TransformerDecoder(nn.TransformerDecoderLayer(6, 3, 8, **options), 1,
                                    nn.LayerNorm(6))
    table, to_table = nn.Embedding(7, 6), nn.Embedding(7, 6)
    for module in [encoder, decoder, table, to_table]:
        draw_weights(module, 0.5)

    def embed(ids, weights):
        return (math.sqrt(6) * weights(ids) + sinusoid(len(ids), 6))[:, None]

    rows, wanted = [], []
    for read, write in zip(each(source, from_lengths), each(target, to_lengths)):
        memory = encoder(embed(read, table))
        given = torch.cat([torch.tensor([0]), write])
        wanted.append(torch.cat([write, torch.tensor([1])]))
        out = decoder(embed(given, to_table), memory, tgt_mask=past_mask(len(given)))
        rows.append(out[:, 0])
    logits = F.linear(torch.cat(rows), to_table.weight)
    loss = F.cross_entropy(logits, torch.cat(wanted), label_smoothing=0.1)
    names = {"input": (table.weight, 0, 7), "target": (to_table.weight, 0, 7)}
    names |= stack_names("encoder", encoder, False) | stack_names("decoder", decoder, True)
    put_model(g, "translator", loss, names)


def models():
    g = Golden("model")
    tagger(g)
    translator(g)
    return g
