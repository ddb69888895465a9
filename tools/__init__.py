"""What make calls, in rooms; a room imports only rooms that stand below it (pyproject.toml).

`chapter` the sources and notebooks of chapters, `prover` the proofs in Rocq, `pages` the site, `check` what must hold,
`give` what is made of the site for others. Here lie `do.py`, which make and people call, and what it needs before
anything is installed.
"""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent  # the book's folder

# jsonschema compiles the grammar of addresses when it is imported, where this package is there: three seconds in every
# program that reads a notebook, and none of them checks an address.
sys.modules.setdefault("rfc3987_syntax", None)
