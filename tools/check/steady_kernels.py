"""For pytest with nbval: starts a kernel again, twice at most, when it does not answer, and compares no SVG.

A kernel is given numbers of ports that were free a moment before. Where another process takes
one of them first, such as a gloo worker of a chapter that runs next to it, the kernel lives in
silence. nbval compares no PNG, since a picture's last bits differ between machines; SVG is text
to it, with the same bits.
"""

import logging

import nbval.kernel
import nbval.plugin

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


_collect_once = nbval.plugin.IPyNbFile.__init__


def _collect(self, *args, **kwargs):
    _collect_once(self, *args, **kwargs)
    self.skip_compare = (*self.skip_compare, "image/svg+xml")


nbval.plugin.IPyNbFile.__init__ = _collect
