"""Prints what ATEN_CPU_CAPABILITY may be here: torch computes with no more instructions than that. The last one is the machine's own."""

import torch

X86 = ["default", "avx2", "avx512"]

own = torch.backends.cpu.get_cpu_capability().lower()
print(*X86[: X86.index(own) + 1] if own in X86 else X86[:1])
