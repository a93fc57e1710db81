"""LLVM modules: read from text, linked, laid out in memory."""
