"""Damage of the sequence, told apart: holes, repeats, restarts, and two writers that continued one log.

The judge reports a gap; this module reads the positions of all records once more and says what made it.
Source: cases that people met; events.md E-005.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right

from dshlog.model.fault import Fault

CLOSER_PREFIX = "interrupted-tool-result-"

MAX_BRANCHES = 16  # continuations that are told apart
MAX_STORIES = 200  # of one kind; those that follow are counted under the last of them
Place = tuple[int, int, int]  # line, text offset, seq


class Branch:
    """A run of records that continue each other.

    `start` is the seq of its first record, `next` the seq that would continue it; `first_line` and
    `last_line` are its extent. `closers` says that all its records are what a recovery writes.
    """

    __slots__ = ("closers", "count", "first_line", "first_offset", "last_line", "last_touch", "next", "run", "start")

    def __init__(self, seq: int, line: int, offset: int) -> None:
        self.start = self.next = seq
        self.first_line = self.last_line = line
        self.first_offset = offset
        self.count = 0
        self.last_touch = -1
        self.run = 0  # records taken one directly after the other
        self.closers = True

    def take(self, seq: int, count: int, line: int, *, closer: bool, touch: int) -> None:
        """Append a record."""
        self.next = seq + count
        self.last_line = line
        self.count += count
        self.run = self.run + 1 if self.last_touch == touch - 1 else 1
        self.last_touch = touch
        self.closers = self.closers and closer

    def extent(self) -> str:
        """Say where it stands."""
        return f"seq {self.start}..{self.next - 1} at lines {self.first_line}..{self.last_line}"


class Positions:
    """The position of every record of a log, in order: line, seq, members, digest, and whether it closes.

    Held in flat arrays, some 42 bytes for a record, and only for a log whose sequence is broken.
    `unread` counts the lines directly before a record that have no usable seq.
    """

    def __init__(self) -> None:
        self.lines = array("q")
        self.offsets = array("q")
        self.seqs = array("q")
        self.counts = array("q")
        self.digests = array("q")
        self.unread = array("q")
        self.closers = bytearray()
        self._unread = 0

    def skip(self) -> None:
        """Note a line without a usable seq."""
        self._unread += 1

    def add(self, line: int, offset: int, seq: int, count: int, digest: int, *, closer: bool) -> None:  # noqa: PLR0913
        """Note one record that has a usable seq."""
        self.unread.append(self._unread)
        self._unread = 0
        self.lines.append(line)
        self.offsets.append(offset)
        self.seqs.append(seq)
        self.counts.append(count)
        self.digests.append(digest)
        self.closers.append(closer)

    def __len__(self) -> int:
        """Count the records."""
        return len(self.seqs)


class Story:
    """What happened to the sequence at one record: a fault, the record's place, and its other places.

    `next` is the seq that would go on with what the story is about.
    """

    __slots__ = ("fault", "follows", "line", "next", "offset", "related", "seq")

    def __init__(self, name: str, text: str, here: Place, *related: Place) -> None:
        self.fault = Fault(name, text, "$.seq")
        self.line, self.offset, self.seq = here
        self.related = related
        self.next = self.seq
        self.follows = 0

    @property
    def here(self) -> Place:
        """Give the place of the record."""
        return self.line, self.offset, self.seq


def tell(positions: Positions) -> list[Story]:
    """Tell what is wrong with a sequence of positions, one story for each cause, in file order."""
    return _Teller(positions).tell()


def forks(positions: Positions) -> list[tuple[Story, list[int], list[int]]]:
    """Give each place where a second writer began: the story, and the records of the first and of the second branch.

    Records are named by their index in `positions`; those before the fork belong to neither.
    """
    return _Teller(positions).forks()


class _Teller:
    """One walk over the positions."""

    def __init__(self, positions: Positions) -> None:
        self._positions = positions
        self._dense = _dense(positions)  # records of the whole prefix, whose seqs rise
        self._first_at: dict[int, int] = {}  # behind it: seq -> index of the record that holds it first
        self._branches: list[Branch] = []
        self._owners = array("b")  # of each record, the branch that took it, -1 for none
        self._stories: list[Story] = []
        self._forks: list[tuple[Story, Branch]] = []
        self._holes: list[tuple[range, Story]] = []
        self._hole_ends = array("q")  # of these, in rising order
        self._kinds: dict[str, list[Story]] = {}

    def tell(self) -> list[Story]:
        positions, branches = self._positions, self._branches
        for index in range(len(positions)):
            seq = positions.seqs[index]
            waiting = [branch for branch in branches if branch.next == seq]
            branch = self._of(waiting, index) if waiting else self._odd(index, seq)
            self._owners.append(branches.index(branch) if branch is not None else -1)
            if branch is not None:
                closer = bool(positions.closers[index])
                branch.take(seq, positions.counts[index], positions.lines[index], closer=closer, touch=index)
                if index >= self._dense:
                    self._first_at.setdefault(seq, index)
        for story, branch in self._forks:
            _name_fork(story, branch, self._rest_of(branch))
        return self._stories

    def forks(self) -> list[tuple[Story, list[int], list[int]]]:
        """Walk, and give the records of both branches of each fork."""
        self.tell()
        seqs = self._positions.seqs
        out: list[tuple[Story, list[int], list[int]]] = []
        for story, late in self._forks:
            own = self._branches.index(late)
            second = [index for index, owner in enumerate(self._owners) if owner == own]
            first = [
                index
                for index, owner in enumerate(self._owners)
                if owner != own and (seqs[index] >= late.start or index > second[0])
            ]
            out.append((story, first, second))
        return out

    def _of(self, waiting: list[Branch], index: int) -> Branch:
        """Choose among the branches that a record would continue.

        Writers that take turns are told by whose turn it is; one that has just written twice goes on.
        """
        latest = max(waiting, key=lambda other: other.last_touch)
        if latest.last_touch == index - 1 and latest.run > 1:
            return latest
        return min(waiting, key=lambda other: other.last_touch)

    def _odd(self, index: int, seq: int) -> Branch | None:
        """Tell what a record means that continues nothing; the branch that takes it, None when none does."""
        positions, branches = self._positions, self._branches
        count = positions.counts[index]
        here = (positions.lines[index], positions.offsets[index], seq)
        if not branches:
            if seq:
                self._tell("prefix-lost", f"the log begins at seq {seq}; events 0..{seq - 1} are missing", here)
            return self._branch(here)
        ahead = max(branches, key=lambda other: other.last_touch)
        earlier = self._earlier(index, seq)
        if earlier is not None and positions.digests[earlier] == positions.digests[index]:
            self._repeated(here, count, (positions.lines[earlier], positions.offsets[earlier], seq))
            return None
        if earlier is None:
            first = bisect_right(self._hole_ends, seq)
            for hole, story in self._holes[first : first + MAX_BRANCHES]:
                if seq in hole:
                    text = f"events {hole.start}..{hole.stop - 1} stand behind {hole.stop}, from line {here[0]} on"
                    if story.fault.name == "records-missing":
                        story.fault = Fault("records-misplaced", text, "$.seq")
                        story.related = (here,)
                    story.follows += 1
                    return None
        if all(seq > other.next for other in branches):
            if not positions.unread[index]:  # lines that could not be read account for a hole
                missing = f"event {ahead.next} is" if seq == ahead.next + 1 else f"events {ahead.next}..{seq - 1} are"
                story = self._tell(
                    "records-missing", f"expected seq {ahead.next}, found {seq}: {missing} missing", here
                )
                self._holes.append((range(ahead.next, seq), story))
                self._hole_ends.append(seq)
            return ahead
        if count > 1 and any(seq < other.next < seq + count for other in branches):
            stand = f"{seq}..{ahead.next - 1} stand" if ahead.next - seq > 1 else f"{seq} stands"
            story = self._tell(
                "row-overlaps", f"a packed row covers seq {seq}..{seq + count - 1}, but {stand} before it", here
            )
            story.fault.path = "$.seq0"
            return ahead
        last = self._stories[-1] if self._stories else None
        if last is not None and last.fault.name == "records-repeated" and last.next == seq:
            # Two writers may begin with the very same records; the fork is where the second one began.
            self._kinds[last.fault.name].remove(self._stories.pop())
            here = last.here
        if len(self._branches) >= MAX_BRANCHES:
            ahead.next = seq  # beyond so many writers nobody can be told apart
            if self._stories:
                self._stories[-1].follows += 1
            return ahead
        branch = self._branch(here)
        branch.next = seq
        self._forks.append((self._tell("two-writers", "", here), branch))
        return branch

    def _rest_of(self, branch: Branch) -> Branch:
        """Give the other continuation: what other branches hold from the seq on at which this one begins."""
        positions, own = self._positions, self._branches.index(branch)
        other: Branch | None = None
        for index in range(len(positions)):
            seq, line = positions.seqs[index], positions.lines[index]
            if self._owners[index] == own or seq < branch.start or (other is None and line >= branch.first_line):
                continue
            if other is None:
                other = Branch(seq, line, positions.offsets[index])
            elif seq != other.next:
                continue
            other.take(seq, positions.counts[index], line, closer=bool(positions.closers[index]), touch=index)
        return other if other is not None else branch

    def _earlier(self, index: int, seq: int) -> int | None:
        """Give the index of the record that held this seq first, None when there was none."""
        found = bisect_left(self._positions.seqs, seq, 0, min(self._dense, index))
        if found < min(self._dense, index) and self._positions.seqs[found] == seq:
            return found
        return self._first_at.get(seq)

    def _repeated(self, here: Place, count: int, again: Place) -> None:
        last = self._stories[-1] if self._stories else None
        if last is not None and last.fault.name == "records-repeated" and last.next == here[2]:
            last.follows += 1
            last.fault = Fault(
                "records-repeated", f"records {last.seq}..{here[2]} stand a second time, byte for byte", "$.seq"
            )
        else:
            last = self._tell("records-repeated", f"record {here[2]} stands a second time, byte for byte", here, again)
        last.next = here[2] + count

    def _branch(self, here: Place) -> Branch:
        branch = Branch(here[2], here[0], here[1])
        self._branches.append(branch)
        return branch

    def _tell(self, name: str, text: str, here: Place, *related: Place) -> Story:
        story = Story(name, text, here, *related)
        same = self._kinds.setdefault(name, [])
        if len(same) < MAX_STORIES:
            same.append(story)
            self._stories.append(story)
        else:
            same[-1].follows += 1
        return story


def _dense(positions: Positions) -> int:
    """Count the records before the first that does not continue the one before it."""
    for index in range(1, len(positions)):
        if positions.seqs[index] != positions.seqs[index - 1] + positions.counts[index - 1]:
            return index
    return len(positions)


def _name_fork(story: Story, late: Branch, early: Branch) -> None:
    """Name a fork by what its two branches are."""
    fork = f"from seq {late.start} on"
    both = f"first {early.extent()}; second {late.extent()}"
    if late.start == 0:
        name, text = "numbering-restarts", f"the numbering begins again at 0: {both}"
    elif early.closers != late.closers:
        which = "first" if early.closers else "second"
        name = "recovery-against-live"
        text = f"a recovery closed the log while its writer went on, two branches {fork} (the {which} is the recovery): {both}"
    else:
        name, text = "two-writers", f"two writers continued the log {fork}: {both}"
    story.fault = Fault(name, text, "$.seq")
    story.related = ((early.first_line, early.first_offset, early.start),)
    story.follows += max(0, late.last_line - late.first_line)


def is_closer(event: dict[str, object]) -> bool:
    """Tell whether an event is one that a recovery writes: a result, step/end, turn/end or end-seed."""
    kind, data = event.get("type"), event.get("data")
    fields = data if type(data) is dict else {}
    if kind == "tool/result":
        message = fields.get("message")
        name = message.get("id") if type(message) is dict else None
        return type(name) is str and name.startswith(CLOSER_PREFIX)
    if kind == "turn/end":
        reason = fields.get("reason")
        return type(reason) is dict and reason.get("kind") == "interrupted"
    return type(kind) is str and kind in {"step/end", "session/end-seed"}
