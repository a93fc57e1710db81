"""``python -m cleave_check c.cleave [FILE ...]``: see `refusal` for exit codes."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence

from cleave_check.certificate import Certificate, digest, read_bytes, read_certificate
from cleave_check.check import Report, allow_depth, check
from cleave_check.refusal import OtherSource, Refusal, Undecided
from cleave_check.solvers import NAMES


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("certificate", metavar="CERTIFICATE", help="a file that --certificate wrote")
    parser.add_argument("files", metavar="FILE", nargs="*", help="the sources: they must be those of the certificate")
    parser.add_argument("--solver", choices=NAMES, help="ask this solver only, even if it searched")
    parser.add_argument("--seconds", type=float, default=120.0, help="processor time for each solver (default: 120)")


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="cleave_check", description="Checks a certificate of Cleave.")
    add_arguments(parser)
    try:
        options = parser.parse_args(arguments)
    except SystemExit as end:
        return 1 if end.code else 0
    try:
        return run(options.certificate, options.files, options.solver, options.seconds)
    except BrokenPipeError:  # who reads the answer went away
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except KeyboardInterrupt:
        print("undecided: interrupted", file=sys.stderr)
        return Undecided.exit_code


def run(
    file: str,
    sources: Sequence[str],
    solver: str | None,
    seconds: float,
    reread: Callable[[Certificate], str] | None = None,
) -> int:
    """Prints the answer; the exit code. ``reread`` makes the subject again from its source, and says so."""
    allow_depth()
    sys.set_int_max_str_digits(0)  # the reader has a limit of its own
    try:
        certificate = read_certificate(read_bytes(file))
        matched = _matched(certificate, sources)
        again = reread(certificate) if reread is not None else ""
        report = check(certificate, seconds=seconds, solver=solver)
        said = lines(certificate, report, matched, again)
    except Refusal as refusal:
        print(harmless(f"{refusal.word}: {refusal}"))
        return refusal.exit_code
    except Exception as error:  # a mistake of the checker is no reason to believe a certificate
        print(harmless(f"undecided: the checker failed with {type(error).__name__}: {str(error)[:200]}"))
        return Undecided.exit_code
    for line in said:
        print(harmless(line))
    return 0


def lines(certificate: Certificate, report: Report, matched: bool, again: str) -> list[str]:
    """``again``: what was found when the source was read again; empty if it was not."""
    origin = certificate.origin
    sources = ", ".join(f"{name} (sha256 {value[:16]})" for name, value in certificate.sources.items())
    found = [
        "accepted",
        f"claim: {report.claim}",
        f"about: {sources}; {'the files are these' if matched else 'no file was given to compare with'}",
    ]
    if certificate.reading:
        found.append(f"read with{'' if again else ' (as the writer says)'}: {'; '.join(certificate.reading)}")
    found += [f"checked: {line}" for line in ([again] if again else []) + report.checked]
    front_end, *others = report.rests_on
    found += [f"rests on: {line}" for line in (f"{front_end} (now, too)" if again else front_end, *others)]
    found += [f"rests on (as the writer says): {line}" for line in origin["assumptions"]]
    return found


def _matched(certificate: Certificate, sources: Sequence[str]) -> bool:
    if not sources:
        return False
    given = sorted(digest(read_bytes(source)) for source in sources)
    if given != sorted(certificate.sources.values()):
        raise OtherSource("the certificate is about another source than the given files")
    return True


def harmless(line: str) -> str:
    """On one line, without what a terminal would obey."""
    return "".join(c if c.isprintable() else f"\\x{ord(c):02x}" for c in line)


if __name__ == "__main__":
    sys.exit(main())
