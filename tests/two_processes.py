"""What a reader does on a cluster, on two processes of this machine: `python two_processes.py RANK PORT`, for each rank.

Prints one line of JSON, {case: what was seen}, on each.
"""

import json
import os
import sys
import warnings
from contextlib import suppress

import torch
import transformers
from libraries import LLAMA, made
from torch import distributed, nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module
from torch.nn import functional as F

from manyheads.widgets import HeadMap

warnings.filterwarnings("ignore")
IDS = torch.arange(3, 12)[None]
PLAN = {name: ColwiseParallel() for name in ("q_proj", "k_proj", "v_proj")} | {"o_proj": RowwiseParallel()}


def llama(kernel="sdpa"):
    return made("LlamaForCausalLM", LLAMA, kernel)


class Own(nn.Module):
    """Attention as PyTorch's tutorial of tensor parallelism has it: it's told how many heads are left to it."""

    def __init__(self, heads):
        super().__init__()
        self.n_heads = heads
        self.q_proj, self.k_proj, self.v_proj, self.o_proj = (nn.Linear(32, 32) for _ in range(4))

    def forward(self, x):
        query, key, value = (
            project(x).unflatten(-1, (self.n_heads, -1)).transpose(1, 2)
            for project in (self.q_proj, self.k_proj, self.v_proj)
        )
        return self.o_proj(F.scaled_dot_product_attention(query, key, value).transpose(1, 2).flatten(-2))


def own():
    torch.manual_seed(0)
    return nn.Sequential(Own(4), Own(4))


def alike(model, reference, inputs=IDS):
    """What this process gets: None, or how far its map is from that of the whole model."""
    shown = HeadMap.of(model, inputs=inputs)
    if shown is None:
        return None
    want = HeadMap.of(reference, inputs=inputs).attention.weights
    return float(abs(shown.attention.weights - want).max()) if shown.attention.weights.shape == want.shape else "shape"


def tensor_parallel(mesh, kernel):
    model = llama(kernel)
    plan = {f"model.layers.{layer}.self_attn.{name}": way for layer in range(2) for name, way in PLAN.items()}
    return alike(parallelize_module(model, mesh, plan), llama(kernel))


def own_tensor_parallel(mesh):
    model, x = own(), torch.randn(1, 6, 32, generator=torch.Generator().manual_seed(1))
    for layer in model:
        parallelize_module(layer, mesh, PLAN)
        layer.n_heads //= 2
    return alike(model, own(), x)


def planned(mesh, folder):
    """By the plan that transformers brings."""
    if distributed.get_rank() == 0:
        llama().save_pretrained(folder)
    distributed.barrier()
    model = transformers.AutoModelForCausalLM.from_pretrained(folder, tp_plan="auto", device_mesh=mesh)
    return alike(model, llama())


def trained(model, look):
    """The losses of four steps; between the second and the third, the model is looked at."""
    optimizer, losses = torch.optim.AdamW(model.parameters(), 1e-2), []
    for step in range(4):
        if step == 2:
            look(model)
        loss = model(IDS, labels=IDS).loss
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        losses.append(loss.item())
    return losses


def sharded(mesh):
    model = llama().train()
    for layer in model.model.layers:
        fully_shard(layer, mesh=mesh)
    return fully_shard(model, mesh=mesh)


def large(mesh):
    """What a map that is held by sentences says when one is to be opened."""
    shown = HeadMap.of(sharded(mesh), ["tea", "."] * 100, inputs=torch.ones(1, 200, dtype=int), max_weights=100_000)
    if shown is None:
        return None
    with suppress(ValueError):
        shown.query = 3
    return shown._status


def main(rank, port, folder):
    os.environ |= {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port, "RANK": rank, "LOCAL_RANK": rank, "WORLD_SIZE": "2"}
    distributed.init_process_group("gloo", rank=int(rank), world_size=2)
    mesh = init_device_mesh("cpu", (2,))
    seen = {
        "tensor parallel, sdpa": tensor_parallel(mesh, "sdpa"),
        "tensor parallel, eager": tensor_parallel(mesh, "eager"),
        "tensor parallel, own code": own_tensor_parallel(mesh),
        "tensor parallel, as transformers plans it": planned(mesh, folder),
        "FSDP2": alike(sharded(mesh), llama()),
        "FSDP2, one token": alike(sharded(mesh), llama(), IDS[:, :1]),
        "DDP": alike(nn.parallel.DistributedDataParallel(llama()), llama()),
        "trained": trained(sharded(mesh), lambda model: None),
        "trained and looked at": trained(sharded(mesh), lambda model: HeadMap.of(model, inputs=IDS)),
        "large": large(mesh),
    }
    print(json.dumps(seen))
    distributed.destroy_process_group()


if __name__ == "__main__":
    main(*sys.argv[1:])
