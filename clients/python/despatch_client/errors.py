"""The error of this library, and how it is read from an answer."""

from __future__ import annotations

import json
import re
import time
import urllib.error
from email.utils import parsedate_to_datetime
from typing import Any, Optional, Sequence

Json = dict[str, Any]


class DespatchError(Exception):
    """What this library raises. It never contains a secret.

    kind: "refused" (the API answered with an error), "unreachable" (no answer), "timeout" (an answer or a status did not
        come in time) or "not-verified" (a callback is not from Despatch).
    status: the status of the HTTP answer, if there was one.
    code: the code of the first problem.
    problems: what the API reported, each with status, code and detail, and perhaps a title.
    correlation_id: operators of Despatch find the request by it.
    retry_after_seconds: the time in Retry-After.
    may_have_taken_effect: whether Despatch may have carried out the request although no answer said so.
    """

    def __init__(
        self, message: str, *, kind: str, status: Optional[int] = None, problems: Sequence[Json] = (),
        correlation_id: Optional[str] = None, retry_after_seconds: Optional[int] = None,
    ) -> None:
        super().__init__(message)
        self.kind = kind
        self.status = status
        self.problems = list(problems)
        self.code: Optional[str] = self.problems[0]["code"] if self.problems else None
        self.correlation_id = correlation_id
        self.retry_after_seconds = retry_after_seconds
        self.may_have_taken_effect = False


def copy_of(error: DespatchError) -> DespatchError:
    """Threads must not raise one error together: each adds its traceback."""
    return DespatchError(
        str(error), kind=error.kind, status=error.status, problems=error.problems,
        correlation_id=error.correlation_id, retry_after_seconds=error.retry_after_seconds,
    )


def refusal_of(response: urllib.error.HTTPError, body: bytes) -> DespatchError:
    """Read either error format of the APIs: a list of problems, alone or below `errors`."""
    try:
        answer = json.loads(body)
    except ValueError:
        answer = None
    errors = answer.get("errors") if isinstance(answer, dict) else answer
    problems = [
        {
            "status": str(error.get("status", "")),
            "code": str(error.get("code", "")),
            **({"title": error["title"]} if isinstance(error.get("title"), str) else {}),
            "detail": str(error.get("detail", error.get("title", ""))),
        }
        for error in (errors if isinstance(errors, list) else [])
        if isinstance(error, dict)
    ]
    details = "; ".join(problem["detail"] or problem["code"] for problem in problems)
    return DespatchError(
        f"{response.code}: {details or 'no details'}",
        kind="refused",
        status=response.code,
        problems=problems,
        correlation_id=response.headers.get("X-Correlation-Id"),
        retry_after_seconds=parse_retry_after(response.headers.get("Retry-After")),
    )


def parse_retry_after(value: Optional[str]) -> Optional[int]:
    """Seconds or a date. None if it is absent or neither."""
    try:
        if re.fullmatch(r"\s*\d{1,9}\s*", value or ""):
            return int(value or "")
        return max(0, int(parsedate_to_datetime(value or "").timestamp() - time.time()) + 1)
    except (TypeError, ValueError):
        return None
