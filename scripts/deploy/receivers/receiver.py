"""A receiver of webhooks in Python, without packages: DAYBOOK_SECRET=whsec_… python3 receiver.py 3000"""

import hashlib
import hmac
import json
import os
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SECRET = os.environ["DAYBOOK_SECRET"].encode()
MAX_AGE_SECONDS = 300
MAX_BODY_BYTES = 50_000_000


def is_signed(header: str, body: bytes) -> bool:
    """Whether one of the signatures in X-Service-Signature is right and not too old."""
    parts = [part.partition("=") for part in header.split(",")]
    seconds = next((value for name, _, value in parts if name == "t"), "")
    if not seconds.isdigit() or abs(time.time() - int(seconds)) > MAX_AGE_SECONDS:
        return False
    expected = hmac.new(SECRET, seconds.encode() + b"." + body, hashlib.sha256).hexdigest()
    return any(
        hmac.compare_digest(value.encode(), expected.encode()) for name, _, value in parts if name == "v1"
    )


class Receiver(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        length = int(self.headers.get("Content-Length", 0))
        if length > MAX_BODY_BYTES:
            self.answer(413)
            self.close_connection = True
            return
        # Verify the bytes as they came, before they are parsed.
        body = self.rfile.read(length)
        if not is_signed(self.headers.get("X-Service-Signature", ""), body):
            self.answer(401)
            return
        event = json.loads(body)
        # An event may come twice: remember the ids you have handled.
        print(event["type"], event["id"], flush=True)
        self.answer(204)

    def answer(self, status: int) -> None:
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


if __name__ == "__main__":
    server = ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Receiver)
    print("listening", server.server_address[1], flush=True)
    server.serve_forever()
