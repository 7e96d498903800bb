"""How the reports of a run leave: one printer for each format, and nothing imported for the others."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple, Protocol

from dshlog.cli.output import Output, say

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from dshlog.cli.world import World
    from dshlog.model.finding import Finding
    from dshlog.model.report import Report
    from dshlog.render.located import Located
    from dshlog.render.look import Look
    from dshlog.render.tally import Tally

# Where the checkout of a CI job lies, to which its annotations are relative.
_TOPS = ("GITHUB_WORKSPACE", "CI_PROJECT_DIR")


class Run(NamedTuple):
    """What a printer may know of the run; the last three are complete at its end only."""

    world: World
    tally: Tally
    reader: str
    look: Callable[[], Look]
    verbose: bool
    show_content: bool
    errors: Sequence[tuple[str, str]]  # paths that could not be read, and why
    older: Sequence[str]
    left_out: Callable[[], Sequence[str]]  # a line on each reason for which findings are not shown


class Printer(Protocol):
    """Takes one report after another, then what is said about the roots."""

    def log(self, report: Report) -> None:
        """Print one log."""

    def close(self, store: Sequence[Finding]) -> None:
        """Print the rest."""


def printer(name: str, output: Output, run: Run) -> Printer:
    """Give the printer of a format."""
    return _PRINTERS[name](output, run)


class _Text:
    """Words: everything about one log; of several, a line for each that is not clean, then totals."""

    def __init__(self, output: Output, run: Run) -> None:
        self._output, self._run = output, run
        self._look = run.look()
        self._first: Report | None = None  # kept until there is a second
        self._several = False

    def log(self, report: Report) -> None:
        if self._first is None and not self._several:
            self._first = report
            return
        self._several = True
        for one in filter(None, (self._first, report)):
            self._print(one)
        self._first = None

    def close(self, store: Sequence[Finding]) -> None:
        from dshlog.render.text import next_line, store_lines
        from dshlog.render.words import listed_paths

        only, output, run = self._first, self._output, self._run
        if only is not None:
            self._print(only)
        self._lines(store_lines(store, self._look))
        if self._several:
            output.lines(run.tally.lines(self._look))
        elif only is not None and (command := next_line(only)):
            self._lines((command,))
        self._lines(run.left_out())
        if run.show_content and self._several and not run.verbose:
            say("note", "--show-content prints records for one log, and with -v for several")
        if run.older:
            self._lines((f"older generations, not judged: {listed_paths(run.older)}; see --all-generations",))

    def _print(self, report: Report) -> None:
        from dshlog.render.text import report_lines, short_line

        if self._run.verbose or not self._several:
            content = self._run.world.excerpts(report) if self._run.show_content else None
            self._lines(report_lines(report, self._look, content))
        elif self._run.tally.deserves_a_line(report):
            self._lines((short_line(report, self._look),))
        if self._output.is_terminal:
            self._output.flush()

    def _lines(self, lines: Iterable[str]) -> None:
        self._output.text(lines, self._look.width)


class _Json:
    """One document."""

    def __init__(self, output: Output, run: Run) -> None:
        self._output, self._run = output, run
        self._logs: list[dict[str, object]] = []

    def log(self, report: Report) -> None:
        from dshlog.render.jsonout import log_dict

        self._logs.append(log_dict(report))

    def close(self, store: Sequence[Finding]) -> None:
        from dshlog import __version__
        from dshlog.render.jsonout import document, validate_dict

        self._output.data(
            document(validate_dict(self._logs, reader=self._run.reader, version=__version__, store=store))
        )


class _Ndjson:
    """One object a log."""

    def __init__(self, output: Output, _run: Run) -> None:
        self._output = output

    def log(self, report: Report) -> None:
        from dshlog.render.jsonout import line, log_dict

        self._output.data(line(log_dict(report)))

    def close(self, store: Sequence[Finding]) -> None:
        if store:
            codes = ", ".join(sorted({finding.code for finding in store}))
            from dshlog.render.words import count

            told = f"{count(len(store), 'finding')} about the root itself ({codes})"
            say("note", f"{told}; --format json or text has {'it' if len(store) == 1 else 'them'}")


class _Github:
    """Workflow commands."""

    def __init__(self, output: Output, _run: Run) -> None:
        self._output = output
        self._path = _located()

    def log(self, report: Report) -> None:
        self.close(report.findings)

    def close(self, store: Sequence[Finding]) -> None:
        from dshlog.render.github import commands

        self._output.lines(commands(store, self._path))


class _Gitlab:
    """A Code Quality report."""

    def __init__(self, output: Output, _run: Run) -> None:
        from dshlog.render.gitlab import CodeQuality

        self._output = output
        self._report = CodeQuality(_located())
        output.data(self._report.begin())

    def log(self, report: Report) -> None:
        for piece in self._report.issues(report.findings):
            self._output.data(piece)

    def close(self, store: Sequence[Finding]) -> None:
        for piece in (*self._report.issues(store), self._report.end()):
            self._output.data(piece)


class _Sarif:
    """A SARIF log."""

    def __init__(self, output: Output, run: Run) -> None:
        from dshlog import __version__
        from dshlog.render.sarif import Sarif

        self._output, self._run = output, run
        self._sarif = Sarif(__version__, _located())
        output.data(self._sarif.begin())

    def log(self, report: Report) -> None:
        lengths = self._run.world.line_lengths(report) if report.encoding == "raw" and report.findings else None
        for piece in self._sarif.results(report.findings, encoding=report.encoding, lengths=lengths):
            self._output.data(piece)

    def close(self, store: Sequence[Finding]) -> None:
        for piece in (*self._sarif.results(store), self._sarif.end(self._run.errors)):
            self._output.data(piece)


class _Junit:
    """A JUnit document."""

    def __init__(self, output: Output, run: Run) -> None:
        from dshlog.render.junit import Suites

        self._output, self._run = output, run
        self._suites = Suites(run.tally.fail_on, _located())

    def log(self, report: Report) -> None:
        self._suites.log(report)

    def close(self, store: Sequence[Finding]) -> None:
        self._suites.store(store)
        for path, message in self._run.errors:
            self._suites.error(path, message)
        self._output.data(self._suites.document())


_PRINTERS: dict[str, Callable[[Output, Run], Printer]] = {
    "text": _Text,
    "json": _Json,
    "ndjson": _Ndjson,
    "github": _Github,
    "gitlab": _Gitlab,
    "sarif": _Sarif,
    "junit": _Junit,
}


def _located() -> Located:
    from dshlog.render.located import Located

    tops = [top for name in _TOPS if os.path.isabs(top := os.environ.get(name, ""))]  # noqa: PTH117 - texts here
    return Located(os.getcwd(), tops)  # noqa: PTH109 - as above
