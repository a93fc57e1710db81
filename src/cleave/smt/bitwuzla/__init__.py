"""Bitwuzla."""
