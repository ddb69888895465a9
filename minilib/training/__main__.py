"""`python -m minilib.training`: a run from the command line.

Exit codes: 0, the run is complete; 1, it diverged; 2, it was asked for wrongly, or the disk or a file failed; 3, it was
asked to stop (Ctrl-C or SIGTERM), and the same command goes on. A second Ctrl-C does not wait for the checkpoint.
Under torchrun the first process of each machine speaks for all. torchrun adds a report of its own, and exits with 1; it
ends by force what has not stopped after 30 seconds, or as many as its --shutdown-timeout says.
"""

import contextlib
import io
import os
import sys

from minilib.training.config import parse
from minilib.training.device import pick
from minilib.training.device import recipe as device_recipe
from minilib.training.trainer import Diverged, Stopped, train


def recipe(device: str | None) -> dict:
    """What suits the device of this process."""
    return device_recipe(pick(device, int(os.environ.get("LOCAL_RANK", "0"))))


def main() -> int:
    speaks = os.environ.get("LOCAL_RANK", "0") == "0"
    say = (lambda text: print(text, file=sys.stderr)) if speaks else (lambda text: None)
    try:
        with contextlib.nullcontext() if speaks else contextlib.redirect_stderr(io.StringIO()):
            config = parse(recipe=recipe)  # says on stderr what is wrong with an argument
        train(config)
    except (ValueError, OSError, Diverged) as error:
        say(f"error: {error}")
        return 1 if isinstance(error, Diverged) else 2
    except Stopped as error:
        say(error)
        return 3
    except KeyboardInterrupt:
        say("stopped at once: the same command goes on from the last checkpoint, if there is one")
        return 3
    return 0


if __name__ == "__main__":
    sys.exit(main())
