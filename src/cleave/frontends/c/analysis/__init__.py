"""What a module does with memory, found before it is lowered."""
