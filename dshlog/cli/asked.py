"""What one run of `validate` was asked for: the command line, and where that is silent the configuration."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

import typer

from dshlog.cli.failure import Failure
from dshlog.model.finding import SEVERITIES, Severity

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Callable, Mapping, Sequence

    from dshlog.report.baseline import Baseline
    from dshlog.report.choose import Choice
    from dshlog.report.examine import Upgrading
    from dshlog.report.fingerprint import Identity

Format = Literal["text", "json", "ndjson", "github", "gitlab", "sarif", "junit"]
Reader = Literal["native", "latest", "0.1.2", "0.1.5", "0.2.1"]
FailOn = Literal["error", "warning", "note"]

_CHOICES = {"format": get_args(Format), "reader": get_args(Reader), "fail-on": get_args(FailOn)}


class Asked(NamedTuple):
    """The settings of a run, checked."""

    format: Format
    reader: Reader
    fail_on: Severity
    choice: Choice
    baseline: Baseline | None
    extra_types: frozenset[str]
    deep: bool
    upgrade: Upgrading  # whether the latest reader is asked about logs that it upgrades


def asked(ctx: typer.Context, *, config: str | None, no_config: bool, quick: bool, given: Mapping[str, Any]) -> Asked:
    """Merge and check the settings.

    Args:
        ctx: knows which parameters stood on the command line.
        config: the file that `--config` names.
        no_config: whether to look at no file at all.
        quick: `--quick`, which no configuration may set.
        given: the values of the command line by the keys of the configuration.

    Raises:
        Failure: the configuration, the baseline or a vocabulary is not what it should be.
        Unreadable: one of them cannot be read.
        typer.BadParameter: a value of the command line is wrong.
    """
    if config is not None and no_config:
        raise typer.BadParameter("--config and --no-config exclude each other")
    merged = _Merged(ctx, given, config=config, no_config=no_config)
    deep = merged["deep"]
    if quick and deep:
        if merged.typed("deep"):
            raise typer.BadParameter("--quick and --deep exclude each other")
        deep = False
    baseline, names = merged["baseline"], merged["vocabulary"] or ()
    return Asked(
        format=merged.one_of("format"),
        reader=merged.one_of("reader"),
        fail_on=merged.one_of("fail-on"),
        choice=_choice(merged, quick=quick),
        baseline=None if baseline is None else _read_baseline(baseline),
        extra_types=_vocabulary(names),
        deep=bool(deep),
        upgrade=_upgrading(merged, quick=quick),
    )


class _Merged:
    """The settings by key, and where each comes from."""

    def __init__(self, ctx: typer.Context, given: Mapping[str, Any], *, config: str | None, no_config: bool) -> None:
        self._ctx, self._given = ctx, given
        self._file: str | None = None
        self._kept: dict[str, Any] = {}
        if not no_config:
            from dshlog.cli.config import settings

            self._file, self._kept = settings(config)

    def __getitem__(self, key: str) -> Any:  # noqa: ANN401 - each key has its own type
        return self._given[key] if self.typed(key) or key not in self._kept else self._kept[key]

    def typed(self, key: str) -> bool:
        """Tell whether the command line has it."""
        source = self._ctx.get_parameter_source(key.replace("-", "_"))
        return source is not None and source.name == "COMMANDLINE"

    def one_of(self, key: str) -> Any:  # noqa: ANN401 - as above
        value = self[key]
        if value not in _CHOICES[key]:
            raise self.wrong(key, f"'{value}' is not one of {', '.join(_CHOICES[key])}")
        return value

    def wrong(self, key: str, why: str) -> Exception:
        """Give the error about a value, which names the option or the file."""
        if self.typed(key) or self._file is None:
            return typer.BadParameter(why, ctx=self._ctx, param_hint=f"'--{key}'")
        from dshlog.render.words import path_name

        return Failure(f"{key} of {path_name(self._file)}: {why}")


def _upgrading(merged: _Merged, *, quick: bool) -> Upgrading:
    """Decide whether upgrades are judged: always for a reader that was asked for by name, else of logs that are small."""
    if quick:
        return "never"
    return "always" if merged.typed("reader") and merged["reader"] in {"latest", "0.1.5", "0.2.1"} else "small"


def _choice(merged: _Merged, *, quick: bool) -> Choice:
    from dshlog.report.choose import Choice, UnknownCodeError

    lists: dict[str, list[str]] = {}
    for key in ("select", "ignore"):
        lists[key] = [code for text in merged[key] or () for code in text.split(",")]
        try:
            Choice(select=lists[key])
        except UnknownCodeError as error:
            raise merged.wrong(key, str(error)) from error
    levels: list[tuple[str, Severity]] = []
    for text in (part for value in merged["severity"] or () for part in value.split(",")):
        code, equals, level = text.partition("=")
        if not equals or level.strip() not in SEVERITIES:
            raise merged.wrong("severity", f"'{text}' is not CODE=LEVEL with {', '.join(SEVERITIES)}")
        levels.append((code, level.strip()))
    try:
        return Choice(select=lists["select"], ignore=lists["ignore"], severity=levels, quick=quick)
    except UnknownCodeError as error:
        raise merged.wrong("severity", str(error)) from error


def _vocabulary(paths: Sequence[str]) -> frozenset[str]:
    if not paths:
        return frozenset()
    from dshlog.cli.vocabulary import vocabulary

    return vocabulary(paths)


def beside(file: str) -> Callable[[str], str]:
    """Give how paths are spelled in a baseline: relative to it, with slashes, so that a checkout may move."""
    top = os.path.dirname(os.path.abspath(file))  # noqa: PTH100, PTH120 - paths are texts here

    def spelled(path: str) -> str:
        if path == "-":
            return path
        try:
            return os.path.relpath(path, top).replace(os.sep, "/")
        except ValueError:  # Two drives of Windows have nothing in common.
            return os.path.abspath(path).replace(os.sep, "/")  # noqa: PTH100 - as above

    return spelled


def left_out(settings: Asked) -> list[str]:
    """Say how many findings were not shown because of what was asked for, one line for each reason."""
    from dshlog.render.words import count

    lines = []
    choice, baseline = settings.choice, settings.baseline
    if choice.left_out:
        lines.append(f"{count(choice.left_out, 'finding')} left out by {' and '.join(choice.options)}")
    if baseline is not None and baseline.met:
        lines.append(f"{count(baseline.met, 'finding')} of the baseline left out")
    if baseline is not None and baseline.stale:
        lines.append(
            f"{count(baseline.stale, 'finding')} of the baseline not met: mended, or in a log that was not judged"
        )
    return lines


def _read_baseline(path: str) -> Baseline:
    from dshlog.files.whole import read_whole
    from dshlog.render.words import path_name
    from dshlog.report.baseline import Baseline, NotABaselineError, read_baseline
    from dshlog.storage.jsontext import NotJSON, loads

    try:
        return Baseline(read_baseline(loads(read_whole(path))), beside(path))
    except (NotABaselineError, NotJSON) as error:
        why = f"it is not JSON: {error}" if isinstance(error, NotJSON) else str(error)
        message = f"cannot use {path_name(path)} as a baseline: {why}"
        raise Failure(message, f"dshlog validate --write-baseline {path_name(path)} writes one") from error


def write_baseline(path: str, known: Counter[Identity]) -> None:
    """Write the findings of a run as a baseline.

    Raises:
        Unreadable: the file cannot be written.
    """
    from dshlog.files.whole import write_whole
    from dshlog.render.jsonout import document
    from dshlog.report.baseline import baseline_dict

    write_whole(path, document(baseline_dict(known)))
