"""Submit print jobs to Despatch, follow them, and verify its callbacks.

For Python 3.9 or later, with the standard library only. A client may be shared by threads. Answers are plain
dictionaries: a later release may add members and values, so read only those that you need.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import io
import itertools
import json
import random
import re
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from email.utils import parsedate_to_datetime
from http.client import HTTPException
from typing import Any, BinaryIO, Callable, Iterator, Mapping, Optional, Sequence, TypeVar, Union, cast

__all__ = ["ConsumerClient", "DespatchError", "verify_callback"]

Json = dict[str, Any]
T = TypeVar("T")

FIRST_PAUSE_SECONDS, PAUSE_SECONDS_MAX = 0.2, 30.0
# A longer Retry-After is not waited for: the caller gets the error at once.
RETRY_AFTER_SECONDS_MAX = 60
# A token is renewed this long before it expires, or after nine tenths of its life if that is later.
TOKEN_MARGIN_SECONDS = 60
FIRST_POLL_SECONDS, POLL_SECONDS_MAX = 1.0, 30.0

_JOBS = "/print-request/v1/print/jobs"
_WAY = ["QUARANTINE", "VALIDATING", "PENDING", "PRODUCTION", "DESPATCHED"]
_FINAL = {"DESPATCHED", "REJECTED"}


class DespatchError(Exception):
    """What this library raises. It never contains a secret.

    kind: "refused" (the API answered with an error), "unreachable" (no answer), "timeout" (a status was not reached in
        time) or "not-verified" (a callback is not from Despatch).
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


class ConsumerClient:
    """Submits print jobs as a consumer, and follows them. Every method raises a DespatchError if it fails.

    base_url: the address of Despatch, such as "https://despatch.example".
    timeout: the longest wait for an answer, in seconds.
    attempts_max: the most attempts of a request that may be repeated. Eight take about 20 seconds.
    opener: replaces the default, for example to set a proxy or certificates. It must not follow redirects.
    """

    def __init__(
        self, base_url: str, user_name: str, password: str, api_key: str, *, timeout: float = 30.0,
        attempts_max: int = 8, opener: Optional[urllib.request.OpenerDirector] = None,
    ) -> None:
        parts = urllib.parse.urlsplit(base_url)
        if parts.scheme not in ("http", "https") or not parts.hostname or "@" in parts.netloc or parts.query:
            # the address is not repeated, because it may contain a password
            raise ValueError("base_url must be an http or https address without credentials or a query")
        self._base = base_url.rstrip("/")
        self._credentials = {"userName": user_name, "password": password}
        self._api_key = api_key
        self._timeout = timeout
        self._attempts_max = attempts_max
        self._opener = opener or urllib.request.build_opener(_NoRedirects())
        self._signing_in = threading.Lock()
        self._token: Optional[str] = None
        self._token_until, self._quiet_until = 0.0, 0.0

    def upload_file(
        self, file: Union[bytes, BinaryIO], *, content_type: str = "application/octet-stream",
        on_progress: Optional[Callable[[int, int], None]] = None, timeout: float = 60.0,
    ) -> str:
        """Upload bytes or a seekable binary file, and return the upload id for fileParams.

        on_progress gets the bytes sent so far and the length of the file. It begins again with 0 when the upload is
        repeated. timeout is the longest wait for the network, in seconds.
        """
        source = io.BytesIO(file) if isinstance(file, bytes) else file
        start = source.tell()
        total = source.seek(0, io.SEEK_END) - start
        upload = self.call("GET", "/print-request/v1/print/files/upload-url")

        headers = {"Content-Type": content_type, "Content-Length": str(total)}

        def put() -> bytes:
            source.seek(start)
            body = _Counted(source, total, on_progress or (lambda sent, of: None))
            return self._exchange(urllib.request.Request(upload["url"], body, headers, method="PUT"), timeout)

        self._persistently(True, put)
        return str(upload["uploadId"])

    def submit_print_job(
        self, request: Mapping[str, Any], *, idempotency_key: Optional[str] = None, correlation_id: Optional[str] = None
    ) -> str:
        """Submit a print job and return its id.

        A lost answer does no harm: all attempts have one Idempotency-Key, so that Despatch creates one print job. To
        repeat a submission after a crash of your program, choose the key yourself and store it beforehand.
        """
        key = idempotency_key or uuid.uuid4().hex
        return str(self.call("POST", _JOBS, body=request, idempotency_key=key, correlation_id=correlation_id)["id"])

    def validate_print_job(self, request: Mapping[str, Any]) -> Json:
        """Return what would happen to a print job. Nothing is saved."""
        return cast(Json, self.call("POST", f"{_JOBS}/validate", body=request, is_repeatable=True))

    def get_print_job(self, job_id: str, *, view: Optional[str] = None) -> Json:
        """Return a print job. The view "extended" also says when it will be printed and what it waits for."""
        return cast(Json, self.call("GET", _JOBS + "/" + urllib.parse.quote(job_id, safe=""), query={"view": view}))

    def list_print_jobs(
        self, *, status: Optional[str] = None, created_from: Optional[str] = None, created_to: Optional[str] = None,
        reference: Optional[str] = None, only: Optional[str] = None, limit: Optional[int] = None,
    ) -> Iterator[Json]:
        """Yield print jobs, newest first. limit is the size of the pages that are fetched, at most 100."""
        dates = {"createdFrom": created_from, "createdTo": created_to}
        query = {"status": status, **dates, "reference": reference, "only": only, "limit": limit}
        cursor = None
        while True:
            page = self.call("GET", _JOBS, query={**query, "cursor": cursor})
            yield from page["printJobs"]
            cursor = page.get("nextCursor")
            if cursor is None:
                return

    def delete_print_job(self, job_id: str) -> None:
        """Delete a print job that is PENDING. Once a provider has claimed it, the error has status 409.

        A 404 with may_have_taken_effect: either an attempt without an answer has deleted it, or there is no print job
        with the id.
        """
        self.call("DELETE", _JOBS + "/" + urllib.parse.quote(job_id, safe=""))

    def wait_for_status(
        self, job_id: str, status: str = "DESPATCHED", *, timeout: float = 600.0,
        cancelled: Optional[threading.Event] = None,
    ) -> Json:
        """Wait until a print job has reached a status or is REJECTED, and return it: look at its status.

        Asks every second at first, later every half minute. Raises a DespatchError of the kind "timeout" after this
        time, or when the event is set. A letter may take days: have a callback sent rather than wait for it.
        """
        deadline = time.monotonic() + timeout
        poll = FIRST_POLL_SECONDS
        waiting = cancelled or threading.Event()
        while True:
            job = self.get_print_job(job_id)
            if _has_reached(job["status"], status) or job["status"] in _FINAL:
                return job
            left = deadline - time.monotonic()
            if left <= 0 or waiting.wait(min(poll, left)):
                raise DespatchError(f"print job {job_id} is {job['status']}, not yet {status}", kind="timeout")
            poll = min(poll * 1.5, POLL_SECONDS_MAX)

    def call(
        self, method: str, path: str, *, query: Optional[Mapping[str, Any]] = None,
        body: Optional[Mapping[str, Any]] = None, idempotency_key: Optional[str] = None,
        correlation_id: Optional[str] = None, is_repeatable: Optional[bool] = None,
    ) -> Any:
        """Call an operation, such as POST /print-request/v1/callbacks/test, and return its JSON, or None.

        is_repeatable: whether it does no harm to send the request again after no answer or a 5xx. By default it does
        none, except for a POST without an idempotency key.
        """
        if not path.startswith("/"):
            raise ValueError("a path must begin with /")
        given = {name: value for name, value in (query or {}).items() if value is not None}
        url = self._base + path + (f"?{urllib.parse.urlencode(given)}" if given else "")
        data = None if body is None else json.dumps(body).encode()
        optional = {
            "Content-Type": None if data is None else "application/json",
            "Idempotency-Key": idempotency_key,
            "X-Correlation-Id": correlation_id,
        }
        headers = {name: value for name, value in optional.items() if value is not None}
        if is_repeatable is None:
            is_repeatable = method != "POST" or idempotency_key is not None

        def attempt(token: str) -> bytes:
            sent = {**headers, "X-API-Key": self._api_key, "Authorization": f"Bearer {token}"}
            return self._exchange(urllib.request.Request(url, data, sent, method=method))

        in_doubt = False
        for is_renewed in (False, True):
            token = self._persistently(True, self._sign_in)
            try:
                answer = self._persistently(is_repeatable, lambda: attempt(token), in_doubt)
                return json.loads(answer) if answer else None
            except DespatchError as error:
                in_doubt = error.may_have_taken_effect
                if is_renewed or error.status != 401:
                    raise
                self._discard(token)

    def _sign_in(self) -> str:
        with self._signing_in:
            if self._token is None or time.monotonic() >= self._token_until:
                url = f"{self._base}/thirdparty-access/v1/authenticate"
                data = json.dumps(self._credentials).encode()
                headers = {"Content-Type": "application/json"}
                answer = self._exchange(urllib.request.Request(url, data, headers, method="POST"))
                self._token = str(json.loads(answer)["id-token"])
                self._token_until = time.monotonic() + _use_token_for(self._token)
            return self._token

    def _discard(self, token: str) -> None:
        with self._signing_in:
            if self._token is token:  # two tokens of one second may be equal
                self._token = None

    def _persistently(self, is_repeatable: bool, attempt: Callable[[], T], in_doubt: bool = False) -> T:
        for number in itertools.count(1):
            # limits apply to the user, so all calls wait, not only the one that was refused
            time.sleep(max(self._quiet_until - time.monotonic(), 0))
            try:
                return attempt()
            except DespatchError as error:
                in_doubt = in_doubt or _may_have_taken_effect(error.status)
                if number >= self._attempts_max or not _may_repeat(error, is_repeatable):
                    error.may_have_taken_effect = in_doubt
                    raise
                pause = _pause_after(error, number, random.random())
            time.sleep(pause)
        raise AssertionError

    def _exchange(self, request: urllib.request.Request, timeout: Optional[float] = None) -> bytes:
        """Make one attempt and return the body of the answer."""
        try:
            with self._opener.open(request, timeout=timeout or self._timeout) as response:
                return bytes(response.read())
        except urllib.error.HTTPError as refused:
            with refused:
                error = _refusal_of(refused)
            quiet = error.retry_after_seconds or 0
            if error.status in (429, 503) and quiet <= RETRY_AFTER_SECONDS_MAX:
                self._quiet_until = max(self._quiet_until, time.monotonic() + quiet)
            # `from None`: the message of a cause may contain an address or a header that is secret
            raise error from None
        except (OSError, HTTPException, ValueError) as failed:
            why = getattr(failed, "reason", failed)
            message = f"{request.host} does not answer ({type(why).__name__})"
            raise DespatchError(message, kind="unreachable") from None


def verify_callback(
    headers: Mapping[str, str], body: bytes, secrets: Sequence[str], *, tolerance_seconds: int = 300,
    now: Optional[float] = None,
) -> Json:
    """Return the message of a callback that one of the secrets has signed.

    headers has get(), as in http.server, Flask and Django; body is the bytes as they came. Raises a DespatchError of
    the kind "not-verified" otherwise: answer 401 and do nothing else with it. Raises a ValueError if a secret is empty.
    """
    keys = [_key_of(secret) for secret in secrets]
    message_id = headers.get("webhook-id") or ""
    sent_at = headers.get("webhook-timestamp") or ""
    given = (headers.get("webhook-signature") or "").split(" ")
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


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """The credentials must not go to any other address."""

    def redirect_request(self, *_: Any) -> None: ...


class _Counted:
    """A file that reports what was read of it."""

    def __init__(self, file: BinaryIO, total: int, report: Callable[[int, int], None]) -> None:
        self._file, self._total, self._report, self._sent = file, total, report, 0
        report(0, total)

    def read(self, size: int = -1) -> bytes:
        piece = self._file.read(size)
        if piece:
            self._sent += len(piece)
            self._report(self._sent, self._total)
        return piece


def _refusal_of(response: urllib.error.HTTPError) -> DespatchError:
    """Read either error format of the APIs: a list of problems, alone or below `errors`."""
    try:
        answer = json.loads(response.read())
    except (ValueError, OSError, HTTPException):
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
        retry_after_seconds=_parse_retry_after(response.headers.get("Retry-After")),
    )


def _may_repeat(error: DespatchError, is_repeatable: bool) -> bool:
    """A request that was refused for its rate (429) was not carried out, so anything may be repeated."""
    if (error.retry_after_seconds or 0) > RETRY_AFTER_SECONDS_MAX:
        return False
    return error.status == 429 or (is_repeatable and _may_have_taken_effect(error.status))


def _may_have_taken_effect(status: Optional[int]) -> bool:
    return status is None or status == 408 or status >= 500


def _pause_after(error: DespatchError, attempt: int, chance: float) -> float:
    """Up to half of a pause is taken off by chance, so that clients do not come back together."""
    longest = min(FIRST_PAUSE_SECONDS * 2.0 ** (attempt - 1), PAUSE_SECONDS_MAX)
    return max(longest * (1 - chance / 2), error.retry_after_seconds or 0)


def _parse_retry_after(value: Optional[str]) -> Optional[int]:
    """Seconds or a date. None if it is absent or neither."""
    try:
        if re.fullmatch(r"\s*\d{1,9}\s*", value or ""):
            return int(value or "")
        return max(0, int(parsedate_to_datetime(value or "").timestamp() - time.time()) + 1)
    except (TypeError, ValueError):
        return None


def _use_token_for(token: str) -> float:
    """For how many seconds to use a JWT. Only its own times are compared, because our clock may be wrong."""
    try:
        payload = token.split(".")[1]
        claims = json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
        life = claims["exp"] - claims["iat"]
        return float(life - min(TOKEN_MARGIN_SECONDS, life * 0.1))
    except (IndexError, KeyError, TypeError, ValueError):
        return float("inf")


def _has_reached(status: str, wanted: str) -> bool:
    """Whether a print job with this status has reached the other, or is beyond it."""
    return status == wanted or (wanted in _WAY and status in _WAY and _WAY.index(status) > _WAY.index(wanted))


def _key_of(secret: str) -> bytes:
    key = base64.b64decode(secret[6:] if secret.startswith("whsec_") else secret)
    if not key:
        raise ValueError("a secret is empty")
    return key


def _not_verified(why: str) -> DespatchError:
    return DespatchError(f"the callback is not from Despatch: {why}", kind="not-verified")
