"""IEEE 754 binary floating point, of any format, as operators on bit vectors."""
