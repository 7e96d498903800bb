"""The released dsh as a process of its own, spoken to in JSON-RPC over its pipe."""

from __future__ import annotations

import json
import os
import platform
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from threading import Condition, Thread
from typing import Any, Self

Json = dict[str, Any]

PATIENCE = 60  # seconds for anything that dsh does
_AGENT = {"provider": "deepseek-official", "model": "deepseek-v4-flash"}
_NOT_SERVED = {"code": -32601, "message": "not served"}
_RAW = """\
- id: session-persistence-jsonl
  config:
    root: !!js dshHomePath('sessions')
    compression: none
"""


def served() -> bool:
    """Tell whether the released executable runs on this machine."""
    return sys.platform == "linux" and platform.machine() == "x86_64"


def executable() -> Path | None:
    """Give the executable that the installed package carries."""
    found = find_spec("deepseek_harness_runtime")
    if found is None or found.origin is None:
        return None
    return next(Path(found.origin).parent.glob("runtime/*-linux-x64"), None)


class GoneError(Exception):
    """The process ended before it answered."""


class Runtime:
    """One dsh, closed at the end of the block unless it was killed. `notes` are the notifications that came."""

    def __init__(self, program: Path, home: Path, space: Path, url: str, *, raw: bool = False) -> None:
        for folder in (home, space):
            folder.mkdir(parents=True, exist_ok=True)
        words = [str(program), "--profile", "sdk"]
        if raw:
            (home / "raw.yml").write_text(_RAW)
            words += ["--patch", str(home / "raw.yml")]
        environment = {
            **{name: os.environ[name] for name in ("PATH",) if name in os.environ},
            "HOME": str(home),
            "DSH_HOME": str(home),
            "LANG": "C.UTF-8",
            "SHELL": "/bin/bash",
            "DEEPSEEK_BASE_URL": url,
            "DEEPSEEK_API_KEY": "none",
            "DSH_PERMISSION_MODE": "danger-full-access",
            "DSH_TELEMETRY_MODE": "DISABLED",
        }
        self.notes: list[Json] = []
        self._replies: dict[str, Json] = {}
        self._changed = Condition()
        self._ended = False
        self._calls = 0
        self._errors = (home / "stderr.log").open("ab")
        self._process = subprocess.Popen(
            words,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            env=environment,
            cwd=space,
            start_new_session=True,
        )
        self._reader = Thread(target=self._read)
        self._reader.start()
        self._space = space

    def __enter__(self) -> Self:
        self.call("initialize", cwd=str(self._space), **_AGENT)
        return self

    def __exit__(self, *_: object) -> None:
        if self._process.poll() is None:
            with suppress(GoneError, TimeoutError, OSError):
                self.call("shutdown")
                self._process.stdin.close()
                self._process.wait(PATIENCE)
        self.kill()

    def kill(self) -> None:
        """End the process, and all that it started, as a power cut does."""
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self._reader.join()
        for file in (self._process.stdin, self._process.stdout, self._errors):
            with suppress(OSError):
                file.close()

    def call(self, method: str, **params: object) -> Any:
        """Call a method and give its result."""
        self._calls += 1
        name = f"call-{self._calls}"
        self._send({"jsonrpc": "2.0", "id": name, "method": method, "params": params})
        reply = self._wait(lambda: self._replies.pop(name, None), method)
        if "error" in reply:
            message = f"{method}: {reply['error']}"
            raise RuntimeError(message)
        return reply.get("result")

    def prompt(self, session: str, words: str) -> None:
        """Say something to a session, which is begun if there is none."""
        self.call("session/prompt", sessionId=session, contentBlocks=[{"type": "text", "text": words}])

    def resume(self, session: str) -> None:
        """Open a stored session, to go on with it."""
        self.call("session/resume", sessionId=session)

    def turn(self, session: str, words: str) -> None:
        """Say something to a session and wait until the turn that follows has ended."""
        start = len(self.notes)
        self.prompt(session, words)
        self._wait_note(lambda params: params.get("status") == "idle", "the end of a turn", session, start)

    def wait_event(self, kind: str, session: str, start: int = 0) -> int:
        """Wait for an event of a session and give the number of the notification that told of it."""
        return self._wait_note(lambda params: params.get("event", {}).get("type") == kind, kind, session, start)

    def _wait_note(self, wanted: Callable[[Json], bool], what: str, session: str, start: int) -> int:
        def found() -> int | None:
            for number, note in enumerate(self.notes[start:], start):
                params = note.get("params") or {}
                if params.get("sessionId") == session and wanted(params):
                    return number
            return None

        return self._wait(found, f"{what} of {session}")

    def _wait(self, ready: Callable[[], Any], what: str) -> Any:
        until = time.monotonic() + PATIENCE
        with self._changed:
            while (found := ready()) is None:
                if self._ended:
                    raise GoneError(what)
                if time.monotonic() > until:
                    raise TimeoutError(what)
                self._changed.wait(1)
        return found

    def _send(self, message: Json) -> None:
        self._process.stdin.write(json.dumps(message).encode() + b"\n")
        self._process.stdin.flush()

    def _read(self) -> None:
        for line in self._process.stdout:
            try:
                message = json.loads(line)
            except ValueError:
                continue  # a word to a person
            self._take(message)
        with self._changed:
            self._ended = True
            self._changed.notify_all()

    def _take(self, message: Json) -> None:
        if "method" in message and "id" in message:
            with suppress(OSError, ValueError):
                self._send({"jsonrpc": "2.0", "id": message["id"], "error": _NOT_SERVED})
            return
        with self._changed:
            if "method" in message:
                self.notes.append(message)
            else:
                self._replies[message["id"]] = message
            self._changed.notify_all()
