"""What `explain` says beyond the register: what a person meets in dsh, what dsh and dshlog do, and why no more.

Only `explain`, the manual and the tests load this. A text may stand for several codes; a code without a
text of its own gets one made of the stages at which the readers look.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from dshlog.model.vocabulary import BUILDS, LATEST
from dshlog.rules.register import RULES

if TYPE_CHECKING:
    from dshlog.model.finding import Severity
    from dshlog.rules.rule import Rule

LETTERS = {
    "F": "frames and files",
    "L": "lines and JSON",
    "H": "the header",
    "G": "generations and readers",
    "E": "envelope, sequence and vocabulary",
    "P": "payloads",
    "C": "chunk runs and streams",
    "S": "the surface",
    "T": "turns, steps and calls",
    "K": "other lifecycles: retries, compactions, commands, titles, dispatches, children",
    "D": "directories and names",
    "B": "databases of the SQLite store",
}

# Stage letter -> its name, and what its reader does.
STAGES = {
    "d": ("place", "refused by name and place, where the file lies below a root"),
    "f": ("framing", "refused by the framing of the file, before any record is read"),
    "h": ("header", "refused at the header, before any record is read"),
    "r": ("row decoding", "ends what can be read: refused when a later turn/end shows that it was committed, else cut"),
    "a": ("admission", "refused by admission, wherever the record stands, also in a tail that would be cut"),
    "c": ("completeness", "refused, since the complete frames must end with a whole record"),
    "e": ("upgrade", "refused by the upgrade of dsh 0.2.1; the build that wrote the log may still open it"),
    "s": ("seed", "refused by the seed rule, once all records were read"),
    "l": ("relationships", "refused by the relationships of all records"),
    "v": ("vocabulary", "refused as unsupported, which is no damage"),
    "m": ("message shapes", "refused by the shapes of messages and turns"),
    "t": ("closers", "refused when the closers of the open turn are made"),
    "o": ("adoption", "refused by adoption, when the session takes the events"),
    "u": ("none", "not known: dshlog gives up here, and says so with an error"),
    "w": ("none", "not refused: a warning"),
    "n": ("none", "not refused: a note"),
}

# Rules of v4 that are looked at in v0 to v3 too, since the upgrade refuses what their own builds let pass.
EARLY = frozenset(rule.code for rule in RULES if rule.code[:2] in {"T2", "T3"} or rule.code in {"P129", "P130", "P131"})

_REFUSED = "The session stands in the list of dsh, and opening it fails"
_UPGRADE = "The session opens in the dsh that wrote it; the dsh that upgrades it refuses the whole log and leaves the old file as it is."
_NOT_GUESSED = "dshlog does not guess what was meant, since a wrong guess would go to the model as history."
_TAIL = (
    "When no turn/end stands behind it, dsh opens the session without this record and all behind it, and its next "
    "write cuts them off for good; when one does, opening the session fails."
)

_TEXTS = {
    # -- frames and files
    "F100": (
        "The session cannot be opened, and the list of dsh may fail as a whole: dsh takes what has a log's name for the "
        "log, whatever it is. dshlog names the entry and goes on with the next. It does not look for an older "
        "generation beside it, because dsh does not either: put the file back, or move the entry out of the root."
    ),
    "F101 F102": (
        "The session is missing from the list of dsh without a word, and opening it by its id says that the log is "
        "empty or has no header. A crash while the very first bytes were written leaves such a file. Nothing in it can "
        "be saved, and dshlog invents no header; a copy, an older generation beside it, or a temporary file of the "
        "first write may hold more."
    ),
    "F103": (
        "The session opens and nothing looks odd, but its newest events may be missing. dsh keeps every whole block of "
        "the unfinished frame, writes these records again on its next write, and cuts the rest; a missing checksum "
        "alone loses nothing. dshlog counts what can be saved and never writes: a frame that is still being written "
        "looks the same, and has to be left alone."
    ),
    "F104": (
        "Opening the session fails, although all frames before these bytes may be sound: dsh walks the structure of "
        "the whole file before it reads any of it. One to three stray bytes would count as a torn frame, four are "
        "foreign. dshlog reads everything before them, so show and cat work; whether they are rubbish or the start of "
        "a damaged frame cannot be told, so it keeps them for a person to look at."
    ),
    "F105": (
        "Opening the session fails after a power cut or a full disk, although all frames are whole: the file system "
        "gave the file its length and not its bytes. dsh refuses four zero bytes or more as foreign. dshlog reads all "
        "frames before them; cutting the zeros loses nothing, and events that were to stand there are gone."
    ),
    "F106": (
        "Other zstd tools read this file without complaint, and dsh refuses to open it: it knows data frames only. A "
        "tool that adds an index or a comment to zstd files leaves such frames. Taking the skippable frame out brings "
        "the session back and loses no event."
    ),
    "F107 F108": (
        "Opening the session fails, with a message about a frame and no record. Bytes changed after they were written: "
        "a bad disk, a copy in text mode, an editor. dsh reads all frames or none. dshlog names the frame and reads "
        "what stands before it; the text of the bad frame is not trusted, because a checksum that differs does not say "
        "which byte is wrong."
    ),
    "F109": (
        "The session is missing from the list of dsh, in 0.1.5 the whole list fails, and opening it fails too, although "
        "zstd -t finds the file sound. It was opened and compressed again as one piece; dsh wants the header in a frame "
        "of its own so that it can list sessions without reading them. Framing it again changes no record."
    ),
    "F110": (
        "Opening the session fails. The frames are whole and the last record is not, which no crash of dsh explains: "
        "frames were removed, or another tool wrote them. dshlog reads all whole records; the unfinished one cannot be "
        "completed."
    ),
    # -- lines and JSON
    "L101": (
        "The session opens, and its last event is missing. A record counts once its line feed is written, so dsh drops "
        "these bytes even when they are complete JSON, and cuts them on its next write. A repair keeps a record that "
        "lacks nothing but the line feed and follows on, and cuts what is no whole record; a writer that is alive may be in "
        "the middle of this very line."
    ),
    "L102 L103": (
        f"{_TAIL} Crashes do not leave this in the middle of a file; editors, merge tools and blocks of zero bytes do. "
        "dshlog says at which byte JSON ends being JSON, and judges the records behind it by their form. "
        + _NOT_GUESSED
    ),
    "L104": (
        "The session opens, and some text shows the replacement sign. dsh reads every bad sequence as U+FFFD and says "
        "nothing; once it writes such a text again, the old bytes are gone. dshlog names the record and does not try "
        "other encodings; dshlog repair --fix L104 writes the sign in their place, so that the file is UTF-8 again."
    ),
    "L105": (
        "The session opens, and the next request that carries this text answers 400: half a surrogate pair is no "
        "Unicode text, although JSON can spell it. It comes from text that was cut in the middle of an emoji. dshlog "
        "lists it under 'opens, but'; the other half is not in the log. dshlog repair --fix L105 puts U+FFFD there, and "
        "puts a pair together that was only cut between two pieces of a stream."
    ),
    "L106": (
        "dsh may well open this session: it reads lines up to 536,870,888 UTF-16 code units. dshlog reads lines up to "
        "128 MiB, of a raw file up to 512 MiB, and up to 4,194,304 values in one line, so that a hostile or damaged file "
        "cannot take all memory. Above that it says so instead of guessing: the verdict of dsh is null, the log counts "
        "as refused, so that nothing passes that was not read, and the exit status is 2."
    ),
    "L107": (
        "No rule of the format limits how deep arrays and objects stand inside each other, and where dsh only reads such "
        "a record it opens the session. It runs out of stack where it copies a message, compares two values or names one "
        "in an error, and then refuses the whole log with 'Maximum call stack size exceeded'. From how many levels on "
        "depends on the place and on what the process did before: some 2000 at the least. dshlog reads any depth, warns "
        "above 1024 levels, and gives the verdict that dsh would give with stack enough."
    ),
    # -- the header
    "H101 H102 H103": (
        "The session is missing from the list of dsh without a word, and opening it by its id says that the first line "
        "is no session header. The header says who reads the file, so without it dsh looks at nothing else. dshlog "
        "does not judge the records either, since it cannot know their generation; a copy of the first line from a "
        "backup, or from another generation of the session, brings the log back."
    ),
    "H104 H105 H106 H108": (
        "The session is missing from the list of dsh without a word, and opening it says that the log is corrupt. "
        "Headers get such members from other tools, or from a header copied between generations, whose members differ. "
        "The v0 builds ignore a member that they do not know; every later reader refuses it, also when it upgrades a "
        "v0 log. dshlog judges the records all the same, so that one look shows everything."
    ),
    "H107": (
        "The whole list of dsh fails, not only this session: sandboxMode and approvalPolicy were retired, and a header "
        "that still has one is an error that listing does not pass over. Taking the member out cures the root. dshlog names "
        "the file, which the message of dsh does not."
    ),
    "H109": (
        "An older dsh says that a newer harness wrote the session; in its list the session is missing. Nothing is "
        "damaged, and dshlog never calls it so: install the newer dsh, or the newer dshlog. No record is judged, "
        "because the rules of that format are not known here."
    ),
    "H110": (
        f"{_REFUSED}: the header claims more inherited events than the log holds. The end of the log is gone, or the "
        "header was copied. dshlog does not lower the number, since it decides which events, tokens and costs belong "
        "to the parent."
    ),
    "H111 H112": (
        f"{_REFUSED}: header and records disagree on whether this is a fork. The marker is a session/end-seed with "
        "inherited true; its position is the cut between the events of the parent and the own ones. dshlog reports "
        "the contradiction and places no cut, since both choices are possible and change what the session counts as "
        "its own."
    ),
    "H113": (f"{_TAIL} The record marks the end of an inherited prefix, and dsh looks into it while it decodes rows."),
    "H114": (
        "The session opens on Windows and is refused elsewhere, where its list does not show it: each dsh takes the "
        "rules of its own platform for an absolute path. dshlog accepts both, as logs travel."
    ),
    "H115": (
        "Opening the session fails with ENAMETOOLONG, in every release. dsh makes a name of the id, in which each sign that "
        "is no letter, digit, dot, dash or underscore takes five characters, and also looks for a file of that name with an "
        "ending; 244 characters still have room. dshlog invents no other id, since child sessions name their parent by it."
    ),
    # -- generations
    "G101": (
        "Nothing is wrong with the log. The build that was asked for with --reader upgrades it before it reads it, and "
        "with --quick that is not judged. State and exit status follow the build of the log's own generation; warnings "
        "tell what is known to stop the upgrade."
    ),
    "G201": (
        f"{_UPGRADE} The upgrade reads rows more strictly than the build that wrote them: a packed row with an index below "
        "0, or a marker without an object, is a bad row for it. From a bad row on it leaves everything out, unless a "
        "turn/end behind it shows that the rest was committed; then it refuses the log. dshlog tells it as the upgrade "
        "does and leaves the row as it is."
    ),
    "G213 G214 G217 G224": (
        f"{_UPGRADE} The first edges know every member of every event that the released builds wrote, and take no other: "
        "a plugin or a script that added one, left one out or gave it another kind of value stops them. The message names "
        f"the edge, the type and the member. {_NOT_GUESSED}"
    ),
    "G215 G216": (
        f"{_UPGRADE} Kinds of content and of sources are a closed list up to v2. What a plugin wrote under a kind of its own "
        "stops the edge to v3, which would have no name for it; from v3 on such kinds are carried along. dshlog renames "
        "nothing, since the name may mean something to whoever wrote it."
    ),
    "G219": (
        f"{_UPGRADE} A delivery marker says up to where a service has taken the log of a session; copied into another "
        "session, or claiming a generation that was not there yet, it would say so of the wrong events. dshlog leaves it "
        "as it is."
    ),
    "G222 G223 G225": (
        f"{_UPGRADE} v2 has no chunk events: the chunks of a model call become the stream of its message, found by what the "
        "message cites. A citation that misses some, a reference to a chunk from elsewhere, or an inherited part that ends "
        "inside a call leaves the edge without an answer. validate --deep says which chunks belong together."
    ),
    "G231 G232": (
        f"{_UPGRADE} From v3 on the system prompt is the first message, and it stands in a step. The edge puts it behind the "
        "first step/start and before the request that changes it; a message before that place, or a prompt that changes "
        "where no step is open, would break the order that v4 asks for."
    ),
    "G233": (
        f"{_UPGRADE} A result that carries an error and does not say that it failed was read by nobody as a failure; v3 refuses "
        "the contradiction. Which of the two is true stands nowhere, so dshlog decides nothing."
    ),
    "G234": (
        f"{_UPGRADE} The id of a generated system message is computed from the session and its place, and some message of the "
        "log has it already. That does not happen by chance."
    ),
    "G241 G242": (
        f"{_UPGRADE} v4 has other names for sources and no block around tool results, so the edge looks into every message, and "
        "what has not the form of one cannot be converted. The build that wrote the log looks at less."
    ),
    "G243": (
        f"{_UPGRADE} In v4 deferLoading says that a tool is given to the model later. A log of v3 that holds the word cannot "
        "have meant that, so the edge refuses to give it that meaning."
    ),
    "G244": (
        f"{_UPGRADE} The upgrade writes down every child session with what its own log says. The log holds a fact that has "
        "another form, names a child twice, or contradicts the child."
    ),
    "G251": (
        f"{_UPGRADE} Every edge takes the log, and the result breaks a rule that v4 asks of every log; the message names it, and "
        "dshlog explain says more of it. dsh opens nothing of such a log. The place is that of the event as it is stored."
    ),
    "G102": (
        "Nothing is wrong with the log. The build that was asked for with --reader is older than the log: 0.1.2 looks "
        "for session.jsonl only and does not see it, 0.1.5 says that a newer harness wrote it. Ask for the build that "
        "wrote it, or for a later one."
    ),
    # -- envelope and sequence
    "E101 E102 E103 E104 E106 E107 E108": (
        f"{_TAIL} In v0 and v1 the row decoder looks at seq and sourceEventSeqs alone, and the rest is refused "
        "afterwards. Plugins and scripts that write logs themselves are the usual source. " + _NOT_GUESSED
    ),
    "E105": (
        f"{_TAIL} Here the position is off and nothing around it tells why: the records before it could not be read, "
        "or it has no seq at all. Where the positions tell a story, dshlog names that instead (E121 to E129)."
    ),
    "E121": (
        f"{_REFUSED} with a gap in the sequence: a desktop app and a web server, or two windows, had the session open "
        "and both went on from the same event. Releases before 0.1.5 take no lock. Both branches are whole, and dsh "
        "takes neither. dshlog shows where they part and where each ends; which one is to be kept is for a person to "
        "say."
    ),
    "E122": (
        f"{_REFUSED} with a gap in the sequence, right behind an interrupted call: a second dsh took the session for "
        "crashed and closed it, while its writer was alive and went on. dshlog tells the closers from the real records "
        "by their ids. It does not drop them by itself, because the closers may be what a person has seen since."
    ),
    "E123": (
        f"{_REFUSED}: behind the log stands a second one, numbered from 0 again, as after joining two files. dshlog "
        "does not renumber, since two logs are not one conversation."
    ),
    "E124 E125": (
        f"{_TAIL} Whole lines are gone: by hand, by a tool that filters, by a copy that stopped. Every reference "
        "behind the hole still counts the missing events. dshlog says which seqs are missing; what was in them, only a "
        "copy of the file can tell."
    ),
    "E126": (
        f"{_TAIL} A batch was written twice, byte for byte, as after a write that failed late and was tried again. "
        "Dropping the second copy loses nothing, and dshlog marks it so."
    ),
    "E127": (
        f"{_TAIL} Seen after a connection to a remote host dropped: a packed row was written again with more chunks in "
        "it. A packed row is taken whole or not at all, so dsh does not see that its end would fit. The members that "
        "stand twice are the same, so nothing is lost when they are told apart."
    ),
    "E129": (
        f"{_TAIL} All events are there and in the wrong order, as after sorting or merging lines by time. Putting them "
        "in order again loses nothing; dshlog names the records that moved."
    ),
    "E109": (
        "dsh says that it does not support the log, which is no damage: a newer dsh or a plugin wrote an event that "
        "must be understood and is not known to this build. Upgrade dsh or install the build that has the plugin. Do "
        "not cut it: dshlog offers no remedy, because the event is sound and somebody needs it."
    ),
    "E110 E111": (
        f"{_REFUSED}: the event has a name of another generation. Logs that were renamed or given another version "
        "number by hand look like this, and so do plugins that kept an old name. dshlog tells the history of the name "
        "and does not rename, since the members changed along with it."
    ),
    "E112": (
        f"{_UPGRADE} The marker ignorable helps only from v3 on; the upgrade of older logs takes no event that it does "
        "not know, marked or not. dshlog says it while the old build can still open the session and finish it."
    ),
    # -- payloads
    "P101": (
        f"{_REFUSED} as unsupported. No released build reads this reason. dshlog does not put another one in its "
        "place, since the reason says why a request was made."
    ),
    "P102 P103 P104 P105 P106 P107 P108 P109 P110 P111": (
        f"{_REFUSED}: dsh makes messages of the surface events while the session is built, and this one has not the "
        "form of a message. Events imported from another tool, or written by a plugin, lack an id, a role or a source. "
        "v1 and v2 have no reader of their own that looks; the upgrade does. dshlog names the member that is wrong, "
        "one finding for each."
    ),
    "P112 P113 P114 P115 P116": (
        f"{_REFUSED}: a request/header holds what the next request is made of, and this one does not fit together. "
        "dshlog compares the members with each other as dsh does, and changes none: they say what was really sent."
    ),
    "P117 P118 P119 P120 P121 P122 P125 P126 P127 P128 S309 S310": (
        f"{_REFUSED}, even when the record is the last one and stands in a torn tail: dsh looks for this on every row "
        "before it decides what to cut. So cutting the tail does not help, and waiting does not either. Most of these "
        "are forms of an older generation inside a newer file. dshlog reports each of them, also behind other damage."
    ),
    "P123": (
        f"{_REFUSED}: the event says that the call failed, the message says that it did not. The model would be told "
        "the second. dshlog does not choose between them."
    ),
    "P124": (
        f"{_REFUSED}: the source kind plugin ended with v3. A plugin of today names its own kind, such as "
        "plugin:NAME. dshlog names the message; which kind a plugin should have is the plugin's affair."
    ),
    "P129 P130 P131": (
        f"{_REFUSED}: the payload cannot take part in the rules about turns and calls. An empty call id works while "
        "the session is live, and after a reload the session is refused, or the provider answers 400 for ever. In v0 "
        "to v3 it is a warning, because only the upgrade looks."
    ),
    "P144": (
        f"{_TAIL} The row decoder of v3 asks whether a result with an error is flagged as one, and finds nothing to "
        "look into. " + _NOT_GUESSED
    ),
    "P132 P133": (
        "The builds 0.1.0 to 0.1.2 refuse to open the session; the upgrade may take it. They look at the form of turns "
        "and of steering messages while they load, later readers do not. dshlog gives the answer of the build of the "
        "log's own generation."
    ),
    "P134 P135 P136 P137 P138 P139 P140 P141 P142 P145": (
        f"{_REFUSED}: an event that later rules depend on lacks a member they need. dsh looks at these payloads only "
        "as far as the rules go, so dshlog does the same and says nothing about the other members."
    ),
    "P143": (
        "The session opens. The web view may stop with 'more than one start Match', and viewers show one message "
        "twice or lose one. dsh keeps no rule about message ids, so this is a warning; replaced messages do not count, "
        "because a rewrite keeps its id."
    ),
    # -- chunk runs and streams
    "C101": (
        f"{_TAIL} A packed row stands for many chunk events, and dsh takes all of them or none. dshlog says which "
        "member does not fit and does not take the part that might."
    ),
    "C201 C202 C203 C204 C205": (
        "The session opens: dsh replays embedded streams only when it checks a log that it has just migrated, and then "
        "publishes nothing. dshlog replays them only when asked to look deep, since that reads every chunk again. In v0 "
        "and v1 the chunks are events of their own, and the upgrade makes the stream of them. Neither side is taken "
        "for the right one: the message is what the model said, as far as dsh is concerned."
    ),
    "C206 C207 C208 C209 C210": (
        f"{_UPGRADE} In v0 and v1 a message cites the chunks that made it; the upgrade puts these chunks into the "
        "message and needs to know exactly which. Retries and messages repaired by hand break the tie. dshlog looks "
        "only when asked to look deep, and changes no citation: a wrong one moves text from one attempt to another."
    ),
    # -- the surface
    "S201 S202 S203 S204 S205 S206 S207 S208": (
        f"{_REFUSED} in v0 and v4; in v3 the record ends what can be read, so that a later turn/end decides. The two "
        "members surfaceOp and sourceEventSeqs say what the model sees, so dsh takes no default for them. Their "
        "spelling changed with v3: start and end became startSeq and endSeq. dshlog folds on as if the event were not "
        "on the surface, so that what follows from it is not told again."
    ),
    "S301 S302": (
        f"{_REFUSED}: an event wants to take the place of messages that are not there in that order. Ends are looked "
        "up by their place on the surface, not by their number, and a node that was hidden before is gone. dshlog show "
        "--surface --at SEQ shows the surface that the event met. " + _NOT_GUESSED
    ),
    "S304": (
        f"{_REFUSED}: a replacement hides messages and does not say that it knew them. Compaction plugins that count "
        "by seq instead of by surface order make it. dsh wants every hidden node cited, because hidden history could "
        "not be proved otherwise; more citations are fine. dshlog lists the missing ones and does not add them, since "
        "a message that was hidden without being meant would stay hidden."
    ),
    "S305 S306 S307": (
        f"{_REFUSED}: a tool/result may take the place of itself only, with other content, as pruning does. A new id, "
        "another call or a changed error flag makes it another answer. dshlog compares as dsh does: up to v3 the first "
        "block but its content, in v4 all but the content."
    ),
    "S308 S315 K210": (
        f"{_REFUSED}: the system prompt leads the surface and is protected. Only another system/message may take its "
        "place, no compaction may hide it, and none may come late. 0.1.5 writes and reads some of these logs, and the "
        "upgrade to 0.2.1 refuses them. dshlog does not move messages, since their order is what the model saw."
    ),
    "S311 S312": (
        f"{_REFUSED}: a developer message adds a tool by the name it has in an earlier request/header, and that header "
        "does not declare it exactly once. The model would be offered a tool without a description."
    ),
    "S313": (
        "No log shows this: validate always has the interpreter of image/offload. The library gives it to a caller who "
        "folds a surface with projections switched off, as an older reader without that interpreter would refuse it."
    ),
    "S314": (
        f"{_REFUSED}: an image/offload takes an image out of a message that is not on the surface, has no such image, "
        "or has it offloaded already. All targets of one event hold, or none."
    ),
    "S316": (
        f"{_REFUSED} with 'Cannot read properties of null': a developer message adds a tool, and null stands where dsh "
        "looks for a block or for a declared tool. A null block in a message that adds nothing passes."
    ),
    # -- turns, steps, calls
    "T101": (
        "Nothing is wrong: the session is in use, or its writer ended without closing the turn. On the next resume "
        "dsh appends a result for each open call, step/end and turn/end. A person sees 'interrupted'; a session that "
        "hangs after a prompt looks the same. dshlog cannot tell a live writer from a dead one by the bytes; the lock "
        "can (D113)."
    ),
    "T102": (
        "The v0 builds make the closers of an open turn while they load, and stop at an event whose data is null. "
        "0.1.5 stops later, when the session is resumed. dshlog walks the same way and names the event."
    ),
    "T103": (
        "The builds 0.1.0 to 0.1.2 refuse to open the session: they would write a result for the open call, and a "
        "result without a call id is refused. Only the open turn is looked at, so the same call in a finished turn "
        "does no harm there."
    ),
    "T201 T202 T203 T204 T205 T206 T207 T208 T209 T210": (
        f"{_REFUSED} in 0.2.1. The builds of v0 to v3 keep no such rule when they open a log, so there it is a warning: "
        "the session works until the day of the upgrade. Two writers, imported conversations and cuts by hand leave "
        "brackets that do not match. After a breach dshlog goes on with what the event claims, so one lost turn/end is "
        "one finding and not fifty."
    ),
    "T301 T302 T303 T304 T306": (
        f"{_REFUSED} in 0.2.1; in v0 to v3 it is a warning, since only the upgrade looks. A call is advertised by a "
        "message, started once with the same name and arguments, and answered once. Characters changed by a repair "
        "script, ids that a model repeats, and batches written twice break that. dshlog compares exactly, as dsh does: "
        "arguments are a text, and a space counts."
    ),
    "T305 T307": (
        f"{_REFUSED} in 0.2.1. In v0 to v3 the session opens and the next request answers 400, because a provider "
        "wants a result for every call and a call for every result. A crash in the middle of a call that was not "
        "closed, and a conversation that went on, leave it. dsh closes open calls at the end of a log only, never in "
        "the middle of history."
    ),
    # -- other lifecycles
    "K101 K102 K103 K104 K105 K106 K107 K108": (
        f"{_REFUSED} in 0.2.1. Retries of one model call form a chain: one step, one provider, one policy, one "
        "retryId, counted from 1. Values are compared by identity, so a policyKey that is an object never continues a "
        "chain. The older builds do not look when they open a log; the upgrade does."
    ),
    "K201 K202 K203 K204 K205 K206 K207 K208 K211": (
        f"{_REFUSED} in 0.2.1. A compaction is a bracket of start, one summary and end, tied by compactionId, inside "
        "one turn or outside all. A crash in the middle is no breach when the next session/end-seed shows that the "
        "process had ended; without that marker the next turn crosses it. dshlog takes a crossing back when the marker "
        "comes."
    ),
    "K209": (
        f"{_REFUSED} in 0.2.1: the list of hidden events is not the surface from start to end, in surface order. Lists "
        "made by counting seqs miss nodes that moved, or name ones that were hidden before. The message of dsh names "
        "no record; dshlog does."
    ),
    "K301 K302 K303 K401 K402": (
        f"{_REFUSED} in 0.2.1: a command or a title refers to something that is not there or may not be cited. The "
        "conversation itself is not touched by it, and still dsh opens all or nothing. Copied and renumbered logs are "
        "the usual source."
    ),
    "K501 K502 K503 K504 K505": (
        f"{_REFUSED} in 0.2.1. A dispatch from inside a tool call has a start and one settlement with the same name and "
        "arguments, and hangs below its root call. An unsettled one may outlive its turn and is no breach."
    ),
    "K601": (
        f"{_REFUSED}: the log was copied under a new id, and the markers in it still name the old one. In the "
        "inherited part of a fork that is as it should be, so dsh and dshlog let it pass there."
    ),
    "K701": (
        f"{_REFUSED} in 0.2.1: two facts about one child. Only own events count, so the facts that a fork inherits do "
        "no harm."
    ),
    # -- directories and names
    "D101": (
        "The whole list of dsh fails, and this session does not open: the name promises one generation, the header "
        "says another. Copies and renamed files look like this. dshlog names the file that dsh does not, judges the "
        "rest of the root, and renames nothing."
    ),
    "D102 D103": (
        "The session is not found, or is refused when it is opened, and the whole list of dsh fails. dsh computes the "
        "two directories from id and cwd in the header and compares. A project that was moved or renamed on disk keeps "
        "its old cwd in every header. dshlog says which directory belongs, and moves nothing, since dsh may be running."
    ),
    "D104": (
        "Neither copy opens, and the whole list of dsh fails. Copying a project's sessions to a new place without "
        "removing the old ones does it. dshlog judges both copies, so that they can be compared; which one to keep it "
        "does not know."
    ),
    "D105": (
        "No session of the root opens and nothing is listed: a root is raw or zstd, never both. A composition without "
        "compression that used the same root once is enough. dshlog charges the smaller half, and judges all logs by "
        "their content."
    ),
    "D106": (
        "No session of the root opens and nothing is listed: dsh takes the file for a layout that it does not support. "
        "The same file directly in the root would be ignored. dshlog names it and goes on."
    ),
    "D107": (
        "Turns are missing in the newer dsh that the older dsh still shows: a v0 build knows one file name only and "
        "went on in the old file after the upgrade. The two files cannot be merged by themselves, because their "
        "positions have nothing in common. dshlog compares the times of the turns and says from which event on the old "
        "file is alone."
    ),
    "D108 D109": (
        "Nothing is met in dsh: it ignores every name that is no log's. The file takes space, and may hold events that "
        "the log lost, so dshlog mentions it and does not remove it."
    ),
    "D110": (
        "The sessions behind the link are missing from the list of dsh; a linked session still opens by its id, and a link "
        "that leads nowhere is passed over. dshlog follows links only where dsh does."
    ),
    "D111": (
        "The session opens; the tree of forks and subagents has a gap. The parent was removed, or lies in another root. "
        "Everything that the fork inherited is in its own log, so nothing is lost."
    ),
    "D112": (
        "The session opens and reads as complete, and its newest events are gone: a log cut at a frame or line "
        "boundary shows no damage. dsh's projection cache beside the root remembers how far it had read. dshlog "
        "believes a cache of the very same session only; it holds summaries, so the events cannot be taken from it."
    ),
    "D113 D114": (
        "Nothing is wrong: dsh is at work on this session. dshlog judges the bytes that were there at the start and "
        "calls what is open 'in progress'. Judge it again when dsh has closed it."
    ),
    "D115": (
        "The list of dsh is empty or an error, and no session of an older format can be upgraded, since an upgrade "
        "lists the root first. One log of this kind is enough, and the message of dsh does not always name it. dshlog "
        "names every one of them."
    ),
    "D116": (
        "Sessions are missing from the list of dsh, and nothing says so. A header that cannot be read is passed over, "
        "and so is a directory whose files have no canonical name, such as session.v04.jsonl or *.zst. dshlog counts "
        "them and names the first hundred. An empty directory is no session, and nothing is said of it."
    ),
    "D117": (
        "Opening the session takes long, and on a small machine dsh may run out of memory: it holds all events. dshlog "
        "measures the text, which is what counts, and not the compressed file. Above 2 GiB dsh does not read a file."
    ),
    "D118": (
        "Nothing is met in dsh: it reads the highest generation and leaves the older ones as they were before their "
        "upgrade. dshlog judges them only when they are named or with --all-generations; to bring one back, the newer "
        "file has to go."
    ),
    # -- databases
    "B101 B102": (
        "Nothing is met in dsh, which has no such file: it is looked at because it was named, or because of its name. "
        "dshlog says what the file is and reads nothing of it; in a walk over directories it passes by in silence."
    ),
    "B103 B104": (
        "Each build that kept databases opens those of its own schema version alone: 15 in dsh 0.1.0, 17 in 0.1.1. "
        f"{_NOT_GUESSED}"
    ),
    "B105 B106": (
        "The build that wrote the database does not open it any more, or does not see all of its rows. dshlog reads what "
        "SQLite gives out and stops where nothing can be asked for; it never writes to the file, not even to mend it. "
        "Where an index does not name the same rows as its table, the rows are read from the table, and those that the "
        "index alone knows are named in their sessions. Of a file that was cut, what stands on the pages that are there is "
        "read."
    ),
    "B111": (
        "dsh from 0.1.2 on knows JSONL logs alone: sessions that stand in a database are missing from its list, and it "
        "says nothing of them. dshlog unpack gives each of them back as a log of v0."
    ),
    "B112 B113": (
        "SQLite would bring both files together when it opens the database, and so change them. dshlog makes a private "
        "copy of both, lets SQLite work on that, and removes it; what is read is what the next reader would see."
    ),
    "B114 B115 B116": (
        "The build that wrote the database may not open it any more, or does not show these rows. dshlog reads the "
        "other sessions all the same and leaves these rows out of them."
    ),
    "B201": (
        "No released build wrote such a session into a database, and whether one reads it is not known. dshlog judges its "
        "rows as those of the version that it names, so that a version that is none is refused as in a log."
    ),
    "B202 B203 B204 B205 B206 B207": (
        f"{_TAIL} dshlog puts a line that is no JSON in the place of the row, so that the rows around it are judged "
        "as ever, and names the session, the seq and the column. unpack does not write such a session; repair does, "
        "and says what is lost."
    ),
}

TEXTS = {code: text for codes, text in _TEXTS.items() for code in codes.split()}


class Look(NamedTuple):
    """Where the reader of one generation looks at a rule.

    `build` is the release that reads that generation as its own, None for v1 and v2, of which only the
    upgrade is a reader. `stage` is None where it does not look; `severity` is then that of dshlog, or None.
    """

    version: int
    build: str | None
    stage: str | None
    does: str
    severity: Severity | None


def explanation(rule: Rule) -> str:
    """Give the text about a rule: its own, else one made of the stages at which the readers look."""
    return TEXTS.get(rule.code) or fallback(rule)


def fallback(rule: Rule) -> str:
    """Say who refuses a log for a rule, in sentences."""
    return " ".join(f"{line[:1].upper()}{line[1:]}." for line in refusals(rule))


def looks(rule: Rule) -> tuple[Look, ...]:
    """Give what the reader of each generation does about a rule, v0 to v4."""
    return tuple(_look(rule, version) for version in range(len(rule.stages)))


def _look(rule: Rule, version: int) -> Look:
    letter, build = rule.stages[version], BUILDS[version]
    if letter == ".":
        if rule.code in EARLY:
            does = "not looked at when the log is opened; the upgrade refuses it: a warning"
            return Look(version, build, None, does, "warning")
        return Look(version, build, None, "does not occur, or is not looked at", None)
    stage, does = STAGES[letter]
    build = BUILDS[LATEST] if letter == "e" else build
    return Look(version, build, None if letter in "wnu" else stage, does, rule.severity(version))


def refusals(rule: Rule) -> list[str]:
    """Say in one line for each kind of answer which generations give it, in their order."""
    out: list[tuple[str, list[Look]]] = []
    for look in looks(rule):
        if out and out[-1][0] == look.does:
            out[-1][1].append(look)
        else:
            out.append((look.does, [look]))
    return [f"{_generations(same)}: {does}" for does, same in out]


def _generations(same: list[Look]) -> str:
    first, last = same[0].version, same[-1].version
    return f"v{first}" if first == last else f"v{first} to v{last}"
