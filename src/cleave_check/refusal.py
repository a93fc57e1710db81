"""Why a certificate is not accepted: one sentence, and an exit code that says of which kind it is.

| code | meaning |
| --- | --- |
| 0 | accepted |
| 1 | the command makes no sense |
| 11 | refused: the evidence does not show the claim |
| 12 | the file is not a certificate that this checker reads |
| 13 | the certificate is about another source than the file that was given |
| 14 | undecided: nothing speaks against the claim, but a solver or a limit gave up |
"""

from __future__ import annotations

from typing import ClassVar


class Refusal(Exception):  # noqa: N818 (it is an answer)
    """The evidence does not show the claim."""

    exit_code: ClassVar[int] = 11
    word: ClassVar[str] = "refused"


class Unreadable(Refusal):
    exit_code = 12
    word = "unreadable"


class OtherSource(Refusal):
    exit_code = 13
    word = "refused"


class Undecided(Refusal):
    exit_code = 14
    word = "undecided"
