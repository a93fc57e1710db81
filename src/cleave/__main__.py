"""``python -m cleave``: the command line, where the script ``cleave`` is not on the path."""

import sys

from cleave.cli.main import main

sys.exit(main())
