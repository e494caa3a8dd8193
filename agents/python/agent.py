"""An agent that Gleitzeit, or any A2A client, can call. Python 3.9 or later, nothing to install.

    python3 agent.py [port]      PORT, HOST, SKILL, TOKEN, PUBLIC_URL and STEP_MS are read from the environment

One address takes A2A 0.3, A2A 1.0 (a2a.py) and simple-a2a (below), told apart by what comes in.
"""

import hashlib
import hmac
import json
import math
import os
import re
import signal
import sys
import threading
import time
import traceback
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

from rpc import call, internal_error, parse_error, wrong_content_type
from skills import SKILLS, Ask, pick, text_of, to_json
from tasks import reason_of, stop_tasks

LARGEST_BODY = 1024 * 1024
MOST_CALLS = 64
STOP_SECONDS = 10

HOST = os.environ.get("HOST") or "127.0.0.1"
TOKEN = os.environ.get("TOKEN") or ""

# ---- The card: what others learn about this agent before they call it ---------------------------------------------


def card(version, url):
    # Clients of 0.3 look for members of their own, and ignore those of 1.0 that they do not know.
    pure = version.startswith("1")
    return {
        **({} if pure else {"protocolVersion": "0.3.0"}),
        "name": "sample-agent",
        "description": "A small agent to copy: it changes, counts and greets.",
        **({} if pure else {"url": url, "preferredTransport": "JSONRPC"}),
        "supportedInterfaces": [
            {"url": url, "protocolBinding": "JSONRPC", "protocolVersion": "1.0"},
            {"url": url, "protocolBinding": "JSONRPC", "protocolVersion": "0.3"},
        ],
        "version": "1.0.0",
        "capabilities": {"streaming": True, "pushNotifications": False},
        **(security(pure) if TOKEN else {}),
        "defaultInputModes": ["text/plain", "application/json"],
        "defaultOutputModes": ["text/plain"],
        "skills": [
            {"id": id, "name": id, "description": skill.description, "tags": ["text"], "examples": [skill.example]}
            for id, skill in SKILLS.items()
        ],
    }


def security(pure):
    if not pure:
        return {"securitySchemes": {"bearer": {"type": "http", "scheme": "bearer"}}, "security": [{"bearer": []}]}
    return {
        "securitySchemes": {"bearer": {"httpAuthSecurityScheme": {"scheme": "bearer"}}},
        "securityRequirements": [{"schemes": {"bearer": {"list": []}}}],
    }


# ---- simple-a2a: {task_id, input} → {task_id, status, output, error} ----------------------------------------------


class Job:
    stopped = threading.Event()  # of the whole program: a call of simple-a2a cannot be canceled

    def __init__(self):
        self.said = []

    def say(self, text):
        self.said.append(text)


def simple(body):
    task_id = body.get("task_id")
    if not isinstance(task_id, str) or task_id == "":
        return 400, {"task_id": None, "status": "error", "output": None, "error": "task_id must be a text"}
    job = Job()
    skill, text = pick(text_of(body.get("input")))
    try:
        result = skill.run(text, job)
        output = {"text": "\n".join([*job.said, result])}
        return 200, {"task_id": task_id, "status": "success", "output": output, "error": None}
    except Exception as error:
        # There is nobody to ask here: a question ends the call.
        reason = str(error) if isinstance(error, Ask) else reason_of(error)
        return 200, {"task_id": task_id, "status": "error", "output": None, "error": reason}


def is_simple(body):
    return isinstance(body, dict) and "jsonrpc" not in body and ("task_id" in body or "input" in body)


# ---- HTTP ---------------------------------------------------------------------------------------------------------


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    timeout = 30  # of a caller that sends nothing
    calls = threading.BoundedSemaphore(MOST_CALLS)

    def do_GET(self):
        path = urlsplit(self.path).path
        if path == "/health":
            self.send_json(200, {"status": "ok"})
        elif re.search(r"/\.well-known/agent(-card)?\.json$", path):
            self.send_card()
        else:
            self.refuse(405, "Send a POST", {"Allow": "POST"})

    def do_POST(self):
        if not self.is_allowed():
            return self.refuse(401, "Send the token", {"WWW-Authenticate": "Bearer"})
        if not self.calls.acquire(blocking=False):
            return self.refuse(503, "Too many calls at once", {"Retry-After": "1"})
        try:
            self.answer()
        except OSError:
            self.close_connection = True  # the caller is gone; its task goes on
        except Exception:
            traceback.print_exc()
            self.close_connection = True
            self.send_json(500, internal_error())
        finally:
            self.calls.release()

    def answer(self):
        if not re.match(r"application/json\s*(;|$)", self.headers.get("Content-Type", ""), re.IGNORECASE):
            return self.send_json(415, wrong_content_type(), {"Connection": "close"})
        length = self.headers.get("Content-Length", "")
        if not re.fullmatch("[0-9]{1,18}", length):
            return self.refuse(411, "Send Content-Length")
        if int(length) > LARGEST_BODY:
            return self.refuse(413, "At most %d bytes" % LARGEST_BODY)
        try:
            text = self.rfile.read(int(length)).decode("utf-8")
            body = json.loads(text, parse_float=finite, parse_constant=finite)
        except (ValueError, RecursionError):
            return self.send_json(200, parse_error())
        if is_simple(body):
            return self.send_json(*simple(body))
        result = call(body, self.version())
        if isinstance(result, (dict, list)):
            return self.send_json(200, result)
        self.send_events(result)

    def version(self):
        asked = parse_qs(urlsplit(self.path).query).get("A2A-Version", [""])
        return self.headers.get("A2A-Version", asked[0])

    def is_allowed(self):
        # In constant time, so that the token cannot be guessed letter by letter.
        given = self.headers.get("Authorization", "").encode("latin-1", "replace")
        return TOKEN == "" or hmac.compare_digest(given, b"Bearer " + TOKEN.encode())

    def send_card(self):
        url = os.environ.get("PUBLIC_URL") or "http://%s:%d/" % self.server.server_address[:2]
        shown = card(self.version(), url)
        etag = '"%s"' % hashlib.sha256(to_json(shown).encode()).hexdigest()[:32]
        # The card depends on a header, and caches have to know.
        headers = {"Cache-Control": "public, max-age=300", "ETag": etag, "Vary": "A2A-Version"}
        if self.headers.get("If-None-Match") != etag:
            return self.send_json(200, shown, headers)
        self.send_head(304, headers)

    def send_events(self, events):
        self.close_connection = True  # without a length, the end of the connection ends the answer
        self.send_head(200, {"Content-Type": "text/event-stream", "Cache-Control": "no-cache", "Connection": "close"})
        for event in events:
            # Proxies close what is silent for long. A comment is ignored by whoever reads events.
            text = ": keep-alive\n\n" if event is None else "data: %s\n\n" % to_json(event)
            self.wfile.write(to_bytes(text))
            self.wfile.flush()

    def refuse(self, status, error, headers=None):
        # The body may be unread: what follows on this connection would be taken for a request.
        self.send_json(status, {"error": error}, {**(headers or {}), "Connection": "close"})

    def send_json(self, status, value, headers=None):
        body = to_bytes(to_json(value))
        self.send_head(
            status, {"Content-Type": "application/json", "Content-Length": str(len(body)), **(headers or {})}
        )
        self.wfile.write(body)

    def send_head(self, status, headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        # By it, a call is found in the logs of both sides.
        correlation = self.headers.get("X-Correlation-ID", "")
        if re.fullmatch("[!-~]{1,200}", correlation):
            self.send_header("X-Correlation-ID", correlation)
        self.end_headers()

    def version_string(self):
        return "sample-agent"

    def log_message(self, *_args):
        pass


def finite(text):
    """Python would take NaN and Infinity, which are not JSON."""
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(text)
    return number


def to_bytes(text):
    # Half of a surrogate pair, which JSON can write and UTF-8 cannot, leaves as it came: as an escape.
    return text.encode("utf-8", "backslashreplace")


class Server(ThreadingHTTPServer):
    request_queue_size = 128


def main():
    if os.environ.get("SKILL") and os.environ["SKILL"] not in SKILLS:
        sys.exit("SKILL is one of %s." % ", ".join(SKILLS))
    port = int((sys.argv[1:] or [os.environ.get("PORT") or "9100"])[0])
    server = Server((HOST, port), Handler)
    print("Listening on http://%s:%d/" % server.server_address[:2], flush=True)
    # shutdown() waits for the loop that a signal interrupts, so it needs a thread of its own.
    for name in (signal.SIGTERM, signal.SIGINT):
        signal.signal(name, lambda *_args: threading.Thread(target=server.shutdown).start())
    server.serve_forever(poll_interval=0.1)
    # What runs is ended and its callers are answered: once all places are free, nobody waits any more.
    Job.stopped.set()
    stop_tasks()
    deadline = time.monotonic() + STOP_SECONDS
    free = [Handler.calls.acquire(timeout=max(0, deadline - time.monotonic())) for _ in range(MOST_CALLS)]
    os._exit(0 if all(free) else 1)


if __name__ == "__main__":
    main()
