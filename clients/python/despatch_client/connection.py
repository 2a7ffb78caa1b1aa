"""Connections on which no wait is longer than the deadline of the request."""

from __future__ import annotations

import io
import math
import socket
import urllib.request
from typing import Any

from .deadline import Deadline


class Request(urllib.request.Request):
    """A request with the deadline of its attempt."""

    deadline = Deadline()


class LimitedHandler(urllib.request.HTTPHandler, urllib.request.HTTPSHandler):
    """Opens http and https. The timeout of a socket is for each piece that comes, the deadline for all of them."""

    def do_open(self, http_class: Any, req: Any, **options: Any) -> Any:
        class Connection(http_class):
            def connect(self) -> None:
                super().connect()
                self.sock = _LimitedSocket(self.sock, req.deadline)

            def request(self, *given: Any, **named: Any) -> None:
                try:
                    super().request(*given, **named)
                except ConnectionError:
                    # A server may answer and close before it has read everything: its answer is read next.
                    if self.sock is None:
                        raise

        return super().do_open(Connection, req, **options)


class _LimitedSocket:
    """What http.client uses of a socket once it is connected."""

    def __init__(self, connected: socket.socket, deadline: Deadline) -> None:
        self._socket, self._deadline = connected, deadline
        self._timeout = connected.gettimeout() or math.inf
        self.close = connected.close

    def limit(self) -> None:
        self._socket.settimeout(self._deadline.left(self._timeout))

    def sendall(self, data: bytes) -> None:
        self.limit()
        self._socket.sendall(data)

    def makefile(self, *_: Any) -> io.BufferedReader:
        return io.BufferedReader(_LimitedReader(self._socket.makefile("rb", buffering=0), self.limit))


class _LimitedReader(io.RawIOBase):
    def __init__(self, pieces: io.RawIOBase, limit: Any) -> None:
        self._pieces, self._limit = pieces, limit

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> Any:
        self._limit()
        return self._pieces.readinto(buffer)

    def close(self) -> None:
        self._pieces.close()
        super().close()
