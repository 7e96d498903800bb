"""What `validate` says about one log, in words."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from dshlog.model.finding import SEVERITIES, Finding
from dshlog.render.look import PLAIN, Look
from dshlog.render.rows import row_words, stop_words
from dshlog.render.words import count, joined, listed, path_name, shell_word, value_word, visible

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from dshlog.model.place import Place
    from dshlog.model.report import ReaderVerdict, Report
    from dshlog.report.excerpt import Excerpt

SHOWN = 20  # findings of one code of one log that text prints; JSON has them all
_RELATED = 12  # places of one finding
_ONE_EACH = 2  # the first generation in which every record is one event
_UNSOUGHT = ("D106", "D116")  # a file with another name, or in another place, than dsh looks for
_SHUT = ("refused", "newer", "not-a-log")
_REPAIRED = ("torn", "refused", "not-a-log")  # states for which `repair` may have a plan
_CALLS = 3  # open calls that are named in a verdict


def where(place: Place) -> str:
    """Give `path:line`, or the path alone for a place that is the whole file or a row of a database."""
    name = path_name(place.file)
    return name if place.line is None or place.row is not None else f"{name}:{place.line}"


def finding_lines(
    finding: Finding, look: Look = PLAIN, excerpt: Excerpt | None = None, *, why: bool = False
) -> Iterator[str]:
    """Yield a finding: what is wrong first, then where, what to do, and what else it touches.

    With `why` the command that explains the code comes too.
    """
    yield (
        f"{where(finding.place)}: {look.paint(finding.severity, finding.severity)} "
        f"{look.paint('bold', finding.code)} {finding.name}: {visible(finding.message)}"
    )
    at = _at(finding.place)
    if at:
        yield f"  at  {at}"
    if excerpt is not None:
        yield from _excerpt_lines(excerpt)
    proof = _proof(finding)
    if finding.hint:
        # That the record was committed is the reason for a refusal and nothing to do.
        yield f"  {'hint' if proof is None else 'why '} {visible(finding.hint)}"
    for place in finding.related[:_RELATED]:
        yield f"  see {joined((where(place), _see(place, proof)), '  ')}"
    if len(finding.related) > _RELATED:
        yield f"  see {count(len(finding.related) - _RELATED, 'more place')}; --format json lists all"
    if why:
        yield f"  why dshlog explain {finding.code}"
    if finding.follows:
        yield f"  + {finding.follows} more that only follow from this"


def _proof(finding: Finding) -> Place | None:
    """Give the turn/end that shows that a bad record was committed, if the hint speaks of one."""
    for place in reversed(finding.related):
        at = f"at line {place.line}" if place.row is None else f"in the row with seq {place.row.seq}"
        if place.seq is None and (finding.hint or "").startswith(f"the turn/end {at} "):
            return place
    return None


def _see(place: Place, proof: Place | None) -> str:
    label = "the turn/end" if place is proof else ""
    if place.row is not None:
        return joined((row_words(place), label))
    return label if place.seq is None else f"seq {place.seq}"


def _excerpt_lines(excerpt: Excerpt) -> Iterator[str]:
    """Yield a piece of the record, and a caret under the character at which its JSON breaks."""
    head = "  text " + ("…" if excerpt.head else "")
    yield f"{head}{visible(excerpt.text)}" + ("…" if excerpt.rest else "")
    if excerpt.mark is not None:
        yield " " * (len(head) + len(visible(excerpt.text[: excerpt.mark]))) + "^"


def _at(place: Place) -> str:
    frame = None
    if place.frame is not None:
        frame = f"frame {place.frame}" + ("" if place.frame_at is None else f" (file byte {place.frame_at})")
    return joined(
        (
            "" if place.seq is None or (place.row is not None and place.row.seq == place.seq) else f"seq {place.seq}",
            row_words(place),
            frame or "",
            "" if place.offset is None or place.row is not None else f"text byte {place.offset}",
            "" if place.json_path is None else f"member {visible(place.json_path)}",
        )
    )


def report_lines(report: Report, look: Look = PLAIN, excerpts: Mapping[int, Excerpt] | None = None) -> Iterator[str]:
    """Yield all that text says about one log: its findings, its verdict, what to run next.

    Of each code the first `SHOWN` findings are printed, the first of them with how to have it explained, and
    the rest is counted. `excerpts` holds pieces of the records to print, by the text offsets of these.
    """
    seen: Counter[str] = Counter()
    for finding in report.findings:
        seen[finding.code] += 1
        if seen[finding.code] <= SHOWN:
            offset = finding.place.offset
            excerpt = excerpts.get(offset) if excerpts and offset is not None else None
            yield from finding_lines(finding, look, excerpt, why=seen[finding.code] == 1)
    for code, number in seen.items():
        if number > SHOWN:
            yield f"{path_name(report.path)}: and {number - SHOWN} more {code}; --format json lists all"
    yield verdict_line(report, look)
    yield from but_lines(report, look)
    yield from readable_lines(report)


def readable_lines(report: Report) -> Iterator[str]:
    """Yield how much of a damaged log can be read, and what prints all of it; nothing for a sound one."""
    words = readable_words(report)
    if not words:
        return
    unread = any(finding.code == "L106" for finding in report.findings)
    shown = "" if unread or report.path == "-" else f"; `dshlog cat --raw {shell_word(report.path)}` prints all"
    yield f"  {words}{shown}"


def readable_words(report: Report) -> str:
    """Say how much of a damaged log can be read; nothing for a sound one."""
    headless = report.state == "not-a-log" and (stop_of(report) or "").startswith("H")
    if report.state in ("clean", "open") or not (report.records or headless):
        return ""
    every = count(report.records, "record" if report.stored is None else "row")
    if report.state in ("not-a-log", "newer") and not report.events:
        words = "no record is judged without a header that can be read"
        if report.state == "newer":
            words = "no record is judged, since the format is not known here"
    elif report.version is not None and report.version < _ONE_EACH and report.events != report.records:
        # One record may hold many events there, so the two counts cannot be compared.
        words = (
            f"{count(report.events, 'event')} can be read, in {'a file of ' if report.stored is None else ''}{every}"
        )
    elif report.events < report.records:
        words = f"{report.events} of {every} can be read"
    else:
        words = f"all {every} can be read" if report.records > 1 else f"its {every} can be read"
    return words


def store_lines(findings: Sequence[Finding], look: Look = PLAIN) -> Iterator[str]:
    """Yield a block of what is said about roots and belongs to no single log; nothing where that is nothing."""
    if not findings:
        return
    yield "store:"
    seen: Counter[str] = Counter()
    for finding in findings:
        seen[finding.code] += 1
        if seen[finding.code] <= SHOWN:
            yield from (f"  {line}" for line in finding_lines(finding, look, why=seen[finding.code] == 1))
    for code, number in seen.items():
        if number > SHOWN:
            yield f"  and {number - SHOWN} more {code}; --format json lists all"


def next_line(report: Report) -> str | None:
    """Give the one command to run next, or None where nothing has to be done."""
    if report.path != "-" and report.state == "open":
        return f"next: dshlog show {shell_word(report.path)}"
    code = stop_of(report)
    unread = report.bytes is None and code is not None and code.startswith("B")  # a database that is no log at all
    if report.path != "-" and report.state in _REPAIRED and not unread:
        return f"next: dshlog repair {shell_word(report.path)}"
    worst = leading(report)
    if code is None and report.state != "clean" and worst is not None:
        code = worst.code
    return None if code is None else f"next: dshlog explain {code}"


def stop_of(report: Report) -> str | None:
    """Give the code at which dsh stops, whether its finding is shown or not; None where it opens the log."""
    return report.latest.first or report.native.first if report.state in _SHUT else None


def verdict_line(report: Report, look: Look = PLAIN) -> str:
    """Give one log on one line: state, format, size, what is open, which dsh opens it."""
    facts = joined((format_words(report), size_words(report)))
    state = look.paint(report.state, report.state)
    parts = (state, facts, torn_words(report), open_words(report), *reader_words(report))
    return f"{path_name(report.path)}: {joined(parts, '; ')}"


def format_words(report: Report) -> str:
    """Give `v4 zstd`; empty when neither is known."""
    version = "" if report.version is None else f"v{report.version}"
    return joined((version, report.encoding or ""), " ")


def size_words(report: Report) -> str:
    """Give the counts of events and of nodes; empty for what is not a log."""
    if report.state == "not-a-log":
        return ""
    words = count(report.events, "event")
    if report.surface is not None:
        words += f", {count(report.surface.nodes, 'node')} on the surface"
        if report.surface.replacements:
            words += f" after {count(report.surface.replacements, 'replacement')}"
    return words


def torn_words(report: Report) -> str:
    """Say what dsh cuts on its next write; empty when nothing is torn."""
    torn = report.torn
    if torn is None:
        return ""
    if report.stored is not None:
        return f"torn: from the {stop_words(report)} on"
    words = f"torn: dsh cuts {count(torn.bytes, 'byte')} at file byte {torn.at}"
    return words + (f" and writes {count(torn.events, 'event')} of them again" if torn.events else "")


def open_words(report: Report) -> str:
    """Say which turn, step and calls are open at the end; empty when none is."""
    tail = report.tail
    calls = ""
    if tail.calls:
        calls = ("call " if len(tail.calls) == 1 else "calls ") + listed(tail.calls, _CALLS)
    words = joined(
        (
            "" if tail.turn is None else f"turn {value_word(tail.turn)}",
            "" if tail.step is None else f"step {value_word(tail.step)}",
            calls,
        )
    )
    return f"open: {words}" if words else ""


def reader_words(report: Report) -> tuple[str, ...]:
    """Say for each reader whether it opens the log; the same build is named once."""
    words = _builds(report)
    return words if report.stored is None else (f"as a log: {words[0]}", *words[1:])


def _builds(report: Report) -> tuple[str, ...]:
    native, latest = report.native, report.latest
    if native.build is None and native.opens is None:
        own = "" if report.version is None else f"no dsh release read v{report.version} itself"
        return (own, _reader(latest)) if own else (_reader(latest),)
    if native.build == latest.build:
        return (_reader(native if latest.opens is None else latest),)
    return (_reader(native), _reader(latest))


def _reader(verdict: ReaderVerdict) -> str:
    build = f"dsh {verdict.build}" if verdict.build else "dsh"
    if verdict.opens is None:
        return f"{build} not judged"
    if verdict.opens:
        return f"{build} opens it"
    if verdict.first in _UNSOUGHT:
        return f"{build} does not look for a log of this name here ({verdict.first})"
    return f"{build} refuses it" + (f" at {verdict.first}" if verdict.first else "")


def but_lines(report: Report, look: Look = PLAIN) -> Iterator[str]:
    """Yield what will fail although a reader opens the log, one line per reader."""
    names = {finding.code: finding.name for finding in report.findings}
    same = report.native.build == report.latest.build and report.native.but == report.latest.but
    for verdict in (report.latest,) if same else (report.native, report.latest):
        if verdict.opens and verdict.but:
            codes = ", ".join(f"{code} {names.get(code, '')}".rstrip() for code in verdict.but)
            build = f" (dsh {verdict.build})" if verdict.build else ""
            yield f"{path_name(report.path)}: {look.paint('warning', 'opens, but')}: {codes}{build}"


def short_line(report: Report, look: Look = PLAIN) -> str:
    """Give one line for one log among many: its state and the finding that matters most."""
    worst = leading(report)
    state = look.paint(report.state, report.state)
    stop = stop_of(report)
    if stop is not None and all(finding.code != stop for finding in report.findings):
        state += f" at {stop}"  # Its finding was left out on request; the reason stays.
    if worst is None:
        return f"{path_name(report.path)}: {state}"
    line = "" if worst.place.file != report.path else where(worst.place).removeprefix(path_name(report.path))
    more = len(report.findings) - 1
    row = row_words(worst.place)
    return (
        f"{path_name(report.path)}{line}: {state}, {look.paint(worst.severity, worst.severity)} "
        f"{look.paint('bold', worst.code)} {worst.name}: {row and f'{row}: '}{visible(worst.message)}"
        + (f" (+ {more} more)" if more else "")
    )


def leading(report: Report) -> Finding | None:
    """Give the first of the most severe findings, where dsh stops if that is one of them."""
    return leading_of(report.findings, (report.latest.first, report.native.first))


def leading_of(findings: Sequence[Finding], stops: Sequence[str | None] = ()) -> Finding | None:
    """Give the first of the most severe findings, one with a code of `stops` if it is among them."""
    for severity in SEVERITIES:
        found = [finding for finding in findings if finding.severity == severity]
        for finding in found:
            if finding.code in stops:
                return finding
        if found:
            return found[0]
    return None
