"""The client of a consumer."""

from __future__ import annotations

import io
import itertools
import math
import threading
import urllib.parse
import urllib.request
import uuid
from typing import Any, BinaryIO, Callable, Iterator, Mapping, Optional, Union, cast

from .connection import Request
from .deadline import Deadline
from .errors import DespatchError, Json
from .session import Session

FIRST_POLL_SECONDS, POLL_SECONDS_MAX = 1.0, 30.0
# After this many addresses for an upload have expired, the error is raised.
ADDRESSES_MAX = 3

_JOBS = "/print-request/v1/print/jobs"
_WAY = ["QUARANTINE", "VALIDATING", "PENDING", "PRODUCTION", "DESPATCHED"]
_FINAL = {"DESPATCHED", "REJECTED"}


class ConsumerClient:
    """Submits print jobs as a consumer, and follows them. Every method raises a DespatchError if it fails.

    base_url: the address of Despatch, such as "https://despatch.example".
    timeout: the longest wait for the network in one attempt, in seconds.
    attempts_max: the most attempts of a request that may be repeated. Eight take about 20 seconds.
    opener: replaces the default, for example to set a proxy or certificates. It must not follow redirects. The timeout
        is then for each line of the headers, not for all of them.
    allow_insecure_http: permits http to other machines, which sends the credentials and the letters unencrypted.
    """

    def __init__(
        self, base_url: str, user_name: str, password: str, api_key: str, *, timeout: float = 30.0,
        attempts_max: int = 8, opener: Optional[urllib.request.OpenerDirector] = None,
        allow_insecure_http: bool = False,
    ) -> None:
        self._session = Session(
            base_url, user_name, password, api_key, timeout, attempts_max, opener, allow_insecure_http,
        )

    def upload_file(
        self, file: Union[bytes, BinaryIO], *, content_type: str = "application/octet-stream",
        on_progress: Optional[Callable[[int, int], None]] = None, timeout: float = 600.0,
    ) -> str:
        """Upload bytes or a seekable binary file, and return the upload id for fileParams.

        on_progress gets the bytes sent so far and the length of the file. It begins again with 0 when the upload is
        repeated. timeout is the longest time for the upload with all attempts, in seconds. An error of the file itself,
        and one that on_progress raises, is raised as it is.
        """
        deadline = Deadline(timeout, "the file was not uploaded in time")
        source = io.BytesIO(file) if isinstance(file, bytes) else file
        start = source.tell()
        total = source.seek(0, io.SEEK_END) - start
        headers = {"Content-Type": content_type, "Content-Length": str(total)}

        for addresses in itertools.count(1):
            path, members = "/print-request/v1/print/files/upload-url", ("uploadId", "url")
            upload = self._session.call("GET", path, deadline=deadline, members=members)

            def put() -> bytes:
                source.seek(start)
                body = _Counted(source, total, on_progress or (lambda sent, of: None), deadline)
                try:
                    request = Request(upload["url"], body, headers, method="PUT")
                    return self._session.exchange(request, deadline, math.inf)
                except DespatchError:
                    if body.fault is not None:
                        raise body.fault from None
                    raise

            try:
                self._session.persistently(True, put, deadline=deadline)
                return str(upload["uploadId"])
            except DespatchError as error:
                # an address works for minutes
                if error.status != 403 or addresses >= ADDRESSES_MAX:
                    raise
        raise AssertionError

    def submit_print_job(
        self, request: Mapping[str, Any], *, idempotency_key: Optional[str] = None, correlation_id: Optional[str] = None,
        on_warnings: Optional[Callable[[list[Json]], None]] = None,
    ) -> str:
        """Submit a print job and return its id.

        A lost answer does no harm: all attempts have one Idempotency-Key, so that Despatch creates one print job. To
        repeat a submission after a crash of your program, choose the key yourself and store it beforehand.

        on_warnings gets what is probably a mistake in the request although the print job is accepted, such as a
        misspelt member: dictionaries with code, title (the path of the member) and detail. It is not called if there is
        nothing.
        """
        options: Json = {"idempotency_key": idempotency_key or uuid.uuid4().hex, "correlation_id": correlation_id}
        created = self._session.call("POST", _JOBS, body=request, members=["id"], **options)
        if on_warnings is not None and created.get("warnings"):
            on_warnings(created["warnings"])
        return str(created["id"])

    def validate_print_job(self, request: Mapping[str, Any]) -> Json:
        """Return what would happen to a print job. Nothing is saved."""
        options: Json = {"is_repeatable": True, "members": ["verdict"]}
        return cast(Json, self._session.call("POST", f"{_JOBS}/validate", body=request, **options))

    def get_print_job(self, job_id: str, *, view: Optional[str] = None) -> Json:
        """Return a print job. The view "extended" also says when it will be printed and what it waits for."""
        return cast(Json, self._session.call("GET", _job_path(job_id), query={"view": view}, members=["status"]))

    def list_print_jobs(
        self, *, status: Optional[str] = None, created_from: Optional[str] = None, created_to: Optional[str] = None,
        reference: Optional[str] = None, only: Optional[str] = None, limit: Optional[int] = None,
    ) -> Iterator[Json]:
        """Yield print jobs, newest first. limit is the size of the pages that are fetched, at most 100."""
        dates = {"createdFrom": created_from, "createdTo": created_to}
        query = {"status": status, **dates, "reference": reference, "only": only, "limit": limit}
        cursor = None
        while True:
            page = self._session.call("GET", _JOBS, query={**query, "cursor": cursor}, members=["printJobs"])
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
        deadline = Deadline(timeout, f"print job {job_id} is of an unknown status, not yet {status}", cancelled)
        poll = FIRST_POLL_SECONDS
        while True:
            job = cast(Json, self._session.call("GET", _job_path(job_id), deadline=deadline, members=["status"]))
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
        return self._session.call(method, path, correlation_id=correlation_id, is_repeatable=is_repeatable, **options)


class _Counted:
    """A file that reports what was read of it. `fault` is the error of reading or reporting."""

    def __init__(
        self, file: BinaryIO, total: int, report: Callable[[int, int], None], deadline: Deadline
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


def _job_path(job_id: str) -> str:
    return _JOBS + "/" + urllib.parse.quote(job_id, safe="")


def _has_reached(status: str, wanted: str) -> bool:
    """Whether a print job with this status has reached the other, or is beyond it."""
    return status == wanted or (wanted in _WAY and status in _WAY and _WAY.index(status) > _WAY.index(wanted))
