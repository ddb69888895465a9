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

from minilib.training.config import Config, as_typed, parse
from minilib.training.device import pick, recipe
from minilib.training.trainer import Diverged, Stopped, train


def main() -> int:
    number = int(os.environ.get("LOCAL_RANK", "0"))
    say = (lambda text: None) if number else (lambda text: print(text, file=sys.stderr))
    try:
        with as_typed(Config):
            with contextlib.redirect_stderr(io.StringIO()) if number else contextlib.nullcontext():
                # says on stderr what is wrong with an argument
                config = parse(recipe=lambda device: recipe(pick(device, number)))
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
