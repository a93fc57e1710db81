"""Moves messages between one coordinator and many workers; knows no engine."""
