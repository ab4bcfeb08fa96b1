"""The parts of datasets/cases/make: kinds of cases by topic, and the oracle that checks each of them."""
