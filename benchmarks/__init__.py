"""Benchmarks and long-running checks, apart from the tests."""
