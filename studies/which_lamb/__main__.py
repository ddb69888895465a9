"""`python -m studies.which_lamb steps.npz`. Exit codes: 0 it was compared, 2 it cannot be."""

import sys

from studies.which_lamb import Steps, which_lamb

if __name__ == "__main__":
    try:
        if len(sys.argv) != 2:
            raise ValueError("usage: python -m studies.which_lamb steps.npz")
        print(which_lamb(Steps.load(sys.argv[1])))
    except (ValueError, OSError) as error:
        print(f"error: {': '.join([*sys.argv[1:2], str(getattr(error, 'strerror', error))])}", file=sys.stderr)
        sys.exit(2)
