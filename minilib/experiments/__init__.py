"""What comparisons share: tasks, equal tuning, sweeps, recorded studies, one rule for verdicts, local processes."""
