"""Kernels that start with all that chapters import: each is forked from one process that has imported it.

Torch, transformers and what rests on them take seconds to import. A kernel for each of twenty chapters that imports
them by itself keeps two processors busy for a minute. (The server of `multiprocessing` would run the program that
builds the book in each fork once more.)
"""

import json
import os
import signal
import subprocess
import sys
from functools import cache
from importlib import import_module
from threading import Lock

from jupyter_client import AsyncKernelManager

CAN_FORK = sys.platform == "linux"  # elsewhere what torch brings may not survive a fork
IMPORTED = (
    "ipykernel.kernelapp",
    "manyheads",
    "manyheads.models.encoder",
    "matplotlib.pyplot",
    "myst_nb",
    "torch",
    "transformers",
)
LAUNCHING = Lock()


class WarmKernelManager(AsyncKernelManager):
    """Starts kernels as forks."""

    async def _async_launch_kernel(self, kernel_cmd, **options):
        process = ForkedKernel(kernel_cmd, str(options["cwd"]), options["env"])
        self.provisioner.process, self.provisioner.pid = process, process.pid
        self._reconcile_connection_info(self.provisioner.connection_info)


KERNELS = {"kernel_manager_class": WarmKernelManager} if CAN_FORK else {}  # what an execution by nbclient is told


@cache
def server():
    """The process that has imported all and forks, for as long as this one lives."""
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    return subprocess.Popen([sys.executable, "-c", f"from {__name__} import serve; serve()"], text=True, **pipes)


class ForkedKernel:
    """A kernel, as Jupyter handles a process of `subprocess`."""

    stdin = stdout = stderr = None

    def __init__(self, command, cwd, env):
        with LAUNCHING:
            print(json.dumps([command, cwd, dict(env)]), file=server().stdin, flush=True)
            self.pid = int(server().stdout.readline())

    def poll(self):
        try:
            os.kill(self.pid, 0)
        except ProcessLookupError:
            return 0

    def wait(self):
        """Jupyter asks this when `poll` has said that it ended."""
        return self.poll()

    def send_signal(self, number):
        os.kill(self.pid, number)

    def terminate(self):
        self.send_signal(signal.SIGTERM)

    def kill(self):
        self.send_signal(signal.SIGKILL)


def serve():
    """Forks a kernel for each line that comes in, and answers with its number."""
    for name in IMPORTED:
        import_module(name)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the system then forgets kernels that ended
    for line in sys.stdin:
        if not (pid := os.fork()):
            return run_kernel(*json.loads(line))
        print(pid, flush=True)


def run_kernel(command, cwd, env):
    """Becomes the kernel that a command would start."""
    import matplotlib
    from ipykernel.kernelapp import IPKernelApp

    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    os.environ.clear()
    os.environ.update(env)
    os.chdir(cwd)
    matplotlib.rcParams["backend"] = "module://matplotlib_inline.backend_inline"  # a kernel sets it before the import
    ends_with = f"--IPKernelApp.parent_handle={os.getppid()}"  # else it outlives a build that is broken off
    IPKernelApp.launch_instance(argv=[*command[command.index("-f") :], ends_with, "--log-level=CRITICAL"])
    os._exit(0)  # it has answered; what Python and torch do at their end takes seconds
