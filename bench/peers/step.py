"""step.py - training steps of a tagger on sentences: one label for every word.

    step 12,13,12;20,21       batches of sentence lengths; one run is one step on each of them

Width 256, 4 pre-norm blocks, 4 heads, hidden 1024, GELU, 16,000 words, 17 labels, dropout 0.1 on
the embedding, the attention weights and both residual branches, sinusoid positions, AdamW, norm of
the gradient clipped to 1. Batches are padded to their longest sentence: what PyTorch users do, and
why they sort sentences by length. The list of batches decides whether that was done.
"""
import math

import torch
import torch.nn.functional as F
from adamw import adamw
from torch import nn

WIDTH, BLOCKS, HEADS, HIDDEN, WORDS, LABELS, DROP = 256, 4, 4, 1024, 16000, 17, 0.1
IGNORED = -100  # label of padding: no loss, no gradient


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm1 = nn.LayerNorm(WIDTH)
        self.qkv = nn.Linear(WIDTH, 3 * WIDTH)
        self.out = nn.Linear(WIDTH, WIDTH)
        self.norm2 = nn.LayerNorm(WIDTH)
        self.up = nn.Linear(WIDTH, HIDDEN)
        self.down = nn.Linear(HIDDEN, WIDTH)

    def attend(self, x, mask):
        B, T, _ = x.shape
        q, k, v = self.qkv(x).view(B, T, 3, HEADS, WIDTH // HEADS).permute(2, 0, 3, 1, 4)
        y = F.scaled_dot_product_attention(q, k, v, attn_mask=mask,
                                           dropout_p=DROP if self.training else 0.0)
        return self.out(y.transpose(1, 2).reshape(B, T, WIDTH))

    def forward(self, x, mask):
        x = x + F.dropout(self.attend(self.norm1(x), mask), DROP, self.training)
        hidden = F.gelu(self.up(self.norm2(x)))
        return x + F.dropout(self.down(hidden), DROP, self.training)


def sinusoid(length):
    position = torch.arange(length)[:, None]
    rate = torch.exp(torch.arange(0, WIDTH, 2) * (-math.log(10000.0) / WIDTH))
    return torch.stack([(position * rate).sin(), (position * rate).cos()], -1).view(length, WIDTH)


class Tagger(nn.Module):
    def __init__(self, longest):
        super().__init__()
        self.words = nn.Embedding(WORDS, WIDTH)
        self.register_buffer("position", sinusoid(longest))
        self.blocks = nn.ModuleList(Block() for _ in range(BLOCKS))
        self.norm = nn.LayerNorm(WIDTH)
        self.head = nn.Linear(WIDTH, LABELS)

    def forward(self, words, mask):
        x = self.words(words) + self.position[:words.shape[1]]
        x = F.dropout(x, DROP, self.training)
        for block in self.blocks:
            x = block(x, mask)
        return self.head(self.norm(x))


def make_batch(lengths):
    """words, labels (B, T) and the mask of real words (B, 1, 1, T), or None if all are real."""
    B, T = len(lengths), max(lengths)
    real = torch.arange(T)[None, :] < torch.tensor(lengths)[:, None]
    words = torch.randint(WORDS, (B, T)) * real
    labels = torch.randint(LABELS, (B, T)).masked_fill(~real, IGNORED)
    return words, labels, None if real.all() else real[:, None, None, :]


def prepare(arguments):
    batches = [[int(length) for length in batch.split(",")] for batch in arguments.split(";")]
    model = Tagger(max(max(batch) for batch in batches)).train()
    optimizer = adamw(model.parameters(), lr=1e-4, weight_decay=0.01)
    made = [make_batch(batch) for batch in batches]

    def run():
        for words, labels, mask in made:
            logits = model(words, mask)
            loss = F.cross_entropy(logits.view(-1, LABELS), labels.view(-1), ignore_index=IGNORED)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
    return {"padded": run}
