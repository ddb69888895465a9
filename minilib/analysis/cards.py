"""What accelerators can do, from their makers' data sheets.

The rates are peaks of dense products. Data sheets of NVIDIA since the A100 also print twice that, for matrices of which
half is zero; it is not meant here. A link's bandwidth is what one card can send while it receives as much: half of what
NVIDIA prints, which is the sum of both directions. Absent on purpose: prices, which change by the week, and latencies,
which no data sheet has. Of a device that you have `minilib.training.device.matmul_rate` measures the products.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf


@dataclass(frozen=True)
class Card:
    """One accelerator, or one process on a processor.

    Args:
        products: precision -> floating-point operations a second of dense products of matrices, at best.
        bandwidth: bytes a second between the card and its memory.
        memory: bytes of that memory.
        link: bytes a second that a card sends to the other cards of its node; 0 where it has none.
        together: most cards that these links join; of NVIDIA's the eight of a usual server.

    ValueError: a rate or size that is not positive.
    """

    name: str
    products: Mapping[str, float]
    bandwidth: float
    memory: float = inf
    link: float = 0.0
    together: int = 1
    source: str = "measured"

    def __post_init__(self):
        rates = {f"products[{name!r}]": rate for name, rate in self.products.items()}
        for name, value in (rates | {"bandwidth": self.bandwidth, "memory": self.memory}).items():
            if not value > 0:
                raise ValueError(f"{name} of {self.name} must be > 0, got {value!r}")

    def rate(self, precision: str) -> float:
        """Operations a second in this precision. ValueError where the card has none."""
        if precision not in self.products:
            raise ValueError(f"{self.name} multiplies in {', '.join(self.products)}, not in {precision!r}")
        return self.products[precision]


def _nvidia(name, fp32, half, bandwidth, memory, link, together, source, tf32=None, bf16=True):
    """Rates in TFLOP/s, bandwidths in GB/s, memory in GB, as they are printed; `link` is both directions together."""
    products = {"fp32": fp32} | ({"tf32": tf32} if tf32 else {}) | ({"bf16": half} if bf16 else {}) | {"fp16": half}
    products = {precision: 1e12 * rate for precision, rate in products.items()}
    return Card(name, products, 1e9 * bandwidth, 1e9 * memory, 1e9 * link / 2, together, source)


# fmt: off
CARDS = {
    card.name: card
    for card in (
        _nvidia("t4", 8.1, 65, 320, 16, 32, 8, "NVIDIA, Turing GPU Architecture (white paper), T4 (data sheet): PCIe",
                bf16=False),
        _nvidia("v100", 15.7, 125, 900, 16, 300, 8, "NVIDIA, Tesla V100 GPU Accelerator (data sheet): SXM2, 16 GB",
                bf16=False),
        _nvidia("l4", 30.3, 121, 300, 24, 64, 8, "NVIDIA, L4 Tensor Core GPU (data sheet): PCIe", 60),
        _nvidia("a10", 31.2, 125, 600, 24, 64, 8, "NVIDIA, A10 Tensor Core GPU (data sheet): PCIe", 62.5),
        _nvidia("rtx-4090", 82.6, 165.2, 1008, 24, 0, 1, "NVIDIA, Ada GPU Architecture (white paper, A)", 82.6),
        _nvidia("a100-40", 19.5, 312, 1555, 40, 600, 8, "NVIDIA, A100 Tensor Core GPU (data sheet): SXM, 40 GB", 156),
        _nvidia("a100-80", 19.5, 312, 2039, 80, 600, 8, "NVIDIA, A100 Tensor Core GPU (data sheet): SXM, 80 GB", 156),
        _nvidia("h100", 67, 989, 3350, 80, 900, 8, "NVIDIA, H100 Tensor Core GPU (data sheet): SXM", 494),
        _nvidia("h200", 67, 989, 4800, 141, 900, 8, "NVIDIA, H200 Tensor Core GPU (data sheet): SXM", 494),
        # Four links in a torus; a chip has its part of the all-reduce bandwidth of a pod, 340 TB/s for 1,024 of v3.
        Card("tpu-v3", {"bf16": 123e12}, 900e9, 32 * 2**30, 340e12 / 1024, 1024,
             "Google Cloud, TPU v3: system architecture"),
        Card("tpu-v5e", {"bf16": 197e12}, 819e9, 16e9, 51.2e12 / 256, 256, "Google Cloud, TPU v5e: architecture"),
        Card("tpu-v6e", {"bf16": 918e12}, 1638e9, 32e9, 102.4e12 / 256, 256, "Google Cloud, TPU v6e: architecture"),
    )
}
# fmt: on


def card(name: str) -> Card:
    """The card of this name, from `CARDS`. ValueError: there is none."""
    if name not in CARDS:
        raise ValueError(f"card must be one of {', '.join(CARDS)}, got {name!r}")
    return CARDS[name]
