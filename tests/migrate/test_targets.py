"""Where events have gone, without a place for each chunk."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from dshlog.migrate.targets import CHUNK, NOWHERE, Targets


@given(st.lists(st.one_of(st.integers(1, 5), st.just(0)), max_size=40), st.randoms())
def test_it_is_a_table_of_all_events(steps, random):
    targets, table = Targets(), []
    for step in steps:
        if step:
            targets.chunks(step)
            table += [CHUNK] * step
        else:
            targets.event()
            table.append(NOWHERE)
            waiting = [seq for seq, target in enumerate(table) if target == NOWHERE]
            for seq in random.sample(waiting, random.randint(0, len(waiting))):
                table[seq] = random.randint(0, 99)
                targets.emit(seq, table[seq])
    assert targets.size == len(table)
    assert [targets.of(seq) for seq in range(len(table) + 3)] == [*table, NOWHERE, NOWHERE, NOWHERE]
