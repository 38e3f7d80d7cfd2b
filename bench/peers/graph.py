"""graph.py - one training epoch of the graph attention network for Cora.

    graph NODES EDGES WORDS PER_NODE LABELS KNOWN

Two layers, 8 heads of 8 numbers with ELU, then one head for the labels; dropout 0.6 of features and
weights, Adam with L2. As a layer of PyTorch Geometric where it is installed, and written with
index_add_ and scatter_reduce_, once with dense features and once with the sparse ones they are; the
fastest is measured. Random graph and features: speed does not depend on them.
"""
import torch
import torch.nn.functional as F
from torch import nn


class Scatter(nn.Module):
    """GAT by gather and scatter along edges; a column of zeros and ones selects the head."""

    def __init__(self, width_in, heads, width):
        super().__init__()
        self.heads, self.width = heads, width
        self.weight = nn.Parameter(torch.empty(width_in, heads * width))
        self.ask = nn.Parameter(torch.empty(1, heads, width))
        self.answer = nn.Parameter(torch.empty(1, heads, width))
        self.bias = nn.Parameter(torch.zeros(heads * width))
        for parameter in (self.weight, self.ask, self.answer):
            nn.init.xavier_uniform_(parameter)

    def forward(self, x, edges):
        seen, sees = edges
        if x.is_sparse:
            z = torch.sparse.mm(x, self.weight)
        else:
            z = x @ self.weight
        z = z.view(-1, self.heads, self.width)
        ask, answer = (z * self.ask).sum(-1), (z * self.answer).sum(-1)
        score = F.leaky_relu(ask[sees] + answer[seen], 0.2)
        nodes = z.shape[0]
        index = sees[:, None].expand_as(score)
        most = torch.full((nodes, self.heads), float("-inf")).scatter_reduce_(
            0, index, score.detach(), "amax")
        weight = (score - most[sees]).exp()
        total = torch.zeros(nodes, self.heads).index_add_(0, sees, weight)
        weight = F.dropout(weight / total[sees], 0.6, self.training)
        out = torch.zeros_like(z).index_add_(0, sees, weight[:, :, None] * z[seen])
        return out.view(nodes, -1) + self.bias


class Network(nn.Module):
    def __init__(self, words, labels, sparse):
        super().__init__()
        self.first, self.second = Scatter(words, 8, 8), Scatter(64, 1, labels)
        self.sparse = sparse

    def drop(self, x):
        if not self.sparse:
            return F.dropout(x, 0.6, self.training)
        values = F.dropout(x.values(), 0.6, self.training)
        return torch.sparse_coo_tensor(x.indices(), values, x.shape, is_coalesced=True)

    def forward(self, x, edges):
        x = F.elu(self.first(self.drop(x), edges))
        return self.second(F.dropout(x, 0.6, self.training), edges)


def geometric(words, labels):
    from torch_geometric.nn import GATConv

    class Geometric(nn.Module):
        def __init__(self):
            super().__init__()
            self.first = GATConv(words, 8, heads=8, dropout=0.6)
            self.second = GATConv(64, labels, heads=1, concat=False, dropout=0.6)

        def forward(self, x, edges):
            x = F.elu(self.first(F.dropout(x, 0.6, self.training), edges))
            return self.second(F.dropout(x, 0.6, self.training), edges)
    return Geometric()


def prepare(arguments):
    nodes, edges, words, per_node, labels, known = (int(n) for n in arguments.split())
    ends = torch.randint(nodes, (2, edges))
    dense = torch.zeros(nodes, words)
    dense.scatter_(1, torch.randint(words, (nodes, per_node)), 1.0)
    dense = dense / dense.sum(1, keepdim=True)
    links = torch.cat([ends, ends.flip(0)], 1)
    loops = torch.cat([links, torch.arange(nodes).expand(2, -1)], 1)
    targets = torch.arange(known) % labels

    def run_of(model, x, links):
        optimizer = torch.optim.Adam(model.parameters(), lr=0.005, weight_decay=5e-4)

        def run():
            optimizer.zero_grad(set_to_none=True)
            F.cross_entropy(model(x, links)[:known], targets).backward()
            optimizer.step()
        return run

    variants = {"scatter": run_of(Network(words, labels, False), dense, loops),
                "sparse scatter": run_of(Network(words, labels, True),
                                         dense.to_sparse().coalesce(), loops)}
    try:
        variants["torch_geometric"] = run_of(geometric(words, labels), dense, links)
    except ImportError:
        pass
    return variants
