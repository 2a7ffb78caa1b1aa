"""The time by which a call ends."""

from __future__ import annotations

import math
import threading
import time
from typing import Optional

from .errors import DespatchError


# Sockets and locks accept no longer wait.
WAIT_SECONDS_MAX = 2_000_000.0


class Deadline:
    """A time by which a call ends, with all its attempts and pauses. It ends too when an event is set."""

    def __init__(
        self, seconds: float = math.inf, message: str = "the time is over", cancelled: Optional[threading.Event] = None
    ) -> None:
        require_timeout(seconds)
        self.message = message
        self._until = time.monotonic() + seconds
        self._cancelled = cancelled or threading.Event()

    def left(self, at_most: float = math.inf) -> float:
        """Return how many seconds to wait at most. A socket with 0 would not wait at all, so it is never 0."""
        return max(min(self._until - time.monotonic(), at_most, WAIT_SECONDS_MAX), 0.001)

    def is_over(self) -> bool:
        return self._cancelled.is_set() or time.monotonic() >= self._until

    def error(self) -> DespatchError:
        return DespatchError(self.message, kind="timeout")

    def pause(self, seconds: float) -> None:
        """Pause, and raise a DespatchError if the deadline comes first."""
        if seconds > 0:
            self._cancelled.wait(self.left(seconds))
        if self.is_over():
            raise self.error()


def require_timeout(seconds: float) -> None:
    if not seconds >= 0:
        raise ValueError("timeout must be a number from 0")
