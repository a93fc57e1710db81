"""This process's connection to Ray: to a cluster that is there, or to one of its own.

    with joined("10.0.0.1:6379"):       # or "auto": the cluster that this machine is a node of
        ...                             # ray.remote, ray.get, ...
    with started(workers=4):            # on this machine, for this process only
        ...

A cluster that wants a token gets the one that the environment names, as Ray has it: ``RAY_AUTH_MODE=token`` with
``RAY_AUTH_TOKEN`` or ``RAY_AUTH_TOKEN_PATH``. One that is started here gets a token that nobody else knows, because
everybody who can reach a Ray can run anything on it, and is reached over the loopback only.

Ray keeps its connection, its logging and its token for the whole process, and lets some of that be set by private names
only: they are used in this module and nowhere else, and the extra pins the version that has them.
"""

from __future__ import annotations

import functools
import logging
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

from cleave.errors import MissingExtraError, UsageError

_CONNECT_SECONDS = 3.0
_ANSWER_SECONDS = 10.0  # of which a second or two is for importing Ray
_AUTHENTICATION = ("RAY_AUTH_MODE", "RAY_AUTH_TOKEN", "RAY_AUTH_TOKEN_PATH")


def load_ray() -> ModuleType:
    """Ray, told to be quiet: nobody is told about its usage, and the terminal is Cleave's."""
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    os.environ["RAY_ENABLE_AUTO_CONNECT"] = "0"  # or it starts a cluster whenever it is used without one
    try:
        import ray
    except ImportError as error:
        raise MissingExtraError("the Ray runtime needs Ray", "ray") from error
    logging.getLogger("ray").setLevel(logging.CRITICAL)
    return ray


def check_address(address: str) -> None:
    """Raises if no cluster can have such an address."""
    if address == "auto":
        address = os.environ.get("RAY_ADDRESS", "auto:0")
    if "://" in address:
        raise UsageError(f"{address}: Ray's client protocol can't be used; give HOST:PORT of the cluster's head")
    host, _, port = address.rpartition(":")
    if not host or not port.isdecimal():
        raise UsageError(f"{address}: the address of a Ray cluster is HOST:PORT, or auto")


@contextmanager
def joined(address: str) -> Iterator[None]:
    """Connected to the cluster at that address, which goes on afterwards."""
    ray = load_ray()
    _check_free()
    with _authentication({}):
        place = _find(address)
        _probe(place)
        try:
            _connect(f"the Ray cluster at {place} can't be joined", address=place)
            yield
        finally:
            ray.shutdown()


@contextmanager
def started(workers: int) -> Iterator[None]:
    """Connected to a Ray of this process's own, which ends with the connection or the process, however that ends.

    It ends with the thread that started it, too: Linux can't tell a thread that started a process from its process.
    If this process is killed, two of Ray's, which do nothing, look for their head for a minute before they end.
    """
    ray = load_ray()
    _check_free()
    constants: Any = ray._private.ray_constants
    before = constants.ENABLE_RAY_CLUSTER
    directory = tempfile.mkdtemp(prefix="cleave-ray-", dir="/tmp")  # not TMPDIR: paths of sockets have to be short
    with _authentication(_secret()):
        try:
            constants.ENABLE_RAY_CLUSTER = False  # for once, 127.0.0.1 is meant
            _connect(
                "Ray can't be started",
                address="local",
                num_cpus=workers,
                include_dashboard=False,
                _node_ip_address="127.0.0.1",
                _temp_dir=os.path.join(directory, "r"),  # Ray lets everybody into this one, but not into the other
            )
            yield
        finally:
            ray.shutdown(wait_for_processes=True)
            constants.ENABLE_RAY_CLUSTER = before
            shutil.rmtree(directory, ignore_errors=True)


def _check_free() -> None:
    if load_ray().is_initialized():
        raise UsageError("this process is connected to Ray already, and can be only once")


def _connect(failure: str, **options: Any) -> None:
    ray = load_ray()
    ray._private.worker._worker_logs_enabled = False  # of processes that died, which Ray would print whatever is said
    handler = signal.getsignal(signal.SIGTERM)
    try:
        ray.init(
            namespace=f"cleave-{secrets.token_hex(8)}",
            log_to_driver=False,
            logging_level=logging.CRITICAL,
            **options,
        )
    except Exception as error:  # Ray documents none
        raise UsageError(f"{failure}: {last_line(error)}") from error
    finally:
        if handler is not None and threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGTERM, handler)  # Ray has put its own in place


def check_node() -> None:
    """Raises if the node that this process talks through has died: some seconds later, Ray would end the process."""
    node: Any = load_ray()._private.worker._global_node
    try:
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(node.raylet_socket_name)
    except OSError as error:
        raise UsageError("the node of the Ray cluster on this machine has died") from error


def _find(address: str) -> str:
    """HOST:PORT of the cluster."""
    ray = load_ray()
    try:
        if address == "auto":
            ray._private.authentication.authentication_token_setup.maybe_enable_token_auth_if_token_available(False)
        place: str = ray._private.services.canonicalize_bootstrap_address(address)
    except (ConnectionError, ValueError, OSError) as error:
        raise UsageError(f"no Ray cluster is found at {address}: {last_line(error)}") from error
    return place


def _probe(place: str) -> None:
    """Raises unless a cluster answers there, soon, and takes our token: Ray itself would try for minutes, and print."""
    host, _, port = place.rpartition(":")
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=_CONNECT_SECONDS).close()
    except (OSError, OverflowError) as error:
        told = error.strerror if isinstance(error, OSError) else None
        raise UsageError(f"no Ray cluster answers at {place}: {told or error}") from error
    except ValueError:
        raise UsageError(
            f"{place} is no address of a Ray cluster: it has a host and a port, as in 10.0.0.1:6379"
        ) from None
    _ask(place, *map(os.environ.get, _AUTHENTICATION))


@functools.cache  # of a cluster that has answered: once is enough
def _ask(place: str, *_authentication: str | None) -> None:
    """In another process, because Ray's attempt to connect can't be stopped in this one."""
    command = [sys.executable, "-P", "-c", _PROBE, place]
    try:
        probe = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=_ANSWER_SECONDS
        )
    except subprocess.TimeoutExpired as error:
        raise UsageError(f"what listens at {place} does not answer as a Ray cluster does") from error
    if "InvalidAuthToken" in probe.stderr or "AuthenticationError" in probe.stderr:
        raise UsageError(
            f"the Ray cluster at {place} wants a token, which is missing or wrong: "
            "set RAY_AUTH_MODE=token and RAY_AUTH_TOKEN or RAY_AUTH_TOKEN_PATH"
        )
    if probe.returncode:
        raise UsageError(f"the Ray cluster at {place} can't be asked: {last_line(probe.stderr)}")


_PROBE = """
import sys
from ray._private.authentication.authentication_token_setup import ensure_token_if_auth_enabled
from ray._raylet import GcsClient
ensure_token_if_auth_enabled(None, False)
GcsClient(address=sys.argv[1])
"""


def _secret() -> dict[str, str]:
    """A token for a cluster of our own, unless the user has decided. Ray would put one into the user's home."""
    if any(name in os.environ for name in _AUTHENTICATION):
        return {}
    return {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32)}


@contextmanager
def _authentication(added: dict[str, str]) -> Iterator[None]:
    """The environment has that added to it, for Ray to see, until the end."""
    before = {name: os.environ.get(name) for name in _AUTHENTICATION}
    os.environ.update(added)
    read_token()
    try:
        yield
    finally:
        for name, value in before.items():
            os.environ.pop(name, None)
            if value is not None:
                os.environ[name] = value
        read_token()


def read_token() -> None:
    """Ray reads the environment once, when it is imported: this makes it do so again."""
    ray = load_ray()
    ray._raylet.Config.initialize("")  # before the token is forgotten, which threads of Ray may still look for
    ray._raylet.AuthenticationTokenLoader.instance().reset_cache()


def last_line(said: object) -> str:
    """What went wrong, of the page that Ray tells about it."""
    lines = [line.strip() for line in str(said).splitlines() if line.strip()]
    return (lines[-1] if lines else type(said).__name__)[:500]
