"""Confirms violations: values for a path, and their replay."""
