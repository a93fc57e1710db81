"""The version of Cleave, as in pyproject.toml."""

__version__ = "0.1.0"
