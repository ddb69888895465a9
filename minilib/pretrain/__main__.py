"""`python -m minilib.pretrain`: a run from the command line. Exit code 2: asked wrongly; 1: failed."""

import sys

from minilib.pretrain.config import parse
from minilib.pretrain.engine import Diverged, Stopped, train


def main() -> int:
    try:
        train(parse())
    except (ValueError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except Diverged as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except Stopped as error:
        print(error, file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
