"""Runs Sphinx on the book's settings, in a process of its own: warnings on stderr, progress on stdout.

    python tools/pages/sphinx_run.py ROOT BUILD HTML      BUILD has config.yml and toc.yml, and gets the .doctrees

The exit status is not 0 when there was a warning. Jupyter Book's own command would do the same, and takes no word
about where the .doctrees lie.
"""

import sys
from pathlib import Path

from jupyter_book.sphinx import build_sphinx


def main() -> int:
    root, build, html = map(Path, sys.argv[1:])
    settings = {"external_toc_path": str(build / "toc.yml"), "latex_individualpages": False, "nitpicky": True}
    result = build_sphinx(
        root,
        str(html),
        path_config=str(build / "config.yml"),
        noconfig=True,
        confoverrides=settings,
        doctreedir=str(build / ".doctrees"),
        quiet=True,
        warningiserror=True,
        keep_going=True,
    )
    return result if isinstance(result, int) else 2


if __name__ == "__main__":
    sys.exit(main())
