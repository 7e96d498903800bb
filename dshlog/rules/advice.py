"""What a person can do about a finding by hand, and what a repair of it costs; only `explain` and the manual ask."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dshlog.rules.fixes import every_cure

if TYPE_CHECKING:
    from dshlog.rules.rule import Rule

_KEEP = "keep the file, and a copy of it"
_RAW = "dshlog cat --raw FILE prints every stored record, also those behind the defect"
_EVENTS = "dshlog cat FILE prints the events that can be read"
_COPY = "look for a copy of the log: a backup, an export, an older generation beside it"
_FRAMES = f"{_KEEP}; {_COPY}; dshlog cat --raw FILE prints the records of all frames that can be read"
_LINES = f"{_KEEP}; {_RAW}; {_COPY}"
_READ = f"{_KEEP}; {_RAW}, and dshlog show --surface FILE the conversation up to it"
_WRITER = (
    "ask whoever wrote the event (the plugin, script or import that the record names) to write it as this rule says"
)
_HEADER = (
    "copy the first line of an export or of another generation of this session in front of the records, in a copy of "
    "the file"
)
_OLD_DSH = "the dsh that wrote the log still opens it: finish and export the session there before the upgrade"

_ADVICE = {
    # -- frames and files
    "F100": "move the entry out of the root, and put the log back from a copy if it was one",
    "F101 F102": f"{_COPY}, or *.tmp of its first write; the file itself holds nothing to save",
    "F103 L101": (
        "wait while a writer may be alive; else let dsh open the session, which cuts the tail. To keep its bytes copy "
        "the file before"
    ),
    "F104 F105 F106": (
        f"{_KEEP}; dshlog cat --raw FILE prints what stands before these bytes. Whoever cuts them off in a copy cuts "
        "at the file byte that the finding names"
    ),
    "F107 F108 F110": _FRAMES,
    "F109": (
        "store it in frames again, the header line in one of its own: in a copy, FILE being session.v4.jsonl.zstd, "
        "(dshlog cat --header --raw FILE | head -n 1 | zstd --check; dshlog cat --raw FILE | zstd --check) > COPY"
    ),
    # -- lines and JSON
    "L102 L103 E103 E104 E108": _LINES,
    "L104": f"find the sound text in {_COPY.removeprefix('look for ')}; the session can be used as it is",
    "L105": "go on in a new session, since each request of this one carries the text; dshlog cat --messages FILE prints all",
    "L106": f"{_KEEP}; open the session in dsh itself; a zstd log or a pipe can be stored as a raw file, of which longer lines are read; dshlog cat prints what stands before the line",
    "L107": f"{_KEEP}; open the session in dsh to see; {_EVENTS}",
    # -- the header
    "H101 H102 H103": f"{_HEADER}; dshlog cat --raw FILE prints the records",
    "H104 H105 H106 H107 H108": (
        "compare the first line with one of another log of the same generation (dshlog cat --header FILE), and put it "
        "right in a copy; in a zstd log it has a frame of its own"
    ),
    "H109": "upgrade dsh, or dshlog; dshlog cat --raw FILE prints the records",
    "H110 H111 H112 H113": f"{_KEEP}; compare it with the log of the parent session, which holds the inherited events",
    "H114": "open the session on Windows, or give the header the directory as it is called here, in a copy",
    "H115": (
        "give the session a shorter id in a copy: in the header, as the name of its directory, and in parentSession of its "
        "children"
    ),
    # -- envelope and sequence
    "E101 E102 E106 E107": f"{_LINES}; {_WRITER}",
    "E105 E124 E125": f"{_KEEP}; {_COPY}, since what was in the hole stands nowhere else; {_RAW}",
    "E121 E122": (
        f"{_KEEP} and let no dsh write to it; {_RAW}; decide which branch counts. The finding names where each begins "
        "and ends"
    ),
    "E123": f"{_KEEP}; {_RAW}; split it in a copy at the line that the finding names, and give each part its header",
    "E126 E127": f"{_KEEP}; {_RAW}; the finding names the records that stand twice and may be left out of a copy",
    "E129": f"{_KEEP}; {_RAW}; the finding names the records to move back, in a copy",
    "E109": "upgrade dsh, or install the build or the plugin that knows the type; name it with validate --vocabulary",
    "E110 E111": f"{_KEEP}; {_RAW}; see in the text above what the type is called in this generation",
    "E112": _OLD_DSH,
    # -- generations
    "G101": "nothing; leave --reader out, or ask for the build that wrote the log, and read the warnings about the upgrade",
    "G201 G213 G214 G217 G222 G223 G224 G225 G241 G242 G243 G251": f"{_OLD_DSH}; dshlog migrate --check FILE lists all reasons",
    "G215 G216 G219 G231 G232 G233 G234": f"{_OLD_DSH}; dshlog migrate --check FILE lists all reasons",
    "G244": "compare the log of the child with what this one says of it, and keep both; the finding names the child",
    "G102": "nothing; ask for the build that wrote the log with --reader, or leave the option out",
    # -- payloads
    "P101": f"{_READ}; upgrade dsh once a release reads this reason",
    "P132 P133 T103": "open the session in dsh 0.1.5 or later, which does not look at this; else keep the file",
    "P143": "use the session as it is; if a viewer stops at it, dshlog show --surface FILE shows all messages",
    "P124": "upgrade the plugin to one that names its own kind of source; keep the file, dshlog cat --raw FILE prints it all",
    "P129 P130 P131": f"{_READ}; a log of v0 to v3 still opens in the dsh that wrote it: export the session there",
    # -- streams
    "C101": _LINES,
    "C201 C202 C203 C204 C205": "nothing has to be done to open it; dshlog cat FILE prints both the message and its stream",
    "C206 C207 C208 C209 C210": _OLD_DSH,
    # -- the surface
    "S304 K209": (
        f"{_READ}. The finding names the events that are missing; adding them to the list, in a copy, loses nothing if "
        "hiding them was meant"
    ),
    "S308 S315 K210": f"{_READ}; {_OLD_DSH}",
    "S313": "call the library with projections switched on",
    # -- turns, steps, calls
    "T305 T307": (
        f"{_READ}; a log of v0 to v3 still opens in the dsh that wrote it, but a provider refuses its next request: go on "
        "in a new session"
    ),
    "T101": "nothing, while a writer may be alive; else open the session in dsh, which closes the turn",
    "T102": "open the session in dsh 0.1.5 or later; a copy without the event opens in 0.1.2 too",
    # -- directories and names
    "D101": (
        "rename the file to what the finding says, if that name is free; else compare both with dshlog show and move one "
        "out of the root"
    ),
    "D102": (
        "rename the directory to what the finding says, while no dsh runs; if that one is there already, compare both and "
        "move the copy out of the root"
    ),
    "D103": (
        "move the session directory into the project that the finding names, while no dsh runs, or put the cwd of this "
        "project into the header of a copy"
    ),
    "D104": "compare the copies with dshlog show, keep one below the root and move the others out of it",
    "D105": "move the logs of the smaller half to a root of their own (DSH_HOME), or store them again in the other encoding",
    "D106": "move it out of the root, or into the session directory where its header belongs",
    "D107": (
        "read both before one is removed: dshlog cat --seq SEQ.. OLDER prints what the older one alone holds; stop using "
        "the old dsh on this root"
    ),
    "D108": "look into it with dshlog show; remove it when the log beside it holds all that it does",
    "D109": "keep copies outside the root",
    "D110": "put the directory itself there, or a bind mount",
    "D111": "nothing; to close the gap, put the parent's session directory back into the root",
    "D112": f"{_KEEP}; {_COPY}; the cache holds summaries only",
    "D113 D114": "nothing; judge it again when dsh has closed the session",
    "D115": "move the logs that the finding names out of the root, or cure them one by one; the list is back at once",
    "D116": "judge the logs that the finding names; give a file that is a log its canonical name",
    "D117": "nothing; end the session and begin a new one when dsh becomes slow",
    # -- databases
    "B101 B102": "see whether another file is the database; nothing here belongs to dsh",
    "B103": "upgrade dshlog if the version is above 17; keep the database, and what lies beside it",
    "B104": f"{_KEEP}; look for a copy of the database, or for its -wal file, which has to lie beside it",
    "B105 B106": f"{_KEEP}, and of -wal and -journal beside it; sqlite3 DB .recover prints what its pages still hold",
    "B111": "dshlog unpack DB --session ID -o session.jsonl, for each session that dshlog ls DB lists",
    "B112 B113": "nothing, while dsh 0.1.0 or 0.1.1 may be at work; move or copy the files together only",
    "B114 B115 B116": f"{_KEEP}; dshlog ls DB lists the sessions that can be read",
    "B201": f"{_KEEP}; dshlog cat DB --session ID --raw prints the session as lines of a log",
    "B202 B203 B204 B205 B206 B207": (
        f"{_KEEP}; dshlog cat DB --session ID --raw prints every row, this one with what its columns hold"
    ),
    "D118": "nothing; to bring it back, move the newer file out of the session directory, after a copy of both",
}

# For the rest, by the letter of the code; without a text of its own a code has the one that is always true.
_BY_LETTER = {
    "P": f"{_READ}; {_WRITER}",
    "S": f"{_READ}; {_WRITER}",
    "T": f"{_READ}; {_OLD_DSH.replace('the log', 'a log of v0 to v3')}",
    "K": f"{_READ}; {_OLD_DSH.replace('the log', 'a log of v0 to v3')}",
}

ADVICE = {code: text for codes, text in _ADVICE.items() for code in codes.split()}

_COSTS = {
    "lossless": "at best no record is lost",
    "lossy": "it drops a record or a part of one, or makes one up, which needs --allow-loss",
    "none": "no way is known for it alone",
}
# What is cured by another reader or by nothing.
_NEEDLESS = {
    "none is needed: nothing in the log is damaged": ("G101", "G102", "H109", "H114", "E109", "S313"),
    "none is needed: dsh opens the log as it is": ("C201", "C202", "C203", "C204", "C205", "P143"),
    "none is possible: it is no log": ("F100",),
    "none is possible: dshlog never writes to a database": (
        *("B101", "B102", "B103", "B104", "B105", "B106", "B114", "B115", "B116", "B201"),
    ),
    "none is needed: the journal is taken back in a copy": ("B113",),
}
_CUT = {"torn-frame", "torn-line"}  # dsh opens the log, and its next write cuts them
NEEDLESS = {code: text for text, codes in _NEEDLESS.items() for code in codes}


def advice(rule: Rule) -> str:
    """Say what to do about a finding of this rule."""
    return ADVICE.get(rule.code) or _BY_LETTER.get(rule.code[0], _READ)


def repair(rule: Rule, severity: str) -> str:
    """Say how a repair is planned and what it costs; `severity` is the worst of the rule."""
    if rule.code in NEEDLESS:
        return NEEDLESS[rule.code]
    if severity == "note":
        return "none is needed: nothing in the log is damaged"
    if rule.code[0] == "D":
        return "none of the log is needed: it is a matter of names and places"
    if rule.code[0] == "G":
        names = "dshlog repair --fix list has all" if rule.name == "upgrade-rule" else ", ".join(every_cure(rule.name))
        return f"dshlog repair --fix {rule.code} FILE plans it; {_COSTS[rule.remedy]}; fixes by name: {names}"
    asked = severity == "warning" and rule.remedy != "none" and rule.name not in _CUT
    return f"dshlog repair {f'--fix {rule.code} ' if asked else ''}FILE plans it; {_COSTS[rule.remedy]}"
