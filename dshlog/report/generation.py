"""A log as a later generation has it, for whoever compares it with a log of that one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dshlog.report.framing import Fresh
from dshlog.report.upgrade import Upgraded, upgrade
from dshlog.storage.source import BytesSource

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dshlog.migrate.children import Child
    from dshlog.model.report import Encoding
    from dshlog.storage.source import Source

_TEXT = 1 << 20  # bytes of text of a frame


def lifted(
    source: Source, encoding: Encoding | None, to: int, children: Iterable[Child] = ()
) -> tuple[BytesSource | None, Upgraded]:
    """Upgrade a log in memory, compressed; None with the reasons when dsh would not open it."""
    pieces: list[bytes] = []
    framing = Fresh(pieces.append, None, _TEXT)
    headed = False

    def write(text: bytes) -> None:
        nonlocal headed
        (framing.text if headed else framing.header)(text)
        headed = True

    done = upgrade(source, encoding, to=to, children=children, write=write, verify=False)
    framing.close()
    return (BytesSource(b"".join(pieces)) if done.opens and headed and not done.unheld else None), done
