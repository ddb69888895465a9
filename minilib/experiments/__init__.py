"""What the book's comparisons share: tasks, equal tuning, sweeps, recorded studies, and processes on this machine."""
