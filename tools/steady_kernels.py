"""For pytest with nbval: starts a chapter's kernel again, twice at most, when it does not answer.

A kernel is given numbers of ports that were free a moment before. Where another process takes
one of them first, such as a gloo worker of a chapter that runs next to it, the kernel lives in
silence.
"""

import logging

import nbval.kernel

_start_once = nbval.kernel.start_new_kernel


def _start(startup_timeout=60, **kwargs):
    for attempts_left in (2, 1, 0):
        try:
            return _start_once(startup_timeout=startup_timeout, **kwargs)
        except RuntimeError as error:
            if not attempts_left:
                raise
            logging.getLogger(__name__).warning("%s; starting another", error)


nbval.kernel.start_new_kernel = _start
