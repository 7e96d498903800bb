"""Times and durations of a log in words; UTC, so that two people see the same, and local time only beside it."""

from __future__ import annotations

import calendar
import time as clocks

from dshlog.render.words import value_word

_SECOND, _MINUTE = 1000, 60_000  # milliseconds
_LAST = 253_402_300_799_999  # the last millisecond of the year 9999
_MINUTES = 60


def clock(time: object) -> str:
    """Give `22:13:20.010`; a time that no clock shows as the log spells it."""
    moment = _moment(time)
    return value_word(time) if moment is None else clocks.strftime("%H:%M:%S", moment[0]) + f".{moment[1]:03}"


def date(time: object) -> str | None:
    """Give `2023-11-14`; None for a time that no calendar shows."""
    moment = _moment(time)
    return None if moment is None else clocks.strftime("%Y-%m-%d", moment[0])


def stamp(time: object) -> str:
    """Give `2023-11-14 22:13:20`."""
    moment = _moment(time)
    return value_word(time) if moment is None else clocks.strftime("%Y-%m-%d %H:%M:%S", moment[0])


def moment(time: object) -> str:
    """Give `2023-11-14 22:13:20 UTC`, and the local time where that differs: `(2023-11-14 23:13:20 +0100)`."""
    utc = _moment(time)
    if utc is None:
        return value_word(time)
    local = clocks.localtime(calendar.timegm(utc[0]))
    here = clocks.strftime(" (%Y-%m-%d %H:%M:%S %z)", local) if local.tm_gmtoff else ""
    return f"{stamp(time)} UTC{here}"


def duration(span: object) -> str:
    """Give `0.180 s`, `2:03 min` or `1:02:03 h`; a dash for None."""
    if not isinstance(span, (int, float)) or not abs(span) <= _LAST:
        return value_word(span)
    number = abs(round(span))
    sign = "-" if span < 0 else ""
    if number < _MINUTE:
        return f"{sign}{number // _SECOND}.{number % _SECOND:03} s"
    minutes, seconds = divmod(number // _SECOND, 60)
    if minutes < _MINUTES:
        return f"{sign}{minutes}:{seconds:02} min"
    return f"{sign}{minutes // _MINUTES}:{minutes % _MINUTES:02}:{seconds:02} h"


def _moment(time: object) -> tuple[clocks.struct_time, int] | None:
    if isinstance(time, bool) or not isinstance(time, (int, float)) or not 0 <= time <= _LAST:
        return None
    seconds, rest = divmod(int(time), _SECOND)
    return clocks.gmtime(seconds), rest
