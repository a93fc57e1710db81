"""``python -m bench NAME``: sdv (Boogie drivers; also --folder boogie)."""

from __future__ import annotations

import argparse
import sys

from bench import sdv

BENCHMARKS = {"sdv": sdv}


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench")
    names = parser.add_subparsers(required=True)
    for name, module in BENCHMARKS.items():
        one = names.add_parser(name, description=module.__doc__)
        module.add_arguments(one)
        one.set_defaults(main=module.main)
    options = parser.parse_args()
    code: int = options.main(options)
    return code


if __name__ == "__main__":
    sys.exit(main())
