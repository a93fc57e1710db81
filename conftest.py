"""What holds for all tests."""

from __future__ import annotations

from hypothesis import settings

# How long one example takes depends on what else the machine does. Each test has a time limit, see pyproject.toml.
settings.register_profile("cleave", deadline=None)
if settings.get_current_profile_name() == "default":  # mutation testing has a profile of its own
    settings.load_profile("cleave")
