"""What marks notebooks: a pupil's process that holds the answers, and an examiner that only ever sees data."""
