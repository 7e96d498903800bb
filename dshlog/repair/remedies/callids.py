"""Calls under another id: in the message that advertises them, in its chunks or its stream, at their start, in their result."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dshlog.fold.identity import ABSENT, member
from dshlog.repair.plan import NOTHING
from dshlog.repair.remedies.case import edit, shown
from dshlog.repair.remedies.fields import flat
from dshlog.repair.seqs import Seqs

if TYPE_CHECKING:
    from collections.abc import Callable

    from dshlog.repair.plan import Action
    from dshlog.repair.remedies.case import Case
    from dshlog.repair.sheet import Sheet

    Event = dict[str, Any]

_NO_RESULT = object()
_EMBEDDED = 2  # the first generation whose messages hold their stream


def fill_ids(case: Case) -> Action | None:
    """Give the calls of a step without a usable id new ones; what they say and cite, then order, tells several apart."""
    lines = step_of(case)
    at = next((index for index in lines if _unusable(case.sheet, index)), None)
    if at is None:
        return None
    bad = _unusable(case.sheet, at)[0]
    blocks = _calls(case.sheet, at, bad)
    starts = [index for index in lines if _started(case.sheet, index, bad)]
    results = [index for index in lines if _alike(answered(case.sheet, index), bad)]
    if len(blocks) > 1 and any(len(found) not in {0, len(blocks)} for found in (starts, results)):
        return None
    seq = case.sheet.seq_of(case.sheet.lines[at])
    taken = [member(block, "id") for block in _content(case.sheet.lines[at].row)]
    known = [_chunk_id(case.sheet, at, block, case.version) for block in blocks]
    known = [name if name not in taken and known.count(name) == 1 else None for name in known]
    plain = f"recovered-call-{seq}"
    names = [name or (plain if len(blocks) == 1 else f"{plain}-{number}") for number, name in enumerate(known, 1)]
    said = f"calls without an id get the ids {', '.join(names)}, in each of their records"
    done = case.done("edit", said, loss=NOTHING if bad in ("", None, ABSENT) else f"the id {shown(bad)}")
    begun, ended = _owners(case.sheet, [_content(case.sheet.lines[at].row)[block] for block in blocks], starts, results)
    rename_blocks(case.sheet, at, dict(zip(blocks, names, strict=True)), case.version)
    for found, change in ((begun, _start_as), (ended, answer_as)):
        for index, number in found.items():
            change(case.sheet, index, names[number])
    return done


def _owners(
    sheet: Sheet, blocks: list[Event], starts: list[int], results: list[int]
) -> tuple[dict[int, int], dict[int, int]]:
    """Give to which of the calls each start and each result belongs: to that which says the same, and which it cites."""
    begun = _paired(starts, len(blocks), lambda index, number: _says(sheet, index, blocks[number]))
    seqs = {number: sheet.seq_of(sheet.lines[index]) for index, number in begun.items()}
    cited = {index: flat((sheet.lines[index].row or {}).get("sourceEventSeqs")) or () for index in results}
    return begun, _paired(results, len(blocks), lambda index, number: seqs.get(number) in cited[index])


def _paired(lines: list[int], size: int, fits: Callable[[int, int], bool]) -> dict[int, int]:
    """Give each line the first number that fits it and is left, and the others the next ones that are."""
    free = list(range(size))
    found: dict[int, int] = {}
    for index in lines:
        number = next((number for number in free if fits(index, number)), None)
        if number is not None:
            found[index] = number
            free.remove(number)
    return found | {index: free.pop(0) if free else size - 1 for index in lines if index not in found}


def rename_second(case: Case) -> Action | None:
    """Give the later one of two calls with one id another id, at its start and in its result too."""
    sheet, lines = case.sheet, step_of(case)
    seen: dict[object, tuple[int, int]] = {}
    for index in lines:
        for at, block in enumerate(_content(sheet.lines[index].row)):
            name = block.get("id") if _is_call(block) else None
            if type(name) is not str or not name:
                continue
            if name not in seen:
                seen[name] = (index, at)
            elif index == case.index:
                return _rename(case, lines, name, seen[name], at)
    return None


def _rename(case: Case, lines: range, name: str, first: tuple[int, int], at: int) -> Action:
    sheet = case.sheet
    made = f"{name}#{case.position}"
    block, before = _content(sheet.lines[case.index].row)[at], _content(sheet.lines[first[0]].row)[first[1]]
    starts = [index for index in lines if _started(sheet, index, name)]
    results = [index for index in lines if answered(sheet, index) == name]
    ours = [index for index in starts if _says(sheet, index, block) and not _says(sheet, index, before)]
    start = ours[0] if ours else starts[1] if len(starts) > 1 else None
    seq = None if start is None else sheet.seq_of(sheet.lines[start])
    cited = [index for index in results if seq in (flat((sheet.lines[index].row or {}).get("sourceEventSeqs")) or ())]
    result = cited[0] if cited else results[1] if len(results) > 1 else None
    done = case.done(
        "edit", f"the second call {name} becomes {made}, in each of its records", loss="the id of the second call"
    )
    rename_blocks(sheet, case.index, {at: made}, case.version)
    if start is not None:
        _start_as(sheet, start, made)
    if result is not None:
        answer_as(sheet, result, made)
    return done


def called_arguments(case: Case) -> Action | None:
    """Let a message advertise the name and the arguments that the call was started with."""
    data = (case.row or {}).get("data")
    name = data.get("callId") if type(data) is dict else None
    found = [(index, at) for index in step_of(case) for at in _calls(case.sheet, index, name)]
    if type(data) is not dict or len(found) != 1:
        return None
    index, at = found[0]
    row = case.sheet.lines[index].row or {}
    block = {**_content(row)[at], "name": data.get("name"), "arguments": data.get("arguments")}
    done = case.done(
        "edit", "the message advertises the name and the arguments of this call", loss="those that it advertised"
    )
    content = [block if place == at else other for place, other in enumerate(_content(row))]
    edit(case.sheet, index, {**row, "data": {**row["data"], "message": {**row["data"]["message"], "content": content}}})
    return done


def step_of(case: Case) -> range:
    """Give the indices of the lines of the step that a line stands in."""
    lines, first, last = case.sheet.lines, case.index, case.index
    while first > 1 and (lines[first].row or {}).get("type") != "step/start":
        first -= 1
    while last + 1 < len(lines) and (lines[last].row or {}).get("type") != "step/end":
        last += 1
    return range(first, last + 1)


def rename_blocks(sheet: Sheet, index: int, names: dict[int, str], version: int) -> None:
    """Give calls of a message, by their places in its content, other ids, and their chunks with them."""
    row = sheet.lines[index].row or {}
    content = [{**block, "id": names[at]} if at in names else block for at, block in enumerate(_content(row))]
    data = {**row["data"], "message": {**row["data"]["message"], "content": content}}
    if version >= _EMBEDDED and type(data.get("stream")) is list:
        data["stream"] = [_record(record, names) for record in data["stream"]]
    edit(sheet, index, {**row, "data": data})
    for line in _chunk_lines(sheet, row, version):
        chunk = sheet.lines[line].row or {}
        made = _chunk_row(chunk, names)
        if made is not chunk:
            edit(sheet, line, made)


def _chunk_row(row: Event, names: dict[int, str]) -> Event:
    data = row.get("data")
    if type(data) is not dict:
        return row
    if "seq0" in row:
        made = _record(data, names)
        return row if made is data else {**row, "data": made}
    chunk = _chunk(data.get("chunk"), names)
    return row if chunk is data.get("chunk") else {**row, "data": {**data, "chunk": chunk}}


def _record(record: Any, names: dict[int, str]) -> Any:  # noqa: ANN401 - a JSON value
    if type(record) is not dict:
        return record
    if record.get("type") == "chunk":
        return {**record, "chunk": _chunk(record.get("chunk"), names)}
    at = record.get("index")
    return {**record, "id": names[at]} if "id" in record and type(at) is int and at in names else record


def _chunk(chunk: Any, names: dict[int, str]) -> Any:  # noqa: ANN401
    at = chunk.get("index") if type(chunk) is dict else None
    if type(at) is not int or at not in names:
        return chunk
    if "id" in chunk:
        return {**chunk, "id": names[at]}
    block = chunk.get("block")
    return {**chunk, "block": {**block, "id": names[at]}} if type(block) is dict and _is_call(block) else chunk


def _chunk_id(sheet: Sheet, index: int, at: int, version: int) -> str | None:
    """Give the id that the chunks of a message still have for a call."""
    row = sheet.lines[index].row or {}
    held = row["data"].get("stream") if version >= _EMBEDDED else None
    rows = [sheet.lines[line].row or {} for line in _chunk_lines(sheet, row, version)]
    values = held if type(held) is list else [one.get("data") for one in rows]
    for value in values:
        fields = value.get("chunk", value) if type(value) is dict else None
        if type(fields) is not dict or fields.get("index") != at:
            continue
        for name in (fields.get("id"), member(fields.get("block"), "id")):
            if type(name) is str and name:
                return name
    return None


def _chunk_lines(sheet: Sheet, row: Event, version: int) -> list[int]:
    if version >= _EMBEDDED:
        return []
    seqs = Seqs(sheet)
    found = (seqs.line(seq) for seq in flat(row.get("sourceEventSeqs")) or ())
    return [line for line in dict.fromkeys(found) if line < len(sheet.lines)]


def _content(row: Event | None) -> list[Any]:
    data = row.get("data") if row is not None and row.get("type") == "assistant/message" else None
    message = data.get("message") if type(data) is dict else None
    content = message.get("content") if type(message) is dict else None
    return content if type(content) is list else []


def _is_call(block: object) -> bool:
    return type(block) is dict and block.get("type") == "tool-call"


def _calls(sheet: Sheet, index: int, name: object) -> list[int]:
    """Give the places of the calls of an id in the content of a message."""
    blocks = _content(sheet.lines[index].row)
    return [at for at, block in enumerate(blocks) if _is_call(block) and _alike(block.get("id", ABSENT), name)]


def _unusable(sheet: Sheet, index: int) -> list[object]:
    """Give the ids of calls of a message that are no ids."""
    named = [block.get("id", ABSENT) for block in _content(sheet.lines[index].row) if _is_call(block)]
    return [name for name in named if type(name) is not str or not name]


def _alike(one: object, other: object) -> bool:
    return type(one) is type(other) and one == other


def _started(sheet: Sheet, index: int, name: object) -> bool:
    row = sheet.lines[index].row or {}
    data = row.get("data")
    return row.get("type") == "tool/call" and type(data) is dict and _alike(data.get("callId", ABSENT), name)


def _says(sheet: Sheet, index: int, block: Event) -> bool:
    data = (sheet.lines[index].row or {})["data"]
    return all(data.get(name) == block.get(name) for name in ("name", "arguments"))


def answered(sheet: Sheet, index: int) -> object:
    """Give the id of the call that a line answers, ABSENT when it names none; a value that equals no id for one that answers none."""
    row = sheet.lines[index].row or {}
    data = row.get("data") if row.get("type") == "tool/result" else None
    message = data.get("message") if type(data) is dict else None
    source = message.get("source") if type(message) is dict else None
    return source.get("callId", ABSENT) if type(source) is dict else _NO_RESULT


def _start_as(sheet: Sheet, index: int, name: str) -> None:
    row = sheet.lines[index].row or {}
    edit(sheet, index, {**row, "data": {**row["data"], "callId": name}})


def answer_as(sheet: Sheet, index: int, name: str) -> None:
    """Let a result answer the call of another id, in the wrapper of old generations too."""
    row = sheet.lines[index].row or {}
    message = row["data"]["message"]
    old = message["source"].get("callId")
    made = {**message, "source": {**message["source"], "callId": name}}
    if "toolCallId" in made:
        made["toolCallId"] = name
    content = made.get("content")
    if type(content) is list:
        made["content"] = [
            {**block, "toolCallId": name} if type(block) is dict and block.get("toolCallId") == old else block
            for block in content
        ]
    edit(sheet, index, {**row, "data": {**row["data"], "message": made}})
