"""What makes a finding the same one in the next run: its file, code, seq and member, never its words."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from dshlog.model.finding import Finding

_HEX = 32  # digits; half of a SHA-256 is unique enough and shorter to read


class Identity(NamedTuple):
    """The four things that stay when a message is worded anew, or records are put in front in the file."""

    path: str
    code: str
    seq: int | None
    json_path: str | None


def identity(finding: Finding, path: Callable[[str], str]) -> Identity:
    """Give the identity of a finding; `path` says how its file is named."""
    place = finding.place
    row = place.row
    if row is None:
        return Identity(path(place.file), finding.code, place.seq, place.json_path)
    # What stands behind the database is no part of a path, and a row has a seq even where its event has none.
    file = path(row.database) + place.file[len(row.database) :]
    return Identity(file, finding.code, row.seq if place.seq is None else place.seq, place.json_path)


def fingerprints(findings: Iterable[Finding], path: Callable[[str], str]) -> list[str]:
    """Give a fingerprint for each finding of one log; equal identities are told apart by their order."""
    from hashlib import sha256

    met: Counter[Identity] = Counter()
    out: list[str] = []
    for finding in findings:
        own = identity(finding, path)
        text = "\0".join((*map(str, own), str(met[own])))
        met[own] += 1
        out.append(sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_HEX])
    return out
