"""gpt2.py - one training step of a language model in the shape of GPT-2 124M.

    gpt2 B T       12 blocks, 12 heads, width 768, context 1024, vocabulary 50257, tied head

Pre-norm, biases everywhere, GELU in its tanh form, no dropout, learned positions, AdamW with
weight decay on matrices only, no clipping. Weights are random: speed does not depend on them.
"""
import torch
import torch.nn.functional as F
from adamw import adamw
from torch import nn

WIDTH, BLOCKS, HEADS, CONTEXT, WORDS = 768, 12, 12, 1024, 50257


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm1 = nn.LayerNorm(WIDTH)
        self.qkv = nn.Linear(WIDTH, 3 * WIDTH)
        self.out = nn.Linear(WIDTH, WIDTH)
        self.norm2 = nn.LayerNorm(WIDTH)
        self.up = nn.Linear(WIDTH, 4 * WIDTH)
        self.down = nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, x):
        B, T, _ = x.shape
        q, k, v = self.qkv(self.norm1(x)).split(WIDTH, dim=2)
        q, k, v = (y.view(B, T, HEADS, WIDTH // HEADS).transpose(1, 2) for y in (q, k, v))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(y.transpose(1, 2).reshape(B, T, WIDTH))
        return x + self.down(F.gelu(self.up(self.norm2(x)), approximate="tanh"))


class Gpt2(nn.Module):
    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(WORDS, WIDTH)
        self.positions = nn.Embedding(CONTEXT, WIDTH)
        self.blocks = nn.ModuleList(Block() for _ in range(BLOCKS))
        self.norm = nn.LayerNorm(WIDTH)
        for parameter in (self.words.weight, self.positions.weight):
            nn.init.normal_(parameter, std=0.02)

    def forward(self, words, targets):
        x = self.words(words) + self.positions.weight[:words.shape[1]]
        for block in self.blocks:
            x = block(x)
        logits = F.linear(self.norm(x), self.words.weight)  # tied
        return F.cross_entropy(logits.view(-1, WORDS), targets.view(-1))


def prepare(arguments):
    B, T = (int(number) for number in arguments.split())
    model = Gpt2()
    matrices = [p for p in model.parameters() if p.dim() >= 2]
    vectors = [p for p in model.parameters() if p.dim() < 2]
    optimizer = adamw([{"params": matrices, "weight_decay": 0.1},
                       {"params": vectors, "weight_decay": 0.0}], lr=3e-4, betas=(0.9, 0.95))
    text = torch.randint(WORDS, (B, T + 1))
    words, targets = text[:, :-1].contiguous(), text[:, 1:].contiguous()

    def run():
        loss = model(words, targets)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
    return {"step": run}
