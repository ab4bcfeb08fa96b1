"""Mutants: small mistakes in the code, put into one program that has all of them and makes the one that its environment names."""
