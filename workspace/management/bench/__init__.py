"""The benchmarks that ``manage.py bench`` runs: each measures the product beside what it is held against, in one run,
and gives figures as medians or ratios of medians."""
