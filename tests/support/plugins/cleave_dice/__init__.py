"""An engine and an export of another package: all that Cleave knows of them are entry points."""
