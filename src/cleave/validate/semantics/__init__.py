"""What terms and statements of a program mean, step by step, on values."""
