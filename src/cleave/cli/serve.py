"""``cleave serve``: pages and an API over runs, in a browser."""

from __future__ import annotations

import argparse
import contextlib
import os
import secrets
import socket
from pathlib import Path
from typing import Any

from cleave.cli.arguments import megabytes, seconds, whole_number
from cleave.cli.printing import say
from cleave.cli.problem import add_journal, folder
from cleave.errors import MissingExtraError, UsageError
from cleave.watch import usable_cores

_NICE = 5


def add_to(commands: Any) -> None:
    parser = commands.add_parser(
        "serve",
        help="show runs in a browser, and verify programs that are submitted there",
        description="Serves pages and an API about all runs that have a journal, and verifies submitted programs, each"
        " in its own process. Needs the extra web. On addresses other than loopback, users need the token that the"
        " server prints at its start.",
    )
    add_journal(parser, "where the journals are")
    parser.add_argument("--host", default="127.0.0.1", metavar="ADDR", help="the address (default 127.0.0.1)")
    parser.add_argument("--port", type=_port, default=8080, metavar="N", help="the port; 0: any (default 8080)")
    parser.add_argument("--token", action="store_true", help="ask for a token on loopback, too")
    parser.add_argument(
        "--name", action="append", default=[], metavar="HOST", help="a name under which browsers reach the server"
    )
    limits = parser.add_argument_group("limits on what is submitted")
    cores = usable_cores()
    default = max(1, cores // 2)
    limits.add_argument(
        "--jobs",
        type=whole_number,
        default=default,
        metavar="N",
        help="number of jobs that run at once (default: half of the cores)",
    )
    limits.add_argument(
        "--memory", type=megabytes, default=0, metavar="M", help="memory for all jobs (default: half of this machine's)"
    )
    limits.add_argument(
        "--waiting", type=whole_number, default=200, metavar="N", help="number of jobs in the queue (default 200)"
    )
    limits.add_argument(
        "--workers",
        type=whole_number,
        default=cores,
        metavar="N",
        help="largest number of workers of a job (default: one for each core)",
    )
    limits.add_argument(
        "--timelimit", type=seconds, default=900.0, metavar="T", help="largest time limit of a job (default 15m)"
    )
    limits.add_argument(
        "--upload", type=megabytes, default=8, metavar="M", help="largest size of a request (default 8 MB)"
    )
    parser.set_defaults(run=run)


def _port(text: str) -> int:
    if not text.isascii() or not text.isdigit() or int(text) > 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is not a port from 0 to 65535")
    return int(text)


def run(options: argparse.Namespace) -> int:
    try:
        import uvicorn

        from cleave.web.app import make_app
        from cleave.web.settings import MEGABYTE, Settings, is_loopback
    except ImportError:
        raise MissingExtraError("pages need a server", "web") from None
    listening = _listening(options.host, options.port)
    port = listening.getsockname()[1]
    token = secrets.token_urlsafe(24) if options.token or not is_loopback(options.host) else None
    journals = folder(options).absolute()
    settings = Settings(
        folder=journals,
        jobs_folder=journals.with_name(f"{journals.name}-jobs"),
        host=options.host,
        port=port,
        token=token,
        names=(*options.name, *(() if is_loopback(options.host) else (socket.gethostname(), socket.getfqdn()))),
        jobs=options.jobs,
        memory_mb=options.memory or _half_of_memory(),
        waiting=options.waiting,
        timelimit=options.timelimit,
        workers=options.workers,
        upload_bytes=options.upload * MEGABYTE,
    )
    app = make_app(settings)
    shown = f"[{options.host}]" if ":" in options.host else options.host
    address = f"http://{shown}:{port}/"
    say(f"cleave: runs of {journals} at {address if token is None else f'{address}login?token={token}'}")
    if token is not None:
        say("cleave: the token is in that address; who has it can submit programs. It is not printed again.")
    config = uvicorn.Config(
        app, log_level="warning", access_log=False, server_header=False, timeout_graceful_shutdown=3
    )
    with contextlib.suppress(OSError):
        os.nice(_NICE)  # whoever looks at a run does not slow it; jobs inherit it
    with contextlib.suppress(KeyboardInterrupt):  # which ends it, once its jobs have been told to stop
        uvicorn.Server(config).run(sockets=[listening])
    return 0


def _listening(host: str, port: int) -> socket.socket:
    """Bound before anything is printed: the port may be any, or taken."""
    try:
        family, kind, *_, place = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listening = socket.socket(family, kind)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(place)
        listening.listen(512)
    except OSError as error:
        raise UsageError(f"can't listen on {host}, port {port}: {error.strerror or error}") from None
    return listening


def _half_of_memory() -> int:
    for line in Path("/proc/meminfo").read_text().splitlines() if Path("/proc/meminfo").exists() else ():
        if line.startswith("MemTotal:"):
            return max(1000, int(line.split()[1]) // 2000)
    return 4000
