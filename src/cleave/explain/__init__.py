"""Traces for people: the steps that matter, and terms as the source writes them."""
