"""Write a synthetic, valid dsh session log of any size: `python tests/bench/generate.py -o FILE --bytes 10M`.

The bench falls back to this writer where the larger generator is not at hand. It takes those options of that generator
that the bench uses; its records have similar sizes, but figures of the two are not comparable. The same options give
the same bytes. A log stops at the end of a turn, so it is slightly larger than asked. One line of JSON tells what was
written.
"""

from __future__ import annotations

import argparse
import random
import sys
from pathlib import Path
from typing import Any, BinaryIO

import orjson
import zstandard

Json = dict[str, Any]

MODEL = {"provider": "deepseek", "model": "deepseek-reasoner"}
TEXT = (
    "the of and to in is that for it as was with be file function value return error test line module import class "
    "string index buffer stream session event record header check result token parse write read path build async "
    "await const None True False null turn step 因为 所以 首先 测试 文件 函数 返回"
)
WORDS = [" " + word for word in TEXT.split()]
MARKS = (",", ".", ":", " `", "(", ")", "_", "/", ".\n", "\n- ", ' "', '"', "\\n", " 42", "😀", "\t")
# First generations that have a seed flag, a system message on the surface, and messages of the role `tool`.
SEED_FLAG, SYSTEM_MESSAGE, TOOL_ROLE = 2, 3, 4
MARK_SHARE = 0.1  # of the deltas, the rest are words
MIN_RUN, MAX_RUN = 3, 28  # members of a packed record; shorter runs stay as plain events
COMPACT_KEEP = 6  # newest surface nodes that a compaction leaves alone
PRUNES_A_STEP = 3  # most replacements after one step of the profile `replace`


def size(text: str) -> int:
    """Read a decimal size such as 50k, 100M or 1G."""
    unit = {"k": 10**3, "m": 10**6, "g": 10**9}.get(text[-1].lower())
    return int(float(text[:-1]) * unit) if unit else int(text)


class Sink:
    """Write records as lines, or a few lines at a time as one zstd frame with a checksum and no content size."""

    def __init__(self, out: BinaryIO, *, zstd: bool, batch_rows: float) -> None:
        """Take over `out`; `batch_rows` is the mean number of lines in a frame."""
        self.out, self.batch_rows, self.limit = out, batch_rows, 1
        self.batch: list[bytes] = []
        self.rows = self.raw = self.frames = 0
        self.random = random.Random(2)  # noqa: S311
        self.packer = zstandard.ZstdCompressor(write_checksum=True, write_content_size=False) if zstd else None

    def write(self, record: Json) -> None:
        """Add one line; the first one, the header, gets a frame of its own."""
        line = orjson.dumps(record) + b"\n"
        self.rows += 1
        self.raw += len(line)
        if self.packer is None:
            self.out.write(line)
            return
        self.batch.append(line)
        if len(self.batch) >= self.limit:
            self.flush()

    def flush(self) -> None:
        """End the frame under way."""
        if self.packer is not None and self.batch:
            self.out.write(self.packer.compress(b"".join(self.batch)))
            self.batch.clear()
            self.frames += 1
            self.limit = 1 + int(self.random.expovariate(1 / self.batch_rows))


class Writer:
    """One log of turns; each step is a reply with its provider stream and, but for the last, a tool call."""

    def __init__(self, options: argparse.Namespace, sink: Sink) -> None:
        """Prepare the text material and write the header."""
        self.options, self.sink, self.version = options, sink, options.version
        self.small = options.profile != "mixed"
        self.random = rng = random.Random(1)  # noqa: S311
        self.seq = self.turn = self.replaces = 0
        self.time = 1_760_000_000_000
        self.surface: list[int] = []
        self.results: list[tuple[int, Json]] = []
        scale = 4 if self.small else 120
        self.texts = [self.tokens(2 + int(rng.expovariate(1 / scale))) for _ in range(96)]
        self.outputs = ["".join(self.tokens(2 + int(rng.expovariate(1 / (8 * scale))))) for _ in range(96)]
        header = {"type": "session", "version": self.version, "id": "bench", "createdAt": self.time, "cwd": "/w"}
        sink.write(header | ({"isSeeded": False} if self.version >= SEED_FLAG else {}) | {"delegationDepth": 0})

    def tokens(self, count: int) -> list[str]:
        """Draw the deltas of one block."""
        pick = self.random.choice
        return [pick(WORDS) if self.random.random() > MARK_SHARE else pick(MARKS) for _ in range(count)]

    def gaps(self, count: int) -> list[int]:
        """Draw the milliseconds between deltas."""
        return self.random.choices((0, 0, 1, 1, 2, 8, 15, 17, 23, 44), k=count)

    def emit(self, kind: str, data: Json, sources: list[int] | None = None, op: str | Json | None = None) -> int:
        """Write one event and return its seq."""
        self.time += self.random.randint(0, 40)
        event: Json = {"type": kind, "seq": self.seq, "time": self.time, "data": data}
        if sources is not None:
            event["sourceEventSeqs"] = sources
        if op is not None:
            event["surfaceOp"] = op
        if op == "append":
            self.surface.append(self.seq)
        self.sink.write(event)
        self.seq += 1
        return self.seq - 1

    def message(self, role: str, text: str, source: Json) -> Json:
        """Build a message of one text block."""
        content = [{"type": "text", "text": text}]
        return {"id": f"msg_{self.seq}", "role": role, "content": content, "source": source}

    def replace(self, kind: str, data: Json, span: list[int]) -> int:
        """Write the event that takes the place of the nodes in `span`."""
        self.replaces += 1
        first, last = ("start", "end") if self.version == 0 else ("startSeq", "endSeq")
        return self.emit(kind, data, sorted(span), {"op": "replace", first: span[0], last: span[-1]})

    def stream_events(self, at: Json, blocks: list[tuple[str, list[str], Json]], tail: list[Json]) -> list[int]:
        """Write the provider stream as events of their own (generation 0) and return their seqs."""
        first = self.seq
        for index, (kind, tokens, block) in enumerate(blocks):
            call = {"id": block["id"], "name": block["name"]} if kind == "tool-call" else {}
            self.emit("assistant/chunk", at | {"chunk": {"type": "block-start", "index": index, "blockType": kind}})
            start = 0
            while start < len(tokens):
                count = self.random.randint(MIN_RUN, MAX_RUN) if self.options.layout == "packed" else 1
                part = tokens[start : start + count]
                start += count
                if len(part) >= MIN_RUN:
                    gaps = self.gaps(len(part) - 1)
                    data = at | {"index": index} | call | {"dt": gaps, "args" if call else "texts": part}
                    self.sink.write({"type": f"{kind}-chunks", "seq0": self.seq, "time0": self.time, "data": data})
                    self.seq += len(part)
                    self.time += sum(gaps)
                    continue
                for token in part:
                    delta = {"argumentsDelta" if call else "text": token}
                    chunk = {"type": f"{kind}-delta", "index": index} | call | delta
                    self.emit("assistant/chunk", at | {"chunk": chunk})
            self.emit("assistant/chunk", at | {"chunk": {"type": "block-end", "index": index, "block": block}})
        for chunk in tail:
            self.emit("assistant/chunk", at | {"chunk": chunk})
        return list(range(first, self.seq))

    def stream_rows(self, blocks: list[tuple[str, list[str], Json]], tail: list[Json]) -> list[Json]:
        """Build the provider stream as a member of the reply (generation 2 and later)."""
        rows: list[Json] = []
        for index, (kind, tokens, block) in enumerate(blocks):
            call = {"id": block["id"], "name": block["name"]} if kind == "tool-call" else {}
            start: Json = {"type": "block-start", "index": index, "blockType": kind}
            end: Json = {"type": "block-end", "index": index, "block": block}
            gaps = self.gaps(len(tokens) - 1)
            run = {"type": f"{kind}-chunks", "time0": self.time, "index": index, "dt": gaps, **call}
            rows += [{"type": "chunk", "time": self.time, "chunk": start}, run | {"args" if call else "texts": tokens}]
            self.time += sum(gaps)
            rows.append({"type": "chunk", "time": self.time, "chunk": end})
        return rows + [{"type": "chunk", "time": self.time, "chunk": chunk} for chunk in tail]

    def reply(self, at: Json, call_id: str | None) -> None:
        """Write one assistant message, with its call and the call's result if `call_id` names one."""
        blocks: list[tuple[str, list[str], Json]] = []
        if not self.small or call_id is None:
            for kind in ("text",) if self.small else ("reasoning", "text"):
                tokens = self.random.choice(self.texts)
                blocks.append((kind, tokens, {"type": kind, "text": "".join(tokens)}))
        arguments = ['{"pa', 'th":"', "src/", "a.ts", '","n":', f"{self.seq}}}"]
        call = {"name": "read", "arguments": "".join(arguments)}
        if call_id is not None:
            blocks.append(("tool-call", arguments, {"type": "tool-call", "id": call_id, **call}))
        count = sum(len(tokens) for _, tokens, _ in blocks)
        usage = {"inputTokens": 900, "outputTokens": count, "cacheReadTokens": 640, "reasoningTokens": count // 2}
        finish = {"type": "finish", "reason": {"kind": "stop" if call_id is None else "tool-calls"}}
        tail = [{"type": "usage", "usage": usage}, finish]
        content = [block for *_, block in blocks]
        message = self.message("assistant", "", {"kind": "model", **MODEL}) | {"content": content}
        data = at | {"message": message, "usage": usage}
        if self.version == 0:
            self.emit("assistant/message", data, self.stream_events(at, blocks, tail), "append")
        else:
            self.emit("assistant/message", data | {"stream": self.stream_rows(blocks, tail)}, None, "append")
        if call_id is not None:
            called = self.emit("tool/call", at | {"callId": call_id, **call})
            data = at | {"message": self.result(call_id, "ok" if self.small else self.random.choice(self.outputs))}
            seq = self.emit("tool/result", data, [called], "append")
            if self.options.profile == "replace":
                self.results.append((seq, data))

    def result(self, call_id: str, text: str) -> Json:
        """Build the message that carries a call's output, in the generation's shape."""
        role = "tool" if self.version >= TOOL_ROLE else "user"
        message = self.message(role, text, {"kind": "tool", "callId": call_id})
        if role == "tool":
            return message | {"toolCallId": call_id, "isError": False}
        block = {"type": "tool-result", "toolCallId": call_id, "content": message["content"], "isError": False}
        return message | {"content": [block]}

    def prune(self) -> None:
        """Replace one earlier tool result by a short one."""
        at = self.random.randrange(len(self.results))
        self.results[at], self.results[-1] = self.results[-1], self.results[at]
        seq, data = self.results.pop()
        span = {"shadowedRange": {"start": seq, "end": seq}, "shadowedSeqs": [seq], "shadowedTokenCount": 30}
        self.emit("compaction/prune", span)
        message = self.result(data["message"]["source"]["callId"], "[output pruned]") | {"id": data["message"]["id"]}
        self.replace("tool/result", data | {"message": message}, [seq])

    def compact(self) -> None:
        """Replace all but the head and the newest nodes by a summary."""
        head = 1 if self.version >= SYSTEM_MESSAGE else 0
        span = self.surface[head:-COMPACT_KEEP]
        own = {"compactionId": f"cmp-{self.seq}", "turn": self.turn}
        text = self.random.choice(self.outputs)
        self.emit("compaction/start", own)
        sizes = {"shadowedTokenCount": 40 * len(span), **MODEL, "maxTokens": 4096}
        shadowed = {"shadowedRange": {"start": span[0], "end": span[-1]}, "shadowedSeqs": span, **sizes}
        summary = {"compactionId": own["compactionId"], "summary": [{"type": "text", "text": text}]}
        self.emit("compaction/summary", summary | shadowed)
        checkpoint = {"kind": "compact-checkpoint"}
        kind = checkpoint if self.version >= TOOL_ROLE else {"kind": "plugin", "plugin": "compact"}
        message = self.message("user", text, kind | {"compactionId": own["compactionId"]})
        self.surface[head:-COMPACT_KEEP] = [self.replace("user/message", message, span)]
        self.emit("compaction/end", own)

    def head(self, at: Json) -> None:
        """Write what only the first step of a log has."""
        config = {**MODEL, "reasoningEffort": "high", "maxTokens": 65536}
        header = {"config": config} | ({"system": "be brief"} if self.version < SYSTEM_MESSAGE else {})
        self.emit("request/header", {"header": header, "reason": "initial"})
        if self.version >= SYSTEM_MESSAGE:
            plugin = {"kind": "plugin", "plugin": "@deepseek-ai/dsh-system-prompt"}
            source = {"kind": "system-prompt"} if self.version >= TOOL_ROLE else plugin
            self.emit("system/message", at | {"message": self.message("system", "be brief", source)}, None, "append")
        self.emit("request/context", {**MODEL, "contextWindow": 131072})

    def one_turn(self) -> None:
        """Write one whole turn."""
        options = self.options
        self.turn += 1
        self.emit("turn/start", {"turn": self.turn})
        every = options.compact_every
        if options.profile != "replace" and every and self.turn % every == 0 and len(self.surface) > 2 * COMPACT_KEEP:
            self.compact()
        steps = 1 + min(40, int(self.random.expovariate(1 / 6)))
        for step in range(1, steps + 1):
            at: Json = {"turn": self.turn, "step": step}
            self.emit("step/start", at)
            if step == 1:
                if self.turn == 1:
                    self.head(at)
                self.emit("user/message", self.message("user", "go", {"kind": "user"}), None, "append")
            self.reply(at, f"call_{self.turn}_{step}" if step < steps else None)
            self.emit("step/end", at)
            if options.profile == "replace" and self.seq > options.events // 4:
                for _ in range(min(len(self.results), PRUNES_A_STEP)):
                    self.prune()
        self.emit("turn/end", {"turn": self.turn, "reason": {"kind": "completed"}})

    def done(self) -> bool:
        """Tell whether a wanted size is reached."""
        options = self.options
        wanted = options.replaces if options.profile == "replace" else 0
        return 0 < options.bytes <= self.sink.raw or 0 < wanted <= self.replaces


def write(path: Path, options: argparse.Namespace) -> dict[str, int]:
    """Write one log and tell what is in it."""
    with path.open("wb", buffering=1 << 20) as out:
        sink = Sink(out, zstd=options.zstd, batch_rows=options.batch_rows)
        writer = Writer(options, sink)
        while not writer.done():
            writer.one_turn()
        sink.flush()
    counts = {"rows": sink.rows - 1, "events": writer.seq, "turns": writer.turn, "replaces": writer.replaces}
    return counts | {"frames": sink.frames, "raw_bytes": sink.raw, "file_bytes": path.stat().st_size}


def main() -> int:
    """Write the log that the arguments ask for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--out", type=Path, required=True)
    parser.add_argument("--version", type=int, default=4, choices=(0, 3, 4))
    parser.add_argument("--layout", choices=("packed", "unpacked"), default="packed", help="deltas of generation 0")
    parser.add_argument("--profile", choices=("mixed", "small", "replace"), default="mixed")
    parser.add_argument("--bytes", type=size, default=0, help="decoded size to reach")
    parser.add_argument("--events", type=size, default=0, help="profile replace: no replacement in a quarter of these")
    parser.add_argument("--replaces", type=size, default=0, help="profile replace: replacements to reach")
    parser.add_argument("--compact-every", type=int, default=12, help="turns between compactions (0: none)")
    parser.add_argument("--count", type=int, default=0, help="so many logs, each in a folder of its own below --out")
    parser.add_argument("--zstd", action="store_true", help="zstd frames; the header has its own")
    parser.add_argument("--batch-rows", type=float, default=4, help="mean lines in a frame")
    options = parser.parse_args()
    if not options.bytes and not (options.replaces and options.profile == "replace"):
        parser.error("give --bytes, or --replaces with --profile replace")
    if not options.count:
        sys.stdout.write(orjson.dumps(write(options.out, options)).decode() + "\n")
        return 0
    name = f"session{f'.v{options.version}' if options.version else ''}.jsonl{'.zstd' if options.zstd else ''}"
    sums: dict[str, int] = {"files": options.count}
    for number in range(options.count):
        folder = options.out / f"s{number:05}"
        folder.mkdir(parents=True)
        for key, value in write(folder / name, options).items():
            sums[key] = sums.get(key, 0) + value
    sys.stdout.write(orjson.dumps(sums).decode() + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
