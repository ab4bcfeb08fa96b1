"""Shared parts of scripts/foreign-sources, foreign-lists, foreign-tables and formats."""
