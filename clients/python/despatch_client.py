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
import math
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
# After this many addresses for an upload have expired, the error is raised.
ADDRESSES_MAX = 3

_JOBS = "/print-request/v1/print/jobs"
_WAY = ["QUARANTINE", "VALIDATING", "PENDING", "PRODUCTION", "DESPATCHED"]
_FINAL = {"DESPATCHED", "REJECTED"}


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


class ConsumerClient:
    """Submits print jobs as a consumer, and follows them. Every method raises a DespatchError if it fails.

    base_url: the address of Despatch, such as "https://despatch.example".
    timeout: the longest wait for the network in one attempt, in seconds.
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
        _require_header_value("api_key", api_key)
        _require_timeout(timeout)
        if attempts_max < 1:
            raise ValueError("attempts_max must be 1 or more")
        self._base = base_url.rstrip("/")
        self._credentials = {"userName": user_name, "password": password}
        self._api_key = api_key
        self._timeout = timeout
        self._attempts_max = attempts_max
        self._opener = opener or urllib.request.build_opener(_NoRedirects())
        self._signing_in = threading.Lock()
        self._token: Optional[str] = None
        self._token_until, self._quiet_until = 0.0, 0.0
        self._sign_in_failure: Optional[DespatchError] = None
        self._sign_ins = 0

    def upload_file(
        self, file: Union[bytes, BinaryIO], *, content_type: str = "application/octet-stream",
        on_progress: Optional[Callable[[int, int], None]] = None, timeout: float = 600.0,
    ) -> str:
        """Upload bytes or a seekable binary file, and return the upload id for fileParams.

        on_progress gets the bytes sent so far and the length of the file. It begins again with 0 when the upload is
        repeated. timeout is the longest time for the upload with all attempts, in seconds. An error of the file itself,
        and one that on_progress raises, is raised as it is.
        """
        deadline = _Deadline(timeout, "the file was not uploaded in time")
        source = io.BytesIO(file) if isinstance(file, bytes) else file
        start = source.tell()
        total = source.seek(0, io.SEEK_END) - start
        headers = {"Content-Type": content_type, "Content-Length": str(total)}

        for addresses in itertools.count(1):
            upload = self._call("GET", "/print-request/v1/print/files/upload-url", deadline=deadline)

            def put() -> bytes:
                source.seek(start)
                body = _Counted(source, total, on_progress or (lambda sent, of: None), deadline)
                try:
                    request = urllib.request.Request(upload["url"], body, headers, method="PUT")
                    return self._exchange(request, deadline, math.inf)
                except DespatchError:
                    if body.fault is not None:
                        raise body.fault from None
                    raise

            try:
                self._persistently(True, put, deadline=deadline)
                return str(upload["uploadId"])
            except DespatchError as error:
                # an address works for minutes
                if error.status != 403 or addresses >= ADDRESSES_MAX:
                    raise
        raise AssertionError

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
        return cast(Json, self.call("GET", _job_path(job_id), query={"view": view}))

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
        self.call("DELETE", _job_path(job_id))

    def wait_for_status(
        self, job_id: str, status: str = "DESPATCHED", *, timeout: float = 600.0,
        cancelled: Optional[threading.Event] = None,
    ) -> Json:
        """Wait until a print job has reached a status or is REJECTED, and return it: look at its status.

        Asks every second at first, later every half minute. Raises a DespatchError of the kind "timeout" after this
        time, whether or not Despatch answers, or when the event is set: it ends a pause, and a request at its end. A
        letter may take days: have a callback sent rather than wait for it.
        """
        deadline = _Deadline(timeout, f"print job {job_id} is of an unknown status, not yet {status}", cancelled)
        poll = FIRST_POLL_SECONDS
        while True:
            job = cast(Json, self._call("GET", _job_path(job_id), deadline=deadline))
            if _has_reached(job["status"], status) or job["status"] in _FINAL:
                return job
            deadline.message = f"print job {job_id} is {job['status']}, not yet {status}"
            deadline.pause(poll)
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
        options: Json = {"query": query, "body": body, "idempotency_key": idempotency_key}
        return self._call(method, path, correlation_id=correlation_id, is_repeatable=is_repeatable, **options)

    def _call(
        self, method: str, path: str, *, query: Optional[Mapping[str, Any]] = None,
        body: Optional[Mapping[str, Any]] = None, idempotency_key: Optional[str] = None,
        correlation_id: Optional[str] = None, is_repeatable: Optional[bool] = None,
        deadline: Optional[_Deadline] = None,
    ) -> Any:
        deadline = deadline or _Deadline()
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
        for name, value in headers.items():
            _require_header_value(name, value)
        if is_repeatable is None:
            is_repeatable = method != "POST" or idempotency_key is not None

        def attempt(token: str) -> bytes:
            sent = {**headers, "X-API-Key": self._api_key, "Authorization": f"Bearer {token}"}
            return self._exchange(urllib.request.Request(url, data, sent, method=method), deadline)

        in_doubt = False
        for is_renewed in (False, True):
            token = self._persistently(True, lambda: self._sign_in(deadline), deadline=deadline)
            try:
                return self._persistently(is_repeatable, lambda: _parse(attempt(token)), in_doubt, deadline)
            except DespatchError as error:
                in_doubt = error.may_have_taken_effect
                if is_renewed or error.status != 401:
                    raise
                self._discard(token, deadline)

    def _sign_in(self, deadline: _Deadline) -> str:
        """Return the token. One thread signs in, and those that wait for it share its result, also a failure."""
        awaited = self._sign_ins
        if not self._signing_in.acquire(timeout=deadline.left(threading.TIMEOUT_MAX)):
            raise deadline.error()
        try:
            if self._token is None or time.monotonic() >= self._token_until:
                if self._sign_ins != awaited and self._sign_in_failure is not None:
                    raise _copy_of(self._sign_in_failure)
                self._token = None
                url = f"{self._base}/thirdparty-access/v1/authenticate"
                data = json.dumps(self._credentials).encode()
                headers = {"Content-Type": "application/json"}
                request = urllib.request.Request(url, data, headers, method="POST")
                try:
                    self._token = str(_parse(self._exchange(request, deadline))["id-token"])
                except DespatchError as error:
                    # the deadline of one thread is not that of the others
                    self._sign_in_failure = None if deadline.is_over() else error
                    raise
                finally:
                    self._sign_ins += 1
                self._sign_in_failure = None
                self._token_until = time.monotonic() + _use_token_for(self._token)
            return self._token
        finally:
            self._signing_in.release()

    def _discard(self, token: str, deadline: _Deadline) -> None:
        if not self._signing_in.acquire(timeout=deadline.left(threading.TIMEOUT_MAX)):
            raise deadline.error()
        try:
            if self._token is token:  # two tokens of one second may be equal
                self._token = None
        finally:
            self._signing_in.release()

    def _persistently(
        self, is_repeatable: bool, attempt: Callable[[], T], in_doubt: bool = False,
        deadline: Optional[_Deadline] = None,
    ) -> T:
        deadline = deadline or _Deadline()
        for number in itertools.count(1):
            # limits apply to the user, so all calls wait, not only the one that was refused
            deadline.pause(self._quiet_until - time.monotonic())
            try:
                return attempt()
            except DespatchError as error:
                in_doubt = in_doubt or _may_have_taken_effect(error.status)
                is_over = deadline.is_over()
                if is_over or number >= self._attempts_max or not _may_repeat(error, is_repeatable):
                    raised = deadline.error() if is_over else error
                    raised.may_have_taken_effect = in_doubt
                    raise raised from None
                pause = _pause_after(error, number, random.random())
            deadline.pause(pause)
        raise AssertionError

    def _exchange(
        self, request: urllib.request.Request, deadline: _Deadline, seconds: Optional[float] = None
    ) -> bytes:
        """Make one attempt and return the body of the answer. seconds: default the timeout of the client."""
        until = _Deadline(deadline.left(self._timeout if seconds is None else seconds))
        try:
            with self._opener.open(request, timeout=until.left(self._timeout)) as response:
                return _read(response, until)
        except urllib.error.HTTPError as refused:
            with refused:
                error = _refusal_of(refused)
            quiet = error.retry_after_seconds or 0
            if error.status in (429, 503) and quiet <= RETRY_AFTER_SECONDS_MAX:
                self._quiet_until = max(self._quiet_until, time.monotonic() + quiet)
            # `from None`: the message of a cause may contain an address or a header that is secret
            raise error from None
        except (OSError, HTTPException) as failed:
            why = getattr(failed, "reason", failed)
            message = f"{request.host} does not answer ({type(why).__name__})"
            is_late = isinstance(why, TimeoutError)
            raise DespatchError(message, kind="timeout" if is_late else "unreachable") from None


class _Deadline:
    """A time by which a call ends, with all its attempts and pauses. It ends too when an event is set."""

    def __init__(
        self, seconds: float = math.inf, message: str = "the time is over", cancelled: Optional[threading.Event] = None
    ) -> None:
        _require_timeout(seconds)
        self.message = message
        self._until = time.monotonic() + seconds
        self._cancelled = cancelled or threading.Event()

    def left(self, at_most: float) -> float:
        """Return the seconds that are left. A socket with 0 would not wait at all, so that it is never 0."""
        return max(min(self._until - time.monotonic(), at_most), 0.001)

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


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """The credentials must not go to any other address."""

    def redirect_request(self, *_: Any) -> None: ...


class _Counted:
    """A file that reports what was read of it. `fault` is the error of reading or reporting."""

    def __init__(
        self, file: BinaryIO, total: int, report: Callable[[int, int], None], deadline: _Deadline
    ) -> None:
        self._file, self._total, self._report, self._deadline, self._sent = file, total, report, deadline, 0
        self.fault: Optional[Exception] = None
        report(0, total)

    def read(self, size: int = -1) -> bytes:
        if self._deadline.is_over():
            raise TimeoutError
        try:
            piece = self._file.read(size)
            if piece:
                self._sent += len(piece)
                self._report(self._sent, self._total)
            return piece
        except Exception as error:
            self.fault = error
            raise


def _read(response: Any, deadline: _Deadline) -> bytes:
    """Read a body. The limit of a socket is for each piece, so the whole has one of its own."""
    pieces = []
    while piece := response.read1(65_536) if hasattr(response, "read1") else response.read():
        pieces.append(piece)
        if deadline.is_over():
            raise TimeoutError
    return b"".join(pieces)


def _parse(body: bytes) -> Any:
    try:
        return json.loads(body) if body else None
    except ValueError:
        # the cause holds the text, which may contain a token
        raise DespatchError("an answer is not JSON", kind="unreachable") from None


def _copy_of(error: DespatchError) -> DespatchError:
    """Threads must not raise one error together: each adds its traceback."""
    return DespatchError(
        str(error), kind=error.kind, status=error.status, problems=error.problems,
        correlation_id=error.correlation_id, retry_after_seconds=error.retry_after_seconds,
    )


def _require_header_value(name: str, value: Any) -> None:
    """The value is not repeated, because it may be secret."""
    if not isinstance(value, str) or not re.fullmatch(r"[\t\x20-\x7e\x80-\xff]*", value):
        raise ValueError(f"{name} must be a text without line breaks, as headers require")


def _require_timeout(seconds: float) -> None:
    if not seconds >= 0:
        raise ValueError("timeout must be a number from 0")


def _job_path(job_id: str) -> str:
    return _JOBS + "/" + urllib.parse.quote(job_id, safe="")


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


def _header_of(headers: Mapping[str, Any], name: str) -> str:
    """Return a header with one value, whatever the case of its name. Several values are not from Despatch."""
    values = []
    for key, value in headers.items():
        if key.lower() == name and value is not None:
            values.extend(value if isinstance(value, (list, tuple)) else [value])
    return str(values[0]) if len(values) == 1 else ""


def _not_verified(why: str) -> DespatchError:
    return DespatchError(f"the callback is not from Despatch: {why}", kind="not-verified")
