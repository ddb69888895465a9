"""LAMB on the BERT of `bert-below` at 64 rows, with another memory of squares, another decay or a longer warm-up.

What is to be decided stands in `studies/designs.md`, which was written before the runs; what is done, in
`studies.corners`. Some 20 runs of 8 minutes of one core.
"""

from studies.command import start
from studies.corners import RECORDED, SIZES, WHY, corners
from studies.study import Study


def main(asked):
    corners(Study("bert-corners-lamb", {"recorded": RECORDED, **vars(asked.plan)}, asked=asked), "lamb")


if __name__ == "__main__":
    start(main, SIZES, WHY)
