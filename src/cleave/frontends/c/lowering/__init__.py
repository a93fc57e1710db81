"""LLVM modules to `ir.Program`."""
