"""What the functions of the package return."""
from typing import NamedTuple, Optional


class Health(NamedTuple):
    """How full a filter is, and how often it answers "maybe" for an absent key."""

    fill: float  # share of bits set
    estimated_keys: float  # distinct keys that explain it
    rate: float  # false-positive rate now
    keys_inserted: Optional[int]  # as counted; None where the format does not count
    goal_keys: int  # what it was made for; 0 where the file does not say
    goal_rate: float
    verdict: str  # "ok", "over design" or "saturated"
    sampled: bool  # whether a large filter was judged by a part of it


class Size(NamedTuple):
    """What a filter for these keys would be."""

    keys: int
    rate: float
    bits: int
    bytes: int
    probes: int
    layout: str


class Format(NamedTuple):
    """A way to write a filter as bytes."""

    name: str
    recognized: bool  # known by its first bytes: format="auto" finds it
    created: bool  # Bloom(format=name) makes an empty one


class Info(NamedTuple):
    """What a filter is; no bits are read for it."""

    format: str
    layout: str
    key_type: str
    hash: str
    seed: int
    bits: int
    nbytes: int
    probes: int
    keyed: bool
    mapped: bool
    left_open: bool


VERDICTS = ("ok", "over design", "saturated")
