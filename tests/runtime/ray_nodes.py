"""A Ray cluster on this machine, for testing: three CPUs on its head, a token that it wants, and the loopback only.

address = start()               # once in a process; the cluster ends with it
node = add_node(cpus=2)
kill_node(node)
"""

from __future__ import annotations

import atexit
import functools
import os
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cleave.runtime.ray_cluster import load_ray, read_token
from runtime.toy import ENVIRONMENT as TOY

if TYPE_CHECKING:
    from ray.cluster_utils import Cluster

CPUS = 3
ENVIRONMENT = {
    **TOY,
    "RAY_AUTH_MODE": "token",
    "RAY_AUTH_TOKEN": "tests-of-cleave-" + "0" * 32,
    "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",  # for Ray, that means: 127.0.0.1 is an address as any other
}


def start() -> str:
    """The cluster's address. This process has what it needs to join it in its environment from then on."""
    return str(_cluster().address)


def add_node(cpus: int) -> Any:
    return _cluster().add_node(num_cpus=cpus, node_ip_address="127.0.0.1")


def kill_node(node: Any) -> None:
    _cluster().remove_node(node, allow_graceful=False)


@functools.cache
def _cluster() -> Cluster:
    directory = tempfile.mkdtemp(prefix="cleave-nodes-", dir="/tmp")
    atexit.register(shutil.rmtree, directory, ignore_errors=True)  # runs after what is registered below
    os.environ.update(ENVIRONMENT, RAY_TMPDIR=directory)
    (Path(directory) / "ray").mkdir()
    load_ray()._private.ray_constants.ENABLE_RAY_CLUSTER = False  # Ray may have been imported before
    read_token()
    from ray.cluster_utils import Cluster

    cluster = Cluster(
        initialize_head=True,
        head_node_args={
            "num_cpus": CPUS,
            "include_dashboard": False,
            "node_ip_address": "127.0.0.1",
            "_system_config": {"enable_worker_prestart": False, "prestart_worker_first_driver": False},
        },
    )
    atexit.register(cluster.shutdown)
    return cluster
