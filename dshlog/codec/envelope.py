"""The envelope of one stored row, checked exactly: what the row decoder of a generation asks of it.

Source: events.md §2 (E-001..E-008, E-017, E-030), storage.md §4.1.
"""

from __future__ import annotations

from typing import Any

from dshlog.codec.sources import Sources, decode_sources
from dshlog.model.fault import Fault
from dshlog.model.number import as_count, as_int, is_number

MEMBERS = frozenset({"type", "seq", "time", "data", "ignorable", "surfaceOp", "sourceEventSeqs"})
REQUIRED = ("type", "seq", "time", "data")
DENSE_DECODER = 2  # the first generation whose row decoder looks at the whole envelope
OWN_DECODER = 3  # v1 and v2 are decoded by who converts them, later ones by their own readers


class Row:
    """One decoded row.

    `seq` is the position as a count, None when the row has no usable one. `sources` are the decoded
    `sourceEventSeqs`, None when absent or faulty. `malformed` are faults for which the row decoder
    refuses the row; `odd` those that only a later check of the same reader refuses.
    """

    __slots__ = ("malformed", "odd", "seq", "sources")

    def __init__(self) -> None:
        self.seq: int | None = None
        self.sources: Sources | None = None
        self.malformed: list[Fault] = []
        self.odd: list[Fault] = []


def decode_row(row: dict[str, Any], version: int) -> Row:
    """Check the envelope of a row that is a JSON object and no packed row.

    `seq` is judged for its form only; the caller compares it with the position.
    """
    out = Row()
    # The decoders of v0 and v1 look at `seq` and `sourceEventSeqs` alone; adoption sees the rest.
    form = out.malformed if version >= DENSE_DECODER else out.odd
    form += [Fault("member-missing", f"{name} is missing", f"$.{name}") for name in REQUIRED if name not in row]
    form += [
        Fault("member-unknown", f"{_plain(name)} is no member of an event", f"$.{_plain(name)}")
        for name in row
        if name not in MEMBERS
    ]
    if "type" in row and type(row["type"]) is not str:
        form.append(Fault("type-not-text", "type is no text", "$.type"))
    if "time" in row and as_int(row["time"]) is None and not (version == 0 and _negative_zero(row["time"])):
        form.append(Fault("time-not-integer", f"time {_shown(row['time'])} is no integer", "$.time"))
    if "ignorable" in row and row["ignorable"] is not True:
        form.append(Fault("ignorable-not-true", "ignorable is present and not true", "$.ignorable"))
    _seq(row, version, out)
    if "sourceEventSeqs" in row and out.seq is not None:
        sources = decode_sources(row["sourceEventSeqs"], out.seq, distinct=version >= DENSE_DECODER)
        if isinstance(sources, Fault):
            out.malformed.append(sources)
        else:
            out.sources = sources
    return out


def _seq(row: dict[str, Any], version: int, out: Row) -> None:
    """Read `seq`; a row whose seq is of no form may pass, which is then a gap.

    v0 lets one of another kind pass. Who converts v1 and v2 looks at the form only where sources are to be
    decoded, and compares otherwise.
    """
    if "seq" not in row:
        if "sourceEventSeqs" in row:
            out.malformed.append(Fault("seq-not-count", "seq is missing beside sourceEventSeqs", "$.seq"))
        return
    seq = row["seq"]
    out.seq = as_count(seq)
    if out.seq is not None:
        return
    if version in {1, 2, 4} and _negative_zero(seq):
        # Negative zero equals position 0 in these decoders; from v2 on a later check refuses it.
        out.seq = 0
        if version >= DENSE_DECODER:
            out.odd.append(Fault("seq-not-count", "seq is negative zero", "$.seq"))
    elif "sourceEventSeqs" in row or version >= OWN_DECODER or (version == 0 and is_number(seq)):
        out.malformed.append(Fault("seq-not-count", f"seq {_shown(seq)} is no count", "$.seq"))
    else:
        out.odd.append(Fault("seq-not-count", f"seq {_shown(seq)} is no count", "$.seq"))


def _negative_zero(value: object) -> bool:
    return type(value) is float and value == 0


def _shown(value: object) -> str:
    """Show a scalar in a message; what is not a number is named by its kind, never quoted."""
    if is_number(value):
        return f"{value!r}"
    return {bool: "(a boolean)", str: "(a text)", type(None): "(null)", list: "(a list)"}.get(
        type(value), "(an object)"
    )


def _plain(name: str) -> str:
    """Show a member name without control characters or lone surrogates, cut at 40 characters."""
    return name if name.isprintable() and len(name) <= 40 else ascii(name[:40])[1:-1]  # noqa: PLR2004
