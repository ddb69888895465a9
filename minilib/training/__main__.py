"""`python -m minilib.training`: a run from the command line. Exit code 2: asked wrongly; 1: failed.

Under torchrun the first process of each machine speaks for all. torchrun adds a report of its own, and exits with 1.
"""

import contextlib
import io
import os
import sys

from minilib.training.config import parse
from minilib.training.trainer import Diverged, Stopped, train


def main() -> int:
    speaks = os.environ.get("LOCAL_RANK", "0") == "0"
    say = (lambda text: print(text, file=sys.stderr)) if speaks else (lambda text: None)
    try:
        with contextlib.nullcontext() if speaks else contextlib.redirect_stderr(io.StringIO()):
            config = parse()  # says on stderr what is wrong with an argument
        train(config)
    except (ValueError, OSError) as error:
        say(f"error: {error}")
        return 2
    except Diverged as error:
        say(f"error: {error}")
        return 1
    except Stopped as error:
        say(error)
    return 0


if __name__ == "__main__":
    sys.exit(main())
