"""The parts of scripts/foreign-sources."""
