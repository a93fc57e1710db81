"""The settings of a server, and the limits that it keeps."""

from __future__ import annotations

import ipaddress
from pathlib import Path

from cleave.records import dataclass
from cleave.watch import usable_cores

MEGABYTE = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """``folder`` holds journals, ``jobs_folder`` what was submitted. ``token`` None: whoever reaches the server may use
    it, which is for loopback only. ``names`` are further names under which browsers reach the server.

    ``jobs`` run at once, with ``memory_mb`` for all of them; ``waiting`` more may wait. ``timelimit`` is the longest
    that a job may ask for, in seconds, and ``workers`` the most workers."""

    folder: Path
    jobs_folder: Path
    host: str = "127.0.0.1"
    port: int = 8080
    token: str | None = None
    names: tuple[str, ...] = ()
    jobs: int = 1
    memory_mb: int = 4000
    waiting: int = 200
    timelimit: float = 900.0
    workers: int = usable_cores()
    upload_bytes: int = 8 * MEGABYTE
    upload_files: int = 200

    @property
    def is_loopback(self) -> bool:
        return is_loopback(self.host)

    @property
    def job_memory_mb(self) -> int:
        """The share of a job that asks for none."""
        return max(1, self.memory_mb // self.jobs)


def is_loopback(host: str) -> bool:
    """
    >>> is_loopback("127.0.0.1"), is_loopback("::1"), is_loopback("localhost"), is_loopback("0.0.0.0")
    (True, True, True, False)
    """
    return host == "localhost" or (is_address(host) and ipaddress.ip_address(host).is_loopback)


def is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True
