"""Journals of runs that tests begin go to a folder of their own, not to the user's."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

pytest_plugins = ["support.server"]


@pytest.fixture(autouse=True, scope="session")
def state_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))
        yield
