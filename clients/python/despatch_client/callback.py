"""Whether a callback is from Despatch."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import re
import time
from typing import Any, Mapping, Optional, Sequence, cast

from .errors import DespatchError, Json


def verify_callback(
    headers: Mapping[str, Any], body: bytes, secrets: Sequence[str], *, tolerance_seconds: int = 300,
    now: Optional[float] = None,
) -> Json:
    """Return the message of a callback that one of the secrets has signed.

    headers: a mapping or message, as in http.server, Flask and Django, with names in any case. A value is a text or a
        list of one.
    body: the bytes as they came.

    Raises a DespatchError of the kind "not-verified" otherwise: answer 401 and do nothing else with it. Raises a
    ValueError if a secret is empty.
    """
    keys = [_key_of(secret) for secret in secrets]
    message_id = _header_of(headers, "webhook-id")
    sent_at = _header_of(headers, "webhook-timestamp")
    given = _header_of(headers, "webhook-signature").split(" ")
    if message_id == "" or not re.fullmatch("[0-9]{1,12}", sent_at):
        raise _not_verified("it has no id or no timestamp")
    if abs(int(time.time() if now is None else now) - int(sent_at)) > tolerance_seconds:
        raise _not_verified("its timestamp is too far from the clock")
    content = f"{message_id}.{sent_at}.".encode() + body
    expected = [b"v1," + base64.b64encode(hmac.digest(key, content, hashlib.sha256)) for key in keys]
    # compare_digest does not tell by its time how much of a guess was right
    if not any(hmac.compare_digest(one, other.encode()) for one in expected for other in given):
        raise _not_verified("no secret has signed it")
    return cast(Json, json.loads(body))


def _key_of(secret: str) -> bytes:
    key = base64.b64decode(secret[6:] if secret.startswith("whsec_") else secret)
    if not key:
        raise ValueError("a secret is empty")
    return key


def _header_of(headers: Mapping[str, Any], name: str) -> str:
    """Return a header with one value, whatever the case of its name. Despatch never sends several values."""
    values = []
    for key, value in headers.items():
        if key.lower() == name and value is not None:
            values.extend(value if isinstance(value, (list, tuple)) else [value])
    return str(values[0]) if len(values) == 1 else ""


def _not_verified(why: str) -> DespatchError:
    return DespatchError(f"the callback is not from Despatch: {why}", kind="not-verified")
