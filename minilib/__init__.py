"""minilib: the small library that the book builds up, chapter by chapter.

Rooms, in the order in which they may import each other: `tensor` (autodiff), `nn`, `problems`, `datasets`,
`schedules`, `optim`, `proofs`, `plots`. Everything here needs NumPy and Matplotlib only (`datasets.digits` also
scikit-learn).
"""

__version__ = "0.1.0"
