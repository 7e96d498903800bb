"""What tests may ask for: the shared corpus, node, and dsh itself."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import NoReturn

import pytest
from hypothesis import settings

# A law is no benchmark: on a loaded machine any example may take long.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")

REPOSITORY = Path(__file__).resolve().parent.parent
NEEDS = {"shared": "corpus", "node": "node", "oracle": "oracle", "live": "live"}  # fixture -> the marker of its tests


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark each test by what it asks for, so that `-m "not corpus"` leaves it out."""
    for item in items:
        for name in NEEDS.keys() & set(getattr(item, "fixturenames", ())):
            item.add_marker(NEEDS[name])


def missing(what: str) -> NoReturn:
    """Skip the test; where `CI=true` fail it, for there nothing may go untested unseen."""
    if os.environ.get("CI") == "true":
        pytest.fail(f"{what}, and CI must not skip", pytrace=False)
    pytest.skip(what)


@pytest.fixture(scope="session")
def repository() -> Path:
    """The folder of this checkout."""
    return REPOSITORY


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of the shared corpus, specification and vectors."""
    folder = Path(os.environ.get("DSHLOG_SHARED") or REPOSITORY.parent / "shared")
    if not (folder / "spec").is_dir() or not (folder / "corpus").is_dir():
        missing(f"no shared corpus at {folder} (DSHLOG_SHARED names another place)")
    return folder


@pytest.fixture(scope="session")
def node() -> str:
    """The path of the node executable."""
    return shutil.which("node") or missing("no node on PATH")


@pytest.fixture(scope="session")
def oracle() -> Path:
    """The folder that the oracle was set up in; asked on demand only, in CI too."""
    place = os.environ.get("DSHLOG_ORACLE")
    if not place:
        pytest.skip("DSHLOG_ORACLE does not name the folder of the oracle")
    return Path(place)


@pytest.fixture(scope="session")
def live() -> Path:
    """The released dsh; it runs on one kind of machine only."""
    from runtime import executable, served

    if not served():
        pytest.skip("the released dsh does not run on this machine")
    return executable() or missing("no released dsh: pip install -e '.[live]' brings it")
