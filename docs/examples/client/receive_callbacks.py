"""Receives callbacks at a port and verifies them. DESPATCH_CALLBACK_SECRETS: your secrets, separated by spaces."""

import os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from despatch_client import DespatchError, verify_callback

secrets = os.environ["DESPATCH_CALLBACK_SECRETS"].split(" ")
processed = set()


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        try:
            message = verify_callback(self.headers, body, secrets)
        except DespatchError:
            self.answer(401)
            return
        # a real receiver saves the id with the effect of the message, in one transaction
        if message["id"] not in processed:
            data = message["data"]
            print(message["type"], data.get("jobId", ""), data.get("jobStatus", ""), flush=True)
        processed.add(message["id"])
        self.answer(204)

    def answer(self, status):
        self.send_response(status)
        self.end_headers()

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "9090"))), Receiver)
print(f"listens at http://127.0.0.1:{server.server_port}/callbacks", flush=True)
server.serve_forever()
