"""The meaning of terms and statements of a program, step by step, on values."""
