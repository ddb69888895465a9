"""A pytest plugin for runs of many minutes: every twenty seconds a line with the minutes, how many tests are through,
and the file of the last one. The seconds of each test go to the file that SECONDS_OF_TESTS names, if it is set.

    python -m pytest -p tools.check.pace ...

The processes that pytest-xdist starts say nothing; the one that started them does.
"""

import os
import time
from collections import defaultdict

EVERY = 20  # seconds


class Pace:
    """How far a run is."""

    def __init__(self, clock=time.monotonic):
        self.clock, self.start, self.said, self.done = clock, clock(), clock(), 0

    def line(self, file: str, number: int) -> str:
        """What is to be said after one more test, of `number`; empty where something was said a moment ago."""
        self.done += 1
        now = self.clock()
        if now - self.said < EVERY:
            return ""
        self.said = now
        return f"{(now - self.start) / 60:.1f} min: {self.done} of {number} tests, last in {file}"


def pytest_configure(config):
    if "PYTEST_XDIST_WORKER" in os.environ:
        return
    pace = Pace()

    seconds = defaultdict(float)

    class Lines:
        def pytest_sessionfinish(self):
            if path := os.environ.get("SECONDS_OF_TESTS"):
                with open(path, "a", encoding="utf-8") as file:
                    file.writelines(f"{time:.2f} {name}\n" for name, time in seconds.items())

        def pytest_runtest_logreport(self, report):
            seconds[report.nodeid] += report.duration
            terminal = config.pluginmanager.get_plugin("terminalreporter")
            if report.when == "teardown":
                line = pace.line(report.nodeid.split("::")[0], terminal._session.testscollected)
                if line:
                    terminal.ensure_newline()
                    terminal.write_line(line)

    config.pluginmanager.register(Lines())
