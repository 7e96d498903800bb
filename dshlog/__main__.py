"""`python -m dshlog` is the command `dshlog`."""

from __future__ import annotations

from dshlog.cli.main import run

if __name__ == "__main__":
    run()
