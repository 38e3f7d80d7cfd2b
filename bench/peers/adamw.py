"""adamw.py - the optimiser both training peers use."""
import torch


def adamw(parameters, **settings):
    """Fused where this PyTorch has that for the CPU (2.4 and later), else as fast as it can."""
    try:
        return torch.optim.AdamW(parameters, fused=True, **settings)
    except RuntimeError:
        return torch.optim.AdamW(parameters, foreach=True, **settings)
