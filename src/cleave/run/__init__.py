"""A run is a plan: made from the input and the options, carried out, validated, recorded."""
