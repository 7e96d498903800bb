"""Lists of seqs as schema 17 of the SQLite store keeps them: LEB128 varints of ZigZag differences.

Source: storage.md §7, E8.
"""

from __future__ import annotations

from dshlog.model.number import MAX_SAFE

_GROUP = 7  # bits of one byte
_MORE = 0x80  # says that another byte follows
_LONGEST = 8  # bytes; 54 bits hold the ZigZag form of every difference between two counts


def seqs_of(data: bytes) -> list[int] | str:
    """Give the seqs, or in words why the bytes are no such list."""
    seqs: list[int] = []
    value = length = 0
    for byte in data:
        value |= (byte & ~_MORE) << (_GROUP * length)
        length += 1
        if length > _LONGEST:
            return f"entry {len(seqs)} has more than {_LONGEST} bytes"
        if byte & _MORE:
            continue
        if not byte and length > 1:
            return f"entry {len(seqs)} is spelled longer than it must be"
        seq = value if not seqs else seqs[-1] + ((value >> 1) ^ -(value & 1))
        if not 0 <= seq <= MAX_SAFE:
            return f"entry {len(seqs)} is {seq}, which is no seq"
        seqs.append(seq)
        value = length = 0
    return f"entry {len(seqs)} ends before its last byte" if length else seqs
