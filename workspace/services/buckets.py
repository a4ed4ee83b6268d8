"""Token buckets: how often something may happen in this process, for each key, and how often it was held back."""

import logging
import threading
import time
from collections import OrderedDict
from dataclasses import dataclass, field

logger = logging.getLogger(__name__)

KEYS = 10_000
SHARED = ""
"""The key of the bucket that several share."""


@dataclass(kw_only=True)
class _Bucket:
    """Half of a minute's number at once and half more over a minute, so that no minute has more than that number."""

    size: float
    tokens: float
    at: float
    held_back: int = 0

    def take(self, now: float) -> bool:
        self.tokens = min(self.size, self.tokens + (now - self.at) * self.size / 60)
        self.at = now
        if self.tokens < 1:
            return False
        self.tokens -= 1
        return True


@dataclass
class Buckets:
    """The buckets of this process; of too many keys, those that were not used for longest are forgotten."""

    held: OrderedDict[str, _Bucket] = field(default_factory=OrderedDict)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def take(self, key: str, per_minute: int, *, shared: int | None = None) -> int | None:
        """How often ``key`` was held back since it last was not; None where it is now, and that is counted.

        ``shared`` bounds all those together who are asked for with it, whatever their keys.
        """
        now = time.monotonic()
        with self.lock:
            own = self._of(key, per_minute, now)
            if not (own.take(now) and (shared is None or self._of(SHARED, shared, now).take(now))):
                own.held_back += 1
                return None
            count, own.held_back = own.held_back, 0
            return count

    def clear(self) -> None:
        """As in a fresh process."""
        with self.lock:
            self.held.clear()

    def _of(self, key: str, per_minute: int, now: float) -> _Bucket:
        size = max(1.0, per_minute / 2)
        bucket = self.held.setdefault(key, _Bucket(size=size, tokens=size, at=now))
        self.held.move_to_end(key)
        while len(self.held) > KEYS:
            gone, lost = self.held.popitem(last=False)
            if lost.held_back:
                logger.warning("%s was held back %d times", gone, lost.held_back)
        return bucket
