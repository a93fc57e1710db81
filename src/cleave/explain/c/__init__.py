"""Traces of C programs as a C programmer reads them: lines of the source, values as C writes them."""
