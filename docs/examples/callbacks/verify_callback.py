import base64
import hashlib
import hmac
import re
import time

TOLERANCE_SECONDS = 300


def is_from_despatch(headers, body, secrets, now=None):
    """True when one of the secrets has signed the message.

    headers has get(), as in http.server, Flask and Django; body is the bytes as they came.
    """
    message_id = headers.get("webhook-id") or ""
    sent_at = headers.get("webhook-timestamp") or ""
    given = (headers.get("webhook-signature") or "").split(" ")
    if message_id == "" or not re.fullmatch("[0-9]{1,12}", sent_at):
        return False
    if abs((int(time.time()) if now is None else now) - int(sent_at)) > TOLERANCE_SECONDS:
        return False

    expected = [sign(secret, f"{message_id}.{sent_at}.".encode() + body) for secret in secrets]
    # compare_digest does not tell by its time how much of a guess was right
    return any(hmac.compare_digest(one, other.encode()) for one in expected for other in given)


def sign(secret, content):
    key = base64.b64decode(secret.removeprefix("whsec_"))
    if key == b"":
        raise ValueError("a secret is empty")
    return b"v1," + base64.b64encode(hmac.digest(key, content, hashlib.sha256))
