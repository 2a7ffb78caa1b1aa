"""The rules of the client and its connections, without a Despatch."""

import base64
import contextlib
import hmac
import http.server
import io
import json
import threading
import time
import traceback
import unittest
import urllib.request
from concurrent.futures import ThreadPoolExecutor

from despatch_client import ConsumerClient, DespatchError, verify_callback
from despatch_client.errors import parse_retry_after
from despatch_client.retry import pause_after, use_token_for


class Answer(io.BytesIO):
    """A 200 with a body."""


class Api:
    """Signs everybody in, gives addresses of a store, and answers other requests with a function."""

    def __init__(self, answer, sign_in=None):
        self.sign_ins, self.requests = 0, []
        self._answer, self._sign_in = answer, sign_in or (lambda: Answer(b'{"id-token": "t"}'))

    def open(self, request, data=None, timeout=None):
        if request.selector.endswith("/authenticate"):
            self.sign_ins += 1
            return self._sign_in()
        if request.selector.endswith("/upload-url"):
            return Answer(b'{"uploadId": "u", "url": "http://store.example/file"}')
        self.requests.append(timeout)
        return self._answer(request, timeout)


def refusal(status):
    return urllib.request.HTTPError("https://a.example", status, "no", {}, io.BytesIO(b""))


def client_of(api, **options):
    return ConsumerClient("https://a.example", "ada", "p", "k", opener=api, **options)


def stuck(request, timeout):
    time.sleep(timeout)
    raise TimeoutError


@contextlib.contextmanager
def a_server(answer, sign_in=None):
    """Yields the address of a server, whose answers are written by a function, and what it was asked."""
    asked = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def handle_one_request(self):
            self.raw_requestline = self.rfile.readline()
            if self.parse_request():
                if self.command != "PUT":
                    self.rfile.read(int(self.headers.get("Content-Length", 0)))
                is_sign_in = self.path.endswith("/authenticate")
                if not is_sign_in:
                    asked.append(self)
                with contextlib.suppress(ConnectionError):
                    (sign_in or signed_in if is_sign_in else answer)(self.wfile.write)
            self.close_connection = True

        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,)).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}", asked
        finally:
            server.shutdown()


def announced(body, status="200 OK", length=None):
    return f"HTTP/1.1 {status}\r\nContent-Length: {len(body) if length is None else length}\r\n\r\n{body}".encode()


def signed_in(write):
    write(announced('{"id-token": "t"}'))


def dripping(begin):
    """Writes bytes without an end, each long before the time of a client is over."""

    def answer(write):
        write(begin)
        until = time.monotonic() + 8
        while time.monotonic() < until:
            time.sleep(0.02)
            write(b"x")

    return answer


class Connections(unittest.TestCase):
    def client_of(self, url, **options):
        return ConsumerClient(url, "ada", "p", "k", **options)

    def error_of(self, run):
        began = time.monotonic()
        with self.assertRaises(DespatchError) as raised:
            run()
        self.assertLess(time.monotonic() - began, 4)
        return raised.exception

    def test_a_submission_whose_answer_breaks_off_is_repeated_with_its_key(self):
        body = '{"id": "j1"}'
        answers = [
            announced("", length=12), announced(body[:-1], length=12),
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n",
            b"HTTP/1.1 200 OK\r\n\r\n", announced(body),
        ]
        with a_server(lambda write: write(answers[len(asked) - 1])) as (url, asked):
            self.assertEqual(self.client_of(url).submit_print_job({}), "j1")
            self.assertEqual(len({request.headers["Idempotency-Key"] for request in asked}), 1)
            self.assertEqual(len(asked), 5)

            asked.clear()
            error = self.error_of(lambda: self.client_of(url).call("POST", "/a", body={}))
            self.assertEqual((error.kind, error.may_have_taken_effect, len(asked)), ("unreachable", True, 1))

    def test_a_store_may_refuse_a_file_before_it_has_read_it(self):
        puts = []

        def answer(write):
            request = asked[-1]
            if request.command == "GET":
                return write(announced(json.dumps({"uploadId": f"u{len(puts)}", "url": url + "/file"})))
            puts.append(request)
            if len(puts) == 1:
                return write(announced("", "403 Forbidden"))
            left = int(request.headers["Content-Length"])
            while left:
                left -= len(request.rfile.read1(left))
            write(announced(""))

        with a_server(answer) as (url, asked):
            self.assertEqual(self.client_of(url).upload_file(bytes(32_000_000)), "u1")
            self.assertEqual(len(puts), 2)

    def test_the_time_of_an_attempt_is_for_each_part_of_its_answer(self):
        refused = announced("", "400 Bad Request", length=100_000)
        for answer, kind in ((refused, "refused"), (b"HTTP/1.1 200 OK\r\nX: ", "timeout")):
            with a_server(dripping(answer)) as (url, _):
                client = self.client_of(url, timeout=0.3, attempts_max=1)
                error = self.error_of(lambda: client.get_print_job("x"))
                self.assertEqual((error.kind, error.status), (kind, 400 if kind == "refused" else None))
            with a_server(signed_in, sign_in=dripping(answer)) as (url, _):
                client = self.client_of(url, timeout=0.3, attempts_max=1)
                self.assertEqual(self.error_of(lambda: client.get_print_job("x")).kind, kind)
        with a_server(dripping(refused)) as (url, _):
            client = self.client_of(url)
            self.assertEqual(self.error_of(lambda: client.wait_for_status("x", timeout=0.3)).kind, "timeout")

    def test_a_timeout_may_be_longer_than_a_socket_can_wait(self):
        with a_server(lambda write: write(announced('{"id": "x", "status": "REJECTED"}'))) as (url, _):
            for timeout in (float("inf"), 1e11, 3_000_000):
                client = self.client_of(url, timeout=timeout)
                self.assertEqual(client.wait_for_status("x", timeout=timeout)["id"], "x")


class Transport(unittest.TestCase):
    def kind_of(self, run):
        with self.assertRaises(DespatchError) as raised:
            run()
        return raised.exception.kind

    def test_a_wait_ends_at_its_deadline_when_despatch_does_not_answer(self):
        api, began = Api(stuck), time.monotonic()
        self.assertEqual(self.kind_of(lambda: client_of(api).wait_for_status("x", timeout=0.2)), "timeout")
        self.assertLess(time.monotonic() - began, 5)
        self.assertLessEqual(max(api.requests), 0.2)

    def test_a_wait_ends_at_its_deadline_when_despatch_refuses(self):
        def refuse(request, timeout):
            raise refusal(503)

        began = time.monotonic()
        wait = lambda: client_of(Api(refuse)).wait_for_status("x", timeout=0.3)
        self.assertEqual(self.kind_of(wait), "timeout")
        self.assertLess(time.monotonic() - began, 5)

    def test_an_answer_that_comes_in_drops_is_a_timeout(self):
        class Dripping(Answer):
            def read1(self, size=-1):
                time.sleep(0.05)
                return b" "

        api = Api(lambda request, timeout: Dripping())
        client = client_of(api, timeout=0.2, attempts_max=1)
        self.assertEqual(self.kind_of(lambda: client.get_print_job("x")), "timeout")

    def test_threads_that_wait_for_a_sign_in_share_its_failure(self):
        class Lock:
            """Counts those that want it."""

            wanted, lock, counting = 0, threading.Lock(), threading.Lock()

            def acquire(self, timeout=-1):
                with self.counting:
                    self.wanted += 1
                return self.lock.acquire(timeout=timeout)

            def release(self):
                self.lock.release()

        lock = Lock()

        def refuse():
            while lock.wanted < 4:
                time.sleep(0.001)
            raise refusal(401)

        api = Api(lambda request, timeout: Answer(b"{}"), sign_in=refuse)
        client = client_of(api)
        client._session._signing_in = lock
        call = lambda _: self.kind_of(lambda: client.get_print_job("x"))
        with ThreadPoolExecutor(4) as pool:
            self.assertEqual(list(pool.map(call, range(4))), ["refused"] * 4)
        self.assertEqual(api.sign_ins, 1)

    def test_an_upload_renews_an_expired_address_and_has_one_deadline(self):
        statuses = [403]

        def store(request, timeout):
            request.data.read()
            if statuses:
                raise refusal(statuses.pop())
            return Answer(b"")

        self.assertEqual(client_of(Api(store)).upload_file(b"hello"), "u")
        began = time.monotonic()
        upload = lambda: client_of(Api(stuck)).upload_file(b"hello", timeout=0.2)
        self.assertEqual(self.kind_of(upload), "timeout")
        self.assertLess(time.monotonic() - began, 5)

    def test_a_fault_of_the_program_is_raised_as_it_is(self):
        def read(request, timeout):
            request.data.read()

        api = Api(read)
        for error in (OSError("no disk"), ValueError("closed")):

            def fail(sent, total, error=error):
                if sent:
                    raise error

            with self.assertRaises(type(error)) as raised:
                client_of(api).upload_file(b"hello", on_progress=fail)
            self.assertIs(raised.exception, error)
        self.assertEqual(len(api.requests), 2)
        for options in ({"timeout": -1}, {"timeout": float("nan")}, {"attempts_max": 0}):
            with self.assertRaises(ValueError):
                client_of(api, **options)
        with self.assertRaisesRegex(ValueError, "^X-Correlation-Id"):
            client_of(api).call("GET", "/a", correlation_id="a\nb")

    def test_an_answer_without_a_member_that_is_needed_is_an_error(self):
        without = lambda request, timeout: Answer(b'["id"]')
        client = client_of(Api(without), attempts_max=1)
        calls = {
            "id": lambda: client.submit_print_job({}),
            "printJobs": lambda: next(client.list_print_jobs()),
            "status": lambda: client.wait_for_status("x"),
            "id-token": lambda: client_of(Api(without, lambda: Answer(b"{}")), attempts_max=1).get_print_job("x"),
        }
        for member, call in calls.items():
            with self.assertRaisesRegex(DespatchError, f"^an answer has no {member}$") as raised:
                call()
            self.assertEqual(raised.exception.kind, "unreachable")

    def test_a_request_whose_sign_in_failed_has_not_taken_effect_unless_an_earlier_attempt_may_have(self):
        def answer(request, timeout):
            raise refusal(statuses.pop(0))

        for statuses, in_doubt in (([], False), ([401], False), ([500, 401], True)):
            sign_ins = [Answer(b'{"id-token": "t"}')] if statuses else []
            api = Api(answer, lambda: sign_ins.pop() if sign_ins else Answer(b"{}"))
            with self.assertRaisesRegex(DespatchError, "no id-token") as raised:
                client_of(api, attempts_max=2).submit_print_job({})
            self.assertEqual(raised.exception.may_have_taken_effect, in_doubt)

    def test_an_answer_that_is_not_json_does_not_appear_in_the_error(self):
        api = Api(None, sign_in=lambda: Answer(b'{"id-token": "the token'))
        with self.assertRaises(DespatchError) as raised:
            client_of(api, attempts_max=1).get_print_job("x")
        error = raised.exception
        self.assertEqual((str(error), error.kind), ("an answer is not JSON", "unreachable"))
        shown = "".join(traceback.format_exception(type(error), error, error.__traceback__))
        self.assertNotIn("the token", shown.replace("# ", ""))
        self.assertTrue(error.__suppress_context__)


class Rules(unittest.TestCase):
    def test_headers_of_a_callback_come_in_any_case_and_as_lists(self):
        key = b"a secret"
        body = b'{"id": "m1"}'
        secret = "whsec_" + base64.b64encode(key).decode()
        signed = "v1," + base64.b64encode(hmac.digest(key, b"m1.100." + body, "sha256")).decode()
        rest = {"webhook-id": "m1", "webhook-timestamp": "100"}
        upper = {"Webhook-Id": "m1", "WEBHOOK-TIMESTAMP": "100", "Webhook-Signature": signed}
        for headers in ({**rest, "webhook-signature": signed}, upper, {**rest, "webhook-signature": [signed]}):
            self.assertEqual(verify_callback(headers, body, [secret], now=100)["id"], "m1")
        for headers in (
            {}, rest, {**rest, "webhook-signature": None},
            {**rest, "webhook-id": ["m1", "m2"], "webhook-signature": signed},
            {**rest, "Webhook-Id": "m2", "webhook-signature": signed},
        ):
            with self.assertRaises(DespatchError) as raised:
                verify_callback(headers, body, [secret], now=100)
            self.assertEqual(raised.exception.kind, "not-verified")

    def test_retry_after_is_seconds_or_a_date(self):
        values = {None: None, "12": 12, " 0 ": 0, "Thu, 01 Jan 1970 00:01:30 GMT": 0, "soon": None}
        self.assertEqual({value: parse_retry_after(value) for value in values}, values)

    def test_a_token_is_used_until_a_minute_before_its_end(self):
        self.assertEqual(use_token_for("e30.eyJpYXQiOjUsImV4cCI6MzYwNX0.x"), 3_540)
        self.assertEqual(use_token_for("e30.eyJpYXQiOjUsImV4cCI6NX0.x"), float("inf"))
        self.assertEqual(use_token_for("opaque"), float("inf"))

    def test_pauses_double_up_to_half_a_minute(self):
        error = DespatchError("no", kind="unreachable")
        self.assertEqual([pause_after(error, attempt, 0) for attempt in (1, 2, 8, 9_999)], [0.2, 0.4, 25.6, 30])


class WhereCredentialsMayGo(unittest.TestCase):
    def test_not_over_http_to_other_machines(self):
        for address in ("http://despatch.example", "http://10.0.0.1:8080", "http://localhost.example"):
            with self.subTest(address), self.assertRaisesRegex(ValueError, "^base_url must be an https address"):
                ConsumerClient(address, "ada", "p", "k")

    def test_over_https_to_this_machine_and_where_it_is_permitted(self):
        for address in ("https://despatch.example", "http://localhost:1", "http://127.1.2.3", "http://[::1]:8080"):
            with self.subTest(address):
                ConsumerClient(address, "ada", "p", "k")
        ConsumerClient("http://despatch.example", "ada", "p", "k", allow_insecure_http=True)


if __name__ == "__main__":
    unittest.main()
