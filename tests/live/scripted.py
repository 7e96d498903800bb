"""A model server on loopback that answers as it was told to, in the Messages protocol."""

from __future__ import annotations

import json
import socket
import struct
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from threading import Event, Lock, Thread
from typing import Any, Self

Json = dict[str, Any]

_PIECE = 40  # characters that come at once
_RESET = struct.pack("ii", 1, 0)  # of SO_LINGER: closing throws away what was not sent
_KINDS = {400: "invalid_request_error", 500: "api_error"}
_DELTAS = {"text": ("text_delta", "text"), "thinking": ("thinking_delta", "thinking")}


def text(words: str) -> Json:
    """Give a block of text."""
    return {"type": "text", "text": words}


def thought(words: str) -> Json:
    """Give a thought."""
    return {"type": "thinking", "thinking": words}


def call(name: str, **arguments: object) -> Json:
    """Give a call of a tool."""
    return {"type": "tool_use", "name": name, "input": arguments}


def bash(command: str) -> Json:
    """Give a call that runs a command."""
    return call("bash", description="run it", command=command)


@dataclass(frozen=True, slots=True)
class Reply:
    """What one request gets: the blocks of an answer, or a failure.

    Only a request whose body holds `match` takes it. `often` lets any number take it. After `stall` pieces
    nothing more comes, and with `cut` the connection breaks before the first.
    """

    blocks: tuple[Json, ...] = ()
    match: str = ""
    often: bool = False
    stall: int | None = None
    cut: bool = False
    status: int = 200
    error: str = "as scripted"
    tokens: tuple[int, int] = (100, 20)


class Model:
    """Serves a script on a free port until the end of the block; `requests` are the bodies that came, in order."""

    def __init__(self, script: Iterable[Reply]) -> None:
        self.requests: list[Json] = []
        self.stalled = Event()
        self.ending = Event()
        self._left = list(script)
        self._lock = Lock()
        self._calls = count(1)
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.model = self
        self._thread = Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05})

    @property
    def url(self) -> str:
        """Give what a provider's base URL is."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.ending.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def take(self, body: bytes) -> Reply:
        """Give the first reply that is left for a request."""
        said = body.decode()
        with self._lock:
            self.requests.append(json.loads(said))
            reply = next((one for one in self._left if one.match in said), Reply(status=400, error="no reply is left"))
            if reply in self._left and not reply.often:
                self._left.remove(reply)
        return reply

    def call_id(self) -> str:
        """Give the id of the next call."""
        with self._lock:
            return f"call_{next(self._calls):04}"


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    model: Model

    def handle_error(self, *_: object) -> None:
        """Say nothing: a client that was killed reads no more."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def log_message(self, *_: object) -> None:
        """Say nothing."""

    def do_POST(self) -> None:
        model = self.server.model
        reply = model.take(self.rfile.read(int(self.headers["content-length"])))
        self.close_connection = True
        if reply.status != 200:
            self._fail(reply)
        elif reply.cut:
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
        else:
            self._stream(model, reply)

    def _fail(self, reply: Reply) -> None:
        error = {"type": _KINDS[reply.status], "message": reply.error}
        data = json.dumps({"type": "error", "error": error}).encode()
        self.send_response(reply.status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def _stream(self, model: Model, reply: Reply) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        for number, event in enumerate(answer(model, reply)):
            if number == reply.stall:
                model.stalled.set()
                model.ending.wait()
                return
            self.wfile.write(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode())
            self.wfile.flush()


def answer(model: Model, reply: Reply) -> Iterator[Json]:
    """Yield the events of an answer, piece by piece."""
    asked, told = reply.tokens
    message = {"id": "msg", "type": "message", "role": "assistant", "model": "scripted", "content": []}
    yield {"type": "message_start", "message": message | {"usage": {"input_tokens": asked, "output_tokens": 0}}}
    for index, block in enumerate(reply.blocks):
        if block["type"] == "tool_use":
            opened, delta, whole = {**block, "id": model.call_id(), "input": {}}, "input_json_delta", "partial_json"
            words = json.dumps(block["input"], ensure_ascii=False)
        else:
            delta, whole = _DELTAS[block["type"]]
            opened, words = {**block, whole: ""}, block[whole]
        yield {"type": "content_block_start", "index": index, "content_block": opened}
        for at in range(0, len(words), _PIECE):
            piece = {"type": delta, whole: words[at : at + _PIECE]}
            yield {"type": "content_block_delta", "index": index, "delta": piece}
        if block["type"] == "thinking":
            signed = {"type": "signature_delta", "signature": "c2lnbmVk"}
            yield {"type": "content_block_delta", "index": index, "delta": signed}
        yield {"type": "content_block_stop", "index": index}
    calls = any(block["type"] == "tool_use" for block in reply.blocks)
    reason = {"stop_reason": "tool_use" if calls else "end_turn"}
    yield {"type": "message_delta", "delta": reason, "usage": {"output_tokens": told}}
    yield {"type": "message_stop"}
