"""`python -m dshlog` is the command `dshlog`."""

from __future__ import annotations

import sys

from dshlog.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
