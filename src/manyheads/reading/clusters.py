"""Models in pieces on several processes, by PyTorch's own engines: which heads are where, and who has the map."""

import torch
from torch import Tensor, distributed


def is_sharded(module):
    """Whether the parameters of a module are in pieces on several processes, as DTensors."""
    return any(_meshes(module))


def holds_map(module):
    """Whether this process gets the map of a module: the first of those that have pieces of it."""
    return all(not any(mesh.get_coordinate()) for mesh in _meshes(module))


def _meshes(module):
    meshes = (getattr(parameter, "device_mesh", None) for parameter in module.parameters())
    return [mesh for mesh in dict.fromkeys(meshes) if mesh is not None and mesh.size() > 1]


def make_whole(tensor):
    """A tensor from its pieces on all processes; another as it is."""
    return tensor.full_tensor() if hasattr(tensor, "full_tensor") else tensor


def group_of(parts):
    """The group of processes among which tensor parallelism divides the heads, by the innermost part with parameters.

    None where each process has all of them: what FSDP2 divides is whole while it computes.
    """
    parameters = next(filter(None, ([*part.parameters()] for part in parts)), ())
    for parameter in parameters:
        for axis, placement in enumerate(getattr(parameter, "placements", ())):
            if placement.is_shard() and parameter.device_mesh.size(axis) > 1:
                return parameter.device_mesh.get_group(axis)
    return None


def gather_heads(weights: Tensor, group, heads=None):  # [b, h, q, k]
    """The weights of all heads, on the first process of a group; on the others their shape alone.

    Where all have the same weights, these are all heads already. Of one token they're the same anyway, and `heads`
    tells, how many the module says there are.
    """
    first = distributed.get_rank(group) == 0
    parts = [None] * distributed.get_world_size(group) if first else None
    distributed.gather_object(weights, parts, group=group, group_dst=0)
    if first:
        alike = all(torch.equal(part, weights) for part in parts)
        weights = weights if alike and heads in (None, weights.shape[-3]) else torch.cat(parts, -3)
    shape = [tuple(weights.shape)]
    distributed.broadcast_object_list(shape, group=group, group_src=0)
    return weights if first else torch.empty(shape[0], device="meta")
