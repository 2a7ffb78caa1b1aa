"""Calls of the APIs on behalf of one user."""

from __future__ import annotations

import ipaddress
import itertools
import json
import random
import re
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from http.client import HTTPException, IncompleteRead
from typing import Any, Callable, Mapping, Optional, Sequence, TypeVar

from .connection import LimitedHandler, Request
from .deadline import Deadline, require_timeout
from .errors import DespatchError, copy_of, refusal_of
from .retry import RETRY_AFTER_SECONDS_MAX, may_have_taken_effect, may_repeat, pause_after, use_token_for

T = TypeVar("T")


def is_this_machine(hostname: str) -> bool:
    """Return whether the name or the address is of the machine itself."""
    if hostname == "localhost":
        return True
    try:
        return ipaddress.ip_address(hostname).is_loopback
    except ValueError:
        return False


class Session:
    """Makes calls with a token, which is renewed in time and shared by all threads."""

    def __init__(
        self, base_url: str, user_name: str, password: str, api_key: str, timeout: float, attempts_max: int,
        opener: Optional[urllib.request.OpenerDirector], allow_insecure_http: bool = False,
    ) -> None:
        parts = urllib.parse.urlsplit(base_url)
        if parts.scheme not in ("http", "https") or not parts.hostname or "@" in parts.netloc or parts.query:
            # the address is not repeated, because it may contain a password
            raise ValueError("base_url must be an http or https address without credentials or a query")
        if parts.scheme == "http" and not allow_insecure_http and not is_this_machine(parts.hostname):
            raise ValueError(
                "base_url must be an https address, because http sends the credentials unencrypted. "
                "allow_insecure_http permits it"
            )
        require_header_value("api_key", api_key)
        require_timeout(timeout)
        if attempts_max < 1:
            raise ValueError("attempts_max must be 1 or more")
        self._base = base_url.rstrip("/")
        self._credentials = {"userName": user_name, "password": password}
        self._api_key = api_key
        self._timeout = timeout
        self._attempts_max = attempts_max
        self._opener = opener or urllib.request.build_opener(NoRedirects(), LimitedHandler())
        self._signing_in = threading.Lock()
        self._token: Optional[str] = None
        self._token_until, self._quiet_until = 0.0, 0.0
        self._sign_in_failure: Optional[DespatchError] = None
        self._sign_ins = 0

    def call(
        self, method: str, path: str, *, query: Optional[Mapping[str, Any]] = None,
        body: Optional[Mapping[str, Any]] = None, idempotency_key: Optional[str] = None,
        correlation_id: Optional[str] = None, is_repeatable: Optional[bool] = None,
        deadline: Optional[Deadline] = None, members: Sequence[str] = (),
    ) -> Any:
        """Return the JSON of the answer, or None if it is empty. An answer without one of the members is no answer."""
        deadline = deadline or Deadline()
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
            require_header_value(name, value)
        if is_repeatable is None:
            is_repeatable = method != "POST" or idempotency_key is not None

        def attempt(token: str) -> bytes:
            sent = {**headers, "X-API-Key": self._api_key, "Authorization": f"Bearer {token}"}
            return self.exchange(Request(url, data, sent, method=method), deadline)

        in_doubt = False
        for is_renewed in (False, True):
            try:
                token = self.persistently(True, lambda: self._sign_in(deadline), deadline=deadline)
            except DespatchError as error:
                error.may_have_taken_effect = in_doubt  # a sign-in that fails does not carry the request out
                raise
            try:
                return self.persistently(is_repeatable, lambda: _parse(attempt(token), members), in_doubt, deadline)
            except DespatchError as error:
                in_doubt = error.may_have_taken_effect
                if is_renewed or error.status != 401:
                    raise
                self._discard(token, deadline)

    def _sign_in(self, deadline: Deadline) -> str:
        """Return the token. One thread signs in, and those that wait for it share its result, also a failure."""
        awaited = self._sign_ins
        if not self._signing_in.acquire(timeout=deadline.left()):
            raise deadline.error()
        try:
            if self._token is None or time.monotonic() >= self._token_until:
                if self._sign_ins != awaited and self._sign_in_failure is not None:
                    raise copy_of(self._sign_in_failure)
                self._token = None
                url = f"{self._base}/thirdparty-access/v1/authenticate"
                data = json.dumps(self._credentials).encode()
                headers = {"Content-Type": "application/json"}
                request = Request(url, data, headers, method="POST")
                try:
                    self._token = str(_parse(self.exchange(request, deadline), ["id-token"])["id-token"])
                except DespatchError as error:
                    # the deadline of one thread is not that of the others
                    self._sign_in_failure = None if deadline.is_over() else error
                    raise
                finally:
                    self._sign_ins += 1
                self._sign_in_failure = None
                self._token_until = time.monotonic() + use_token_for(self._token)
            return self._token
        finally:
            self._signing_in.release()

    def _discard(self, token: str, deadline: Deadline) -> None:
        if not self._signing_in.acquire(timeout=deadline.left()):
            raise deadline.error()
        try:
            if self._token is token:  # two tokens of one second may be equal
                self._token = None
        finally:
            self._signing_in.release()

    def persistently(
        self, is_repeatable: bool, attempt: Callable[[], T], in_doubt: bool = False,
        deadline: Optional[Deadline] = None,
    ) -> T:
        deadline = deadline or Deadline()
        for number in itertools.count(1):
            # limits apply to the user, so all calls wait, not only the one that was refused
            deadline.pause(self._quiet_until - time.monotonic())
            try:
                return attempt()
            except DespatchError as error:
                in_doubt = in_doubt or may_have_taken_effect(error.status)
                is_over = deadline.is_over()
                if is_over or number >= self._attempts_max or not may_repeat(error, is_repeatable):
                    raised = deadline.error() if is_over else error
                    raised.may_have_taken_effect = in_doubt
                    raise raised from None
                pause = pause_after(error, number, random.random())
            deadline.pause(pause)
        raise AssertionError

    def exchange(self, request: Request, deadline: Deadline, seconds: Optional[float] = None) -> bytes:
        """Make one attempt and return the body of the answer. seconds: default the timeout of the client."""
        until = request.deadline = Deadline(deadline.left(self._timeout if seconds is None else seconds))
        try:
            with self._opener.open(request, timeout=until.left(self._timeout)) as response:
                return _read(response, until)
        except urllib.error.HTTPError as refused:
            with refused:
                try:
                    body = _read(refused, until)
                except (OSError, HTTPException):
                    body = b""  # the status is the answer
                error = refusal_of(refused, body)
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


class NoRedirects(urllib.request.HTTPRedirectHandler):
    """The credentials must not go to any other address."""

    def redirect_request(self, *_: Any) -> None: ...


def _read(response: Any, deadline: Deadline) -> bytes:
    """Read a body. `read1` does not report one that breaks off, and another opener limits each piece only."""
    expected = getattr(response, "length", None)  # None: unknown. HTTPResponse counts down from here
    body = b""
    while piece := response.read1(65_536) if hasattr(response, "read1") else response.read():
        body += piece
        if deadline.is_over():
            raise TimeoutError
    if expected is not None and len(body) < expected:
        raise IncompleteRead(body, expected - len(body))
    return body


def _parse(body: bytes, members: Sequence[str]) -> Any:
    try:
        answer = json.loads(body) if body else None
    except ValueError:
        # the cause holds the text, which may contain a token
        raise DespatchError("an answer is not JSON", kind="unreachable") from None
    for member in members:
        if not isinstance(answer, dict) or member not in answer:
            raise DespatchError(f"an answer has no {member}", kind="unreachable")
    return answer


def require_header_value(name: str, value: Any) -> None:
    """The value is not repeated, because it may be secret."""
    if not isinstance(value, str) or not re.fullmatch(r"[\t\x20-\x7e\x80-\xff]*", value):
        raise ValueError(f"{name} must be a text without line breaks, as headers require")
