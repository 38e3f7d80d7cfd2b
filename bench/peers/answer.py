"""answer.py - answers of ken's encoder by ONNX Runtime (fp32), with the very same weights.

    answer THREADS IDS ANSWERS PATH      e.g. answer 2 4,17,3;9,1 0.25,0.75;0.5,0.5 model.ken

IDS are the words of each sentence, ANSWERS what ken says about each, PATH is ken's model as a file
(safetensors). The encoder is written in PyTorch as its users write one, takes ken's weights, is
exported to ONNX with free numbers of sentences and words, and runs with graph optimisation level
ALL. (ONNX Runtime's own script for Transformers, which fuses attention and norms further, was
tried on top of it and made this model slower on a CPU.)

Sentences of different lengths are padded and masked, all in one batch or sorted by length in
batches of 8, or each is answered alone without a mask. The fastest way is measured. A way whose
answers differ from ken's by more than a thousandth is an error.
"""
import json
import math
import io
import struct

import numpy
import onnxruntime
import torch
import torch.nn.functional as F
from torch import nn

LONGEST, HEADS, EPS, TOLERANCE, FEW = 512, 12, 1e-5, 1e-3, 8


def read_weights(path):
    """The tensors of a safetensors file, by name."""
    with open(path, "rb") as file:
        size, = struct.unpack("<Q", file.read(8))
        entries = json.loads(file.read(size))
        data = numpy.frombuffer(file.read(), numpy.uint8)
    del entries["__metadata__"]
    return {name: torch.from_numpy(
        data[slice(*entry["data_offsets"])].copy().view(numpy.float32).reshape(entry["shape"]))
        for name, entry in entries.items()}


def linear(weights, name):
    layer = nn.Linear(*reversed(weights[name + ".weight"].shape))
    layer.weight.data, layer.bias.data = weights[name + ".weight"], weights[name + ".bias"][0]
    return layer


def norm(weights, name):
    layer = nn.LayerNorm(weights[name + ".gain"].shape[1], EPS)
    layer.weight.data, layer.bias.data = weights[name + ".gain"][0], weights[name + ".bias"][0]
    return layer


def sinusoid(length, width):
    place = torch.arange(length)[:, None]
    rate = torch.exp(torch.arange(0, width, 2) * (-math.log(10000.0) / width))
    return torch.stack([(place * rate).sin(), (place * rate).cos()], -1).view(length, width)


class Block(nn.Module):
    def __init__(self, weights, name):
        super().__init__()
        self.norm1 = norm(weights, name + "norm_attention")
        project = linear(weights, name + "attention.project")
        self.project = nn.ModuleList()
        for weight, bias in zip(project.weight.data.chunk(3), project.bias.data.chunk(3)):
            part = nn.Linear(*reversed(weight.shape))
            part.weight.data, part.bias.data = weight.clone(), bias.clone()
            self.project.append(part)
        self.out = linear(weights, name + "attention.out")
        self.norm2 = norm(weights, name + "norm_forward")
        self.up = linear(weights, name + "forward_in")
        self.down = linear(weights, name + "forward_out")

    def heads(self, x):
        return x.view(x.shape[0], x.shape[1], HEADS, -1).transpose(1, 2)

    def attend(self, x, mask):
        q, k, v = (self.heads(part(x)) for part in self.project)
        scores = torch.matmul(q, k.transpose(-1, -2)) / math.sqrt(q.shape[-1])
        y = torch.matmul((scores if mask is None else scores + mask).softmax(-1), v)
        return self.out(y.transpose(1, 2).reshape(x.shape))

    def forward(self, x, mask):
        x = x + self.attend(self.norm1(x), mask)
        return x + self.down(F.gelu(self.up(self.norm2(x))))


class Encoder(nn.Module):
    def __init__(self, weights):
        super().__init__()
        width = weights["input"].shape[1]
        self.words = nn.Embedding.from_pretrained(weights["input"] * math.sqrt(width))
        self.register_buffer("place", sinusoid(LONGEST, width))
        names = sorted({name[:10] for name in weights if name.startswith("encoder.") and
                        name[8].isdigit()})
        self.blocks = nn.ModuleList(Block(weights, name) for name in names)
        self.norm = norm(weights, "encoder.norm")
        self.head = linear(weights, "head")

    def forward(self, ids, real=None):
        x = self.words(ids) + self.place[:ids.shape[1]]
        mask = None if real is None else (1 - real[:, None, None, :]) * -1e9
        for block in self.blocks:
            x = block(x, mask)
        x = self.norm(x)
        if real is None:
            x = x.mean(1)
        else:
            x = (x * real[:, :, None]).sum(1) / real.sum(1, keepdim=True)
        return self.head(x).softmax(-1)


def export(model, masked):
    """The model as ONNX, in memory: words (B, T) and, if masked, which of them are real."""
    names = ["ids", "real"] if masked else ["ids"]
    inputs = (torch.zeros(2, 3, dtype=torch.long), torch.ones(2, 3))[:len(names)]
    file = io.BytesIO()
    with torch.no_grad():
        torch.onnx.export(model, inputs, file, input_names=names, dynamo=False,
                          dynamic_axes={name: {0: "sentences", 1: "words"} for name in names})
    return file.getvalue()


def session(model, masked, threads):
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
    options.intra_op_num_threads = threads
    # Its threads may spin while it answers, not while ken does: both would share the processors.
    options.add_session_config_entry("session.force_spinning_stop", "1")
    options.inter_op_num_threads = 1
    return onnxruntime.InferenceSession(export(model, masked), options,
                                        providers=["CPUExecutionProvider"])


def padded(sentences):
    """Sentences of different lengths as one batch."""
    longest = max(len(sentence) for sentence in sentences)
    ids = numpy.zeros((len(sentences), longest), numpy.int64)
    real = numpy.zeros((len(sentences), longest), numpy.float32)
    for row, sentence in enumerate(sentences):
        ids[row, :len(sentence)] = sentence
        real[row, :len(sentence)] = 1
    return {"ids": ids, "real": real}


def run_of(runner, batches):
    """A function that gives the answers to all batches, in their order."""
    def run():
        return numpy.concatenate([runner.run(None, batch)[0] for batch in batches])
    return run


def variants(model, sentences, threads):
    """Ways to answer, each with the order in which it takes the sentences."""
    B = len(sentences)
    plain = session(model, False, threads)
    if len({len(sentence) for sentence in sentences}) == 1:
        return {"together": (run_of(plain, [{"ids": numpy.array(sentences)}]), range(B))}
    masked = session(model, True, threads)
    order = sorted(range(B), key=lambda b: len(sentences[b]))
    few = [padded([sentences[b] for b in order[i:i + FEW]]) for i in range(0, B, FEW)]
    alone = [{"ids": numpy.array([sentence])} for sentence in sentences]
    return {"padded": (run_of(masked, [padded(sentences)]), range(B)),
            f"sorted, padded by {FEW}": (run_of(masked, few), order),
            "one by one": (run_of(plain, alone), range(B))}


def prepare(arguments):
    threads, sentences, answers, path = arguments.split(" ", 3)
    sentences = [[int(word) for word in one.split(",")] for one in sentences.split(";")]
    answers = numpy.array([[float(x) for x in one.split(",")] for one in answers.split(";")])
    model = Encoder(read_weights(path)).eval()
    ways = variants(model, sentences, int(threads))
    for name, (run, order) in ways.items():
        worst = numpy.abs(run() - answers[list(order)]).max()
        if not worst < TOLERANCE:
            raise ValueError(f"{name}: its answers differ from ken's by {worst:.4f}")
    return {name: run for name, (run, _) in ways.items()}
