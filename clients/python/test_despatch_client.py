"""Run against a Despatch by test/e2e/clients.test.ts, which sets DESPATCH_URL and the credentials."""

import io
import os
import pathlib
import threading
import time
import unittest
import urllib.request
from concurrent.futures import ThreadPoolExecutor

from despatch_client import ConsumerClient, DespatchError
from despatch_client.session import NoRedirects

BASE_URL = os.environ["DESPATCH_URL"]
CREDENTIALS = {
    "user_name": os.environ["DESPATCH_USER"],
    "password": os.environ["DESPATCH_PASSWORD"],
    "api_key": os.environ["DESPATCH_API_KEY"],
}
SLOW = os.environ["DESPATCH_SLOW_CONSUMER"].split(" ")
LETTER = pathlib.Path(__file__).parents[2] / "docs/examples/letter.pdf"


def a_letter(reference, **details):
    address = {"unstructuredAddress": {"line1": "1 High Street", "postcode": "AB1 2CD"}}
    params = {"jobType": "LETTER", "templateReference": "LETTER", "recipientName": "Ms Ada Example"}
    return {"standardParams": {**params, "address": address, "businessIdentifier": reference}, **details}


class Intercepting:
    """Calls a function with each request and what sends it."""

    def __init__(self, intercept):
        self._intercept, self._opener = intercept, urllib.request.build_opener(NoRedirects())

    def open(self, request, data=None, timeout=None):
        return self._intercept(request, lambda: self._opener.open(request, timeout=timeout))


def intercepted(intercept, **options):
    return ConsumerClient(BASE_URL, **CREDENTIALS, opener=Intercepting(intercept), **options)


def losing(method):
    """Loses the first two answers to requests of a method, after the work is done."""
    left = [2]

    def intercept(request, send):
        answer = send()
        if request.method != method or request.selector.endswith("/authenticate") or left[0] == 0:
            return answer
        left[0] -= 1
        answer.close()
        raise ConnectionResetError

    return intercepted(intercept)


class AgainstDespatch(unittest.TestCase):
    def setUp(self):
        self.client = ConsumerClient(BASE_URL, **CREDENTIALS)

    def ids_of(self, reference, **options):
        return [job["id"] for job in self.client.list_print_jobs(reference=reference, **options)]

    def test_a_file_is_uploaded_and_submitted(self):
        progress = []
        report = lambda sent, total: progress.append(sent / total)
        with LETTER.open("rb") as file:
            upload_id = self.client.upload_file(file, content_type="application/pdf", on_progress=report)
        held = {"sendControl": {"hold": True}, "fileParams": [{"fileId": "letter", "uploadId": upload_id}]}
        job_id = self.client.submit_print_job(a_letter("py-file", **held))
        job = self.client.wait_for_status(job_id, "PENDING")

        self.assertEqual((progress[0], progress[-1], progress), (0, 1, sorted(progress)))
        self.assertEqual((job["status"], job["fileParams"]), ("PENDING", [{"fileId": "letter"}]))
        self.client.delete_print_job(job_id)

    def test_what_is_probably_a_mistake_is_told(self):
        told = []
        self.client.submit_print_job(a_letter("py-warned", callbackParam={}), on_warnings=told.append)

        codes = [[warning["code"] for warning in warnings] for warnings in told]
        self.assertEqual(codes, [["UnknownMember", "LetterWithoutFile"]])
        self.assertIn("Did you mean callbackParams?", told[0][0]["detail"])

    def test_lost_answers_do_no_harm(self):
        held = a_letter("py-lost", sendControl={"hold": True})
        job_id = losing("POST").submit_print_job(held)
        self.assertEqual(self.ids_of("py-lost"), [job_id])

        self.client.wait_for_status(job_id, "PENDING")
        for client, in_doubt in ((losing("DELETE"), True), (self.client, False)):
            with self.assertRaises(DespatchError) as raised:
                client.delete_print_job(job_id)
            error = raised.exception
            self.assertEqual((error.status, error.code, error.may_have_taken_effect), (404, "5", in_doubt))

    def test_only_what_may_be_repeated_is_sent_again(self):
        calls = []

        def intercept(request, send):
            if request.selector.endswith("/authenticate"):
                return send()
            calls.append(request.get_header("Idempotency-key"))
            raise ConnectionResetError

        client = intercepted(intercept, attempts_max=2)
        for options in ({}, {"idempotency_key": "k"}):
            with self.assertRaises(DespatchError) as raised:
                client.call("POST", "/a", body={}, **options)
            self.assertTrue(raised.exception.may_have_taken_effect)
        self.assertEqual(calls, [None, "k", "k"])

    def test_an_expired_token_is_renewed_once_for_all_threads(self):
        sign_ins = []

        def intercept(request, send):
            if request.selector.endswith("/authenticate"):
                sign_ins.append(1)
            elif len(sign_ins) < 2:
                request.add_header("Authorization", "Bearer expired")
            return send()

        client = intercepted(intercept)
        with ThreadPoolExecutor(3) as pool:
            pages = list(pool.map(lambda _: next(client.list_print_jobs(), None), range(3)))
        self.assertEqual((len(sign_ins), len(pages)), (2, 3))

    def test_a_client_over_its_limit_waits(self):
        refusals = []

        def intercept(request, send):
            try:
                return send()
            except urllib.request.HTTPError as error:
                refusals.append((error.code, error.headers.get("Retry-After")))
                raise

        client = ConsumerClient(BASE_URL, *SLOW, opener=Intercepting(intercept))
        self.assertEqual([list(client.list_print_jobs()) for _ in range(3)], [[], [], []])
        self.assertIn((429, "1"), refusals)

    def test_a_wait_ends_at_its_deadline_and_when_it_is_cancelled(self):
        job_id = self.client.submit_print_job(a_letter("py-held", sendControl={"hold": True}))
        with self.assertRaises(DespatchError) as raised:
            self.client.wait_for_status(job_id, timeout=0)
        self.assertEqual(raised.exception.kind, "timeout")
        cancelled = threading.Event()
        cancelled.set()
        began = time.monotonic()
        with self.assertRaises(DespatchError):
            self.client.wait_for_status(job_id, cancelled=cancelled)
        self.assertLess(time.monotonic() - began, 60)

    def test_a_list_is_read_page_by_page_and_a_dry_run_says_what_would_be(self):
        ids = [self.client.submit_print_job(a_letter("py-listed")) for _ in range(3)]
        self.assertEqual(self.ids_of("py-listed", limit=1), ids[::-1])
        self.assertEqual(self.client.validate_print_job(a_letter("py"))["verdict"], "accepted")
        self.client.upload_file(b"")
        self.client.upload_file(io.BytesIO(b"x" * 100_000))

    def test_a_refusal_lists_every_violation(self):
        with self.assertRaises(DespatchError) as raised:
            self.client.submit_print_job({"standardParams": {}})
        error = raised.exception
        self.assertEqual((error.kind, error.status, error.code), ("refused", 400, "NotNull"))
        self.assertGreater(len(error.problems), 1)
        self.assertTrue(error.correlation_id)

    def test_no_error_shows_a_secret(self):
        broken = {**CREDENTIALS, "api_key": "key\nwith a break"}
        with self.assertRaisesRegex(ValueError, "^api_key (?!.*with a)"):
            ConsumerClient(BASE_URL, **broken)
        with self.assertRaisesRegex(ValueError, "^(?!.*secret)"):
            ConsumerClient("http://ada:secret@a.example", **CREDENTIALS)


if __name__ == "__main__":
    unittest.main()
