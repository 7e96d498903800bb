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
