"""Tables whose first rows decide the widths."""

from __future__ import annotations

import pytest

from dshlog.render.look import PLAIN, Look
from dshlog.render.table import MEASURED, Column, table_lines


@pytest.mark.parametrize("look", [PLAIN, Look(width=60)])
def test_what_has_to_stay_whole_is_not_cut_by_the_width_of_the_first_rows(look):
    rows = [*["1/1"] * MEASURED, "164/13"]
    for whole, last in ((True, "164/13  said"), (False, "16\N{HORIZONTAL ELLIPSIS}")):
        lines = list(table_lines([Column("", str, whole=whole)], "what", lambda _: "said", rows, look))
        assert lines[1] == "1/1  said"
        assert lines[-1].startswith(last)


def test_a_column_gives_up_room_only_for_what_the_last_cell_holds():
    wide, columns = "x" * 30, [Column("a", str, least=10)]
    assert list(table_lines(columns, "what", lambda _: "said", [wide], Look(width=40)))[1] == f"{wide}  said"
    cut = list(table_lines(columns, "what", lambda _: "said", [wide], Look(width=30)))[1]
    assert cut == f"{wide[:23]}\N{HORIZONTAL ELLIPSIS}  said"
    long = list(table_lines(columns, "what", lambda _: "s" * 30, [wide], Look(width=30)))[1]
    assert long == f"{wide[:9]}\N{HORIZONTAL ELLIPSIS}  {'s' * 17}\N{HORIZONTAL ELLIPSIS}"


def test_columns_without_room_are_named_below_the_rows():
    columns = [
        Column("a", lambda _: "a" * 10),
        Column("b", lambda _: "b" * 10, optional=1),
        Column("c", lambda _: "c" * 10, optional=2),
        Column("d", lambda _: "d" * 10, optional=1),
    ]

    def lines(width, **options):
        return list(table_lines(columns, "e", lambda _: "e", [0], Look(width=width), **options))

    assert len(lines(60)) == 2
    assert lines(40)[2] == "left out at this width: c"
    assert lines(26)[2:] == ["left out at this width: c,", "  d"]
    assert len(lines(26, tell=False)) == 2
    assert lines(40, behind=lambda: ["last"])[2:] == ["last", "left out at this width: c"]
    assert next(table_lines(columns, "e", lambda _: "e", [0], PLAIN)).split() == ["a", "b", "c", "d", "e"]
