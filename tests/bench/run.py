"""Compare `dshlog validate` with yardsticks in the same run and print the ratios beside their targets.

    python tests/bench/run.py                               everything, on logs of 100 MB (some minutes)
    python tests/bench/run.py --size 5M --rounds 3          a quick look; the targets are meant for 100 MB
    python tests/bench/run.py --only v4-mixed start-up      some jobs; a name that is none picks all that begin with it
    python tests/bench/run.py --big                         also logs ten and five times as large, for the growth of memory
    python tests/bench/run.py --command "other-tool check"  another command instead of `python -m dshlog validate`
    python tests/bench/run.py --json FILE                   also every round, the facts of the logs and of the machine

Time is the processor time of a whole process, user and system, its own children included. A job and its yardstick run
in turn, A B A B, after one unmeasured run of each; a ratio is the median of the ratios of the rounds, with the lowest
and the highest round beside it. Memory is the highest resident set of the job's process in any round; less than this
script has had itself (own_peak_mib) cannot be told.

Jobs that need several processes are measured by the clock on the wall, since that is what these are for.

Yardsticks: `floor` parses every line once with orjson and keeps nothing (of a zstd log: every line of the decompressed
stream); `plain log` is the command itself on a log of the same bytes without replacements; `imports` imports typer,
orjson and zstandard; `first lines` reads the first line of each log of a folder; `one job` is the command with --jobs 1.

Logs come from `bench/gen_log.py` in the folder that DSHLOG_SHARED names, else in `../shared` beside the repository,
else from `generate.py` beside this file. They stay in the folder --keep (default: a cache folder of the user), so that
a second run starts at once. This is no test: a missed target is marked; the exit code is 1 only if a process failed.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import shlex
import shutil
import statistics
import sys
import tempfile
import time
import zlib
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from jobs import FIRST_LINES, FIRST_LINES_ZSTD, FLOOR, FLOOR_ZSTD, IMPORTS, JOBS, PLAIN_LOG, Job

ROOT = Path(__file__).resolve().parents[2]
FULL = 100_000_000  # bytes; the size that the targets are meant for
BIG, LARGER = 10, 5  # the factors of --big
START_ROUNDS = 5  # times --rounds; start-up is short, thus noisy
PEAK_LIMIT, GROWTH_LIMIT = 64.0, 32.0  # MiB
MIB = 1 << 20 if sys.platform == "darwin" else 1 << 10  # units of ru_maxrss in one MiB
OWN = [sys.executable, "-m", "dshlog"]
TAIL = 600  # characters of a failed process's output that are shown

# Asked in a process of its own: a child is charged with all memory that its parent ever had, so the parent stays small.
VERSIONS = """import importlib.metadata as metadata, json
installed = {d.name: d.version for d in metadata.distributions()}
print(json.dumps({name: installed.get(name) for name in ("dshlog", "orjson", "zstandard", "typer", "rich")}))
"""


@dataclass(slots=True, kw_only=True)
class Result:
    """What a job measured; `rounds` has the seconds of the job and of its yardstick, the peak is in MiB."""

    job: Job
    log: dict[str, Any] = field(default_factory=dict)
    rounds: list[tuple[float, float]] = field(default_factory=list)
    ratio: float | None = None
    peak: float = 0.0
    peak_limit: float | None = None
    verdict: str = "failed"
    failure: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What holds for all jobs of a run; `sizes` fills in the sizes that the jobs leave open."""

    command: list[str]
    rounds: int
    sizes: dict[str, int]
    generator: Path
    folder: Path


class ProcessFailedError(Exception):
    """A process ended with another exit code than 0, or could not start."""


class Ran(NamedTuple):
    """What a process took: CPU seconds, seconds on the wall, peak memory in MiB; and its output."""

    cpu: float
    wall: float
    peak: float
    text: str


def run(argv: list[str]) -> Ran:
    """Run a process to its end."""
    env = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    env["PYTHONPATH"] = os.pathsep.join(filter(None, (str(ROOT), env.get("PYTHONPATH"))))
    with tempfile.TemporaryFile() as out:
        null = (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0)
        outputs = [(os.POSIX_SPAWN_DUP2, out.fileno(), number) for number in (1, 2)]
        start = time.monotonic()
        try:
            pid = os.posix_spawnp(argv[0], argv, env, file_actions=[null, *outputs])
        except OSError as error:
            raise ProcessFailedError(f"{argv[0]}: {error.strerror}") from error
        _, status, usage = os.wait4(pid, 0)
        wall = time.monotonic() - start
        out.seek(0)
        text = out.read().decode(errors="replace")
    if code := os.waitstatus_to_exitcode(status):
        raise ProcessFailedError(f"exit code {code}: {shlex.join(argv)}\n{text[-TAIL:]}")
    return Ran(usage.ru_utime + usage.ru_stime, wall, usage.ru_maxrss / MIB, text)


def run_and_remove(argv: list[str], written: Path) -> Ran:
    """Run a process to its end and remove what it may have written."""
    try:
        return run(argv)
    finally:
        written.unlink(missing_ok=True)


def find_generator() -> Path:
    """Choose the script that writes the logs."""
    shared = Path(os.environ.get("DSHLOG_SHARED") or ROOT.parent / "shared") / "bench" / "gen_log.py"
    return shared if shared.is_file() else Path(__file__).with_name("generate.py")


def make_log(name: str, options: str, settings: Settings) -> tuple[Path, dict[str, Any]]:
    """Write a log unless the same one is there already; return its path and what the generator says about it.

    With `--count` the path is a folder of logs.
    """
    key = zlib.crc32(options.encode(), zlib.crc32(settings.generator.read_bytes()))
    path = settings.folder / f"{name}-{key:08x}{ending(options)}"
    facts = path.with_suffix(".facts")
    if not (path.exists() and facts.is_file()):
        sys.stderr.write(f"writing {path}\n")
        part = path.with_suffix(f".{os.getpid()}.part")
        try:
            said = run([sys.executable, str(settings.generator), "-o", str(part), *options.split()]).text
            part.replace(path)
        finally:
            shutil.rmtree(part) if part.is_dir() else part.unlink(missing_ok=True)
        facts.write_text(said.splitlines()[-1])
    loaded: dict[str, Any] = json.loads(facts.read_text())
    return path, loaded | {"path": str(path), "options": options}


def ending(options: str) -> str:
    """Give what the name of a log of these options ends with."""
    return "" if "--count" in options else ".jsonl.zstd" if "--zstd" in options else ".jsonl"


def measure(result: Result, settings: Settings) -> None:
    """Run a job and its yardstick in turn and fill in what they took."""
    job, rounds = result.job, settings.rounds
    path, result.log = make_log(job.of or job.name, job.log.format_map(settings.sizes), settings)
    command = settings.command if job.command is None else [*OWN, *job.command.split()]
    ours, packed = [*command, str(path)], "--zstd" in job.log
    if job.twice:
        ours.append(str(path))
    written = path.with_name(f"written-{os.getpid()}{path.suffix}")
    if job.writes:
        ours += ["-o", str(written)]
    if job.yardstick == "imports":
        theirs, rounds = [sys.executable, "-c", IMPORTS], rounds * START_ROUNDS
    elif job.yardstick == "plain log":
        plain, _ = make_log(job.name + "-plain", PLAIN_LOG.format_map(result.log), settings)
        theirs = [*command, str(plain)]
    elif job.yardstick == "first lines":
        theirs = [sys.executable, "-c", FIRST_LINES_ZSTD if packed else FIRST_LINES, str(path)]
    elif job.yardstick == "one job":
        theirs = [*ours, "--jobs", "1"]
    else:
        theirs = [sys.executable, "-c", FLOOR_ZSTD if packed else FLOOR, str(path)]
    run_and_remove(ours, written)
    run(theirs)
    for _ in range(rounds):
        job_ran, other = run_and_remove(ours, written), run(theirs)
        result.rounds.append((job_ran.wall, other.wall) if job.wall else (job_ran.cpu, other.cpu))
        result.peak = max(result.peak, job_ran.peak)
    result.ratio = statistics.median(own / yardstick for own, yardstick in result.rounds)


def judge(result: Result, base_peak: float | None) -> None:
    """Compare what was measured with the targets; `base_peak` is what a log of the plain size took."""
    result.peak_limit = PEAK_LIMIT if base_peak is None else base_peak + GROWTH_LIMIT
    missed = []
    if result.job.limit is not None and (result.ratio or 0) > result.job.limit:
        missed.append("ratio")
    if result.peak > result.peak_limit:
        missed.append("peak")
    result.verdict = "MISSED " + ", ".join(missed) if missed else "met"


def row(*cells: object) -> str:
    """Format a line of the table."""
    widths = (-28, 7, 8, 12, -11, 6, -13, -8, 9, -9, -1)
    columns = (f"{cell!s:{'<' if width < 0 else '>'}{abs(width)}}" for cell, width in zip(cells, widths, strict=False))
    return " ".join(columns).rstrip() + "\n"


def result_row(result: Result) -> str:
    """Format what a job measured."""
    job, decoded = result.job, f"{result.log.get('raw_bytes', 0) / 1e6:.1f}"
    if result.ratio is None:
        return row(job.name, decoded, result.verdict)
    cpu, yardstick = (f"{statistics.median(column):.3f}" for column in zip(*result.rounds, strict=True))
    ratios = sorted(ours / theirs for ours, theirs in result.rounds)
    spread, target = f"{ratios[0]:.2f}..{ratios[-1]:.2f}", "-" if job.limit is None else f"<= {job.limit}"
    memory = f"{result.peak:.1f}", f"<= {result.peak_limit:.1f}"
    ratio = f"{result.ratio:.2f}"
    return row(job.name, decoded, cpu, yardstick, job.yardstick, ratio, spread, target, *memory, result.verdict)


def machine() -> dict[str, Any]:
    """Collect the facts without which the figures say little."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return {
        "cores": os.cpu_count(),
        "processor": models[0] if models else platform.machine(),
        "load": [round(load, 2) for load in os.getloadavg()],
        "system": f"{platform.system()} {platform.release()}",
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "packages": json.loads(run([sys.executable, "-c", VERSIONS]).text),
        "own_peak_mib": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / MIB, 1),
    }


def size(text: str) -> int:
    """Read a decimal size such as 500k, 100M or 1G."""
    unit = {"k": 10**3, "m": 10**6, "g": 10**9}.get(text[-1:].lower())
    return int(float(text[:-1]) * unit) if unit else int(text)


def select(names: list[str], *, big: bool) -> list[Job]:
    """Choose the jobs that are named, or all; one on a larger log brings the one that it is compared with.

    A name that fits no job raises a ValueError.
    """
    known = [job.name for job in JOBS]
    grown = {job.name: job.grown_from for job in JOBS if job.grown_from is not None}
    wanted = set() if names else {*known} - {*grown}
    for name in names:
        fitting = [name] if name in known else [other for other in known if other.startswith(name)]
        if not fitting:
            raise ValueError(f"no job is called {name}: choose from {', '.join(known)}")
        wanted.update(fitting)
    if big:
        wanted |= {name for name, base in grown.items() if not names or base in wanted}
    wanted |= {base for name, base in grown.items() if name in wanted}
    return [job for job in JOBS if job.name in wanted]


def main() -> int:
    """Run the jobs that the arguments choose and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "dshlog-bench"
    parser.add_argument("--size", type=size, default=FULL, help="decoded bytes of a log (default 100M)")
    parser.add_argument("--only", nargs="+", default=[], metavar="NAME", help=", ".join(job.name for job in JOBS))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--big", action="store_true", help=f"also logs {BIG} and {LARGER} times as large")
    parser.add_argument("--json", type=Path, metavar="FILE")
    parser.add_argument("--keep", type=Path, default=cache, metavar="DIR", help="logs stay here (default %(default)s)")
    parser.add_argument("--command", default=f"{shlex.quote(sys.executable)} -m dshlog validate", help="gets the path")
    options = parser.parse_args()
    try:
        jobs = select(options.only, big=options.big)
    except ValueError as error:
        parser.error(str(error))
    if options.rounds < 1:
        parser.error("--rounds must be 1 or more")
    options.keep.mkdir(parents=True, exist_ok=True)
    sizes = {"size": options.size, "big": BIG * options.size, "larger": LARGER * options.size}
    sizes |= {"part": options.size // 50}
    sizes |= {"events": 300_000 * options.size // FULL, "replaces": 50_000 * options.size // FULL}
    command, generator = shlex.split(options.command), find_generator()
    settings = Settings(command=command, rounds=options.rounds, sizes=sizes, generator=generator, folder=options.keep)
    facts = machine() | {"command": options.command, "generator": settings.generator.name}
    sys.stdout.writelines(f"{key:14}{value}\n" for key, value in facts.items())
    heading = ("job", "MB", "s", "yardstick s", "", "ratio", "rounds", "target", "peak MiB", "target", "verdict")
    sys.stdout.write("\n" + row(*heading))
    results: dict[str, Result] = {}
    for job in jobs:
        result = results[job.name] = Result(job=job)
        try:
            measure(result, settings)
            judge(result, results[job.grown_from].peak or None if job.grown_from is not None else None)
        except ProcessFailedError as error:
            result.failure = str(error)
            sys.stderr.write(f"{job.name}: {error}\n")
        sys.stdout.write(result_row(result))
        sys.stdout.flush()
    if options.json:
        report = {"machine": facts, "results": [asdict(result) for result in results.values()]}
        options.json.write_text(json.dumps(report, indent=1) + "\n")
    return int(any(result.failure for result in results.values()))


if __name__ == "__main__":
    sys.exit(main())
