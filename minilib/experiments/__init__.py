"""What comparisons share: tasks, equal tuning, sweeps, records of runs, one rule for verdicts, local processes."""
