"""What is repeated, and when. A token is renewed in time."""

from __future__ import annotations

import base64
import json
from typing import Optional

from .errors import DespatchError

FIRST_PAUSE_SECONDS, PAUSE_SECONDS_MAX = 0.2, 30.0
# A longer Retry-After is not waited for: the caller gets the error at once.
RETRY_AFTER_SECONDS_MAX = 60
# A token is renewed this long before it expires, or after nine tenths of its life if that is later.
TOKEN_MARGIN_SECONDS = 60


def may_repeat(error: DespatchError, is_repeatable: bool) -> bool:
    """A request that was refused for its rate (429) was not carried out, so anything may be repeated."""
    if (error.retry_after_seconds or 0) > RETRY_AFTER_SECONDS_MAX:
        return False
    return error.status == 429 or (is_repeatable and may_have_taken_effect(error.status))


def may_have_taken_effect(status: Optional[int]) -> bool:
    return status is None or status == 408 or status >= 500


def pause_after(error: DespatchError, attempt: int, chance: float) -> float:
    """Up to half of a pause is taken off by chance, so that clients do not come back together."""
    longest = min(FIRST_PAUSE_SECONDS * 2.0 ** min(attempt - 1, 100), PAUSE_SECONDS_MAX)
    return max(longest * (1 - chance / 2), error.retry_after_seconds or 0)


def use_token_for(token: str) -> float:
    """For how many seconds to use a JWT. Only its own times are compared, because our clock may be wrong."""
    try:
        payload = token.split(".")[1]
        claims = json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
        life = claims["exp"] - claims["iat"]
        return float(life - min(TOKEN_MARGIN_SECONDS, life * 0.1)) if life > 0 else float("inf")
    except (IndexError, KeyError, OverflowError, TypeError, ValueError):
        return float("inf")
