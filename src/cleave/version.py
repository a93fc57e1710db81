"""The version of Cleave. This is the only place that states it: pyproject.toml reads it from here."""

__version__ = "0.2.0"
