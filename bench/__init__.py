"""How the numbers in the documents are made. Run with ``python -m bench NAME``; see `bench.__main__`."""
