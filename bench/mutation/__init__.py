"""Mutation testing: would the tests notice a mistake? Each mutant is Cleave with one small mistake put in."""
