"""C text to LLVM's text form."""
