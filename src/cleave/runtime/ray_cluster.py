"""This process's connection to Ray: to a cluster that is there, or to one of its own.

    with joined("10.0.0.1:6379"):       # or "auto": the cluster that this machine is a node of
        ...                             # ray.remote, ray.get, ...
    with started(workers=4):            # on this machine, for this process only
        ...

A cluster that wants a token gets the one that the environment names, as Ray has it: ``RAY_AUTH_MODE=token`` with
``RAY_AUTH_TOKEN`` or ``RAY_AUTH_TOKEN_PATH``. One that is started here gets a token that nobody else knows, because
whoever can talk to a Ray can run anything on it, and is reached over the loopback only.

Ray keeps its connection, its logging and its token for the whole process, and lets some of that be set by private names
only: they are used in this module and nowhere else, and the extra pins the version that has them.
"""

from __future__ import annotations

import logging
import os
import queue
import secrets
import shutil
import signal
import socket
import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import ModuleType
from typing import Any

from cleave.errors import CleaveError, UsageError

_ANSWER_SECONDS = 5.0
_AUTHENTICATION = ("RAY_AUTH_MODE", "RAY_AUTH_TOKEN", "RAY_AUTH_TOKEN_PATH")


def load_ray() -> ModuleType:
    """Ray, told to be quiet: nobody is told about its usage, and the terminal is Cleave's."""
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    os.environ.setdefault("RAY_BACKEND_LOG_LEVEL", "fatal")
    try:
        import ray
    except ImportError as error:
        raise UsageError("the Ray runtime needs the extra: pip install 'cleave[ray]'") from error
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
    """
    ray = load_ray()
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
                _temp_dir=directory,
            )
            yield
        finally:
            ray.shutdown(wait_for_processes=True)
            constants.ENABLE_RAY_CLUSTER = before
            shutil.rmtree(directory, ignore_errors=True)


def _connect(failure: str, **options: Any) -> None:
    ray = load_ray()
    if ray.is_initialized():
        raise CleaveError(f"{failure}: this process is connected to Ray already")
    handler = signal.getsignal(signal.SIGTERM)
    try:
        ray.init(
            namespace=f"cleave-{secrets.token_hex(8)}",
            log_to_driver=False,
            logging_level=logging.CRITICAL,
            **options,
        )
    except Exception as error:  # Ray documents none
        raise CleaveError(f"{failure}: {last_line(error)}") from error
    finally:
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGTERM, handler)  # Ray has put its own in place


def _find(address: str) -> str:
    """HOST:PORT of the cluster."""
    ray = load_ray()
    try:
        if address == "auto":
            ray._private.authentication.authentication_token_setup.maybe_enable_token_auth_if_token_available(False)
        place: str = ray._private.services.canonicalize_bootstrap_address(address)
    except (ConnectionError, ValueError, OSError) as error:
        raise CleaveError(f"no Ray cluster is found at {address}: {last_line(error)}") from error
    return place


def _probe(place: str) -> None:
    """Raises unless a cluster answers there, soon, and takes our token. Ray would try for minutes, and print."""
    host, _, port = place.rpartition(":")
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=_ANSWER_SECONDS).close()
    except OSError as error:
        raise CleaveError(f"no Ray cluster answers at {place}: {error.strerror or error}") from error
    answers: queue.SimpleQueue[Exception | None] = queue.SimpleQueue()
    threading.Thread(target=_ask, args=(place, answers), name="cleave-ray-probe", daemon=True).start()
    try:
        refusal = answers.get(timeout=_ANSWER_SECONDS)
    except queue.Empty:
        raise CleaveError(f"what listens at {place} does not answer as a Ray cluster does") from None
    if refusal is not None:
        raise CleaveError(_describe(place, refusal)) from refusal


def _ask(place: str, answers: queue.SimpleQueue[Exception | None]) -> None:
    ray = load_ray()
    try:
        ray._private.authentication.authentication_token_setup.ensure_token_if_auth_enabled(None, False)
        ray._raylet.GcsClient(address=place)
        answers.put(None)
    except Exception as error:
        answers.put(error)


def _describe(place: str, error: Exception) -> str:
    if isinstance(error, load_ray().exceptions.AuthenticationError) or "InvalidAuthToken" in str(error):
        return (
            f"the Ray cluster at {place} wants a token, which is missing or wrong: "
            "set RAY_AUTH_MODE=token and RAY_AUTH_TOKEN or RAY_AUTH_TOKEN_PATH"
        )
    return f"the Ray cluster at {place} refuses: {last_line(error)}"


def _secret() -> dict[str, str]:
    """A token for a cluster of our own, unless the user has decided. Ray would put one into the user's home."""
    if any(name in os.environ for name in _AUTHENTICATION):
        return {}
    return {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32)}


@contextmanager
def _authentication(added: dict[str, str]) -> Iterator[None]:
    """Ray reads the environment again, with that added to it, and forgets it in the end."""
    ray = load_ray()
    before = {name: os.environ.get(name) for name in _AUTHENTICATION}

    def read() -> None:
        ray._raylet.Config.initialize("")  # before the token is forgotten, which threads of Ray may still look for
        ray._raylet.AuthenticationTokenLoader.instance().reset_cache()

    os.environ.update(added)
    read()
    try:
        yield
    finally:
        for name, value in before.items():
            os.environ.pop(name, None)
            if value is not None:
                os.environ[name] = value
        read()


def last_line(error: BaseException) -> str:
    """What went wrong, of the page that Ray tells about it."""
    lines: Sequence[str] = [line.strip() for line in str(error).splitlines() if line.strip()]
    return (lines[-1] if lines else type(error).__name__)[:500]
