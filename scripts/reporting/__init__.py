"""The parts of scripts/report-check."""
