"""A player of the league: JSON-RPC 2.0 at POST /mcp. Python 3.9 or later, nothing to install."""

import json
import os
import random
import re
import signal
import sys
import threading
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from manager import PROTOCOL, Refused, State, ask, envelope, patiently
from moves import choose

MANAGER = os.environ.get("MANAGER_URL", "http://127.0.0.1:9300/mcp")
PLAYER = os.environ.get("PLAYER_ID", "python")
HOST = os.environ.get("HOST", "127.0.0.1")
SEED = os.environ.get("SEED", "1")
SELF = f"player:{PLAYER}"
MAX_BODY = 1024 * 1024
UUID4 = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}", re.I)
UTC = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|\+00:00)")


def say(text):
    print(text, flush=True)


class Fault(Exception):
    def __init__(self, code, name, details):
        self.code, self.name, self.details = code, name, details
        super().__init__(details)


class Player:
    def __init__(self, state):
        self.state = state
        self.tokens = dict(state.kept.get("matches", {}))  # match_id -> what its referee shows
        self.invited = {}  # match_id -> who invited, where no token was announced
        self.games = {}  # match_id -> game_type, for referees that name it only once
        self.lock = threading.Lock()
        self.results = {"win": 0, "loss": 0, "draw": 0}

    def handle(self, head, payload):
        """The message_type and the payload of the answer."""
        self.check(head)
        kind = head["message_type"]
        if kind == "ROUND_ANNOUNCEMENT":
            return self.announced(head, payload)
        if kind not in ("GAME_INVITATION", "REQUEST_MOVE", "GAME_OVER"):
            raise Fault(-32600, "INVALID_MESSAGE_TYPE", "a player is not asked this")
        match = self.from_referee(head)
        if kind == "GAME_INVITATION":
            return "GAME_JOIN_ACK", {"status": "accepted", "match_id": match}
        if kind == "GAME_OVER":
            outcome = payload.get("outcome")
            if outcome in self.results:
                self.results[outcome] += 1
            return "GAME_OVER_ACK", {"status": "acknowledged", "match_id": match}
        step, context = payload.get("step_number"), payload.get("step_context")
        if not isinstance(context, dict):
            raise Fault(-32602, "MISSING_REQUIRED_FIELD", "Missing required field: step_context")
        chance = random.Random(f"{SEED}/{PLAYER}/{match}/{step}")
        game = head.get("game_type") or self.games.get(match, "")
        return "MOVE_RESPONSE", {"move_payload": choose(game, context, chance)}

    def check(self, head):
        for field in ("protocol", "message_type", "sender", "timestamp", "conversation_id", "auth_token"):
            if not isinstance(head.get(field), str):
                raise Fault(-32600, "MISSING_REQUIRED_FIELD", f"Missing required field: {field}")
        if head["protocol"] != PROTOCOL:
            raise Fault(-32600, "INVALID_PROTOCOL_VERSION", f"protocol must be {PROTOCOL}")
        if not UTC.fullmatch(head["timestamp"]):
            raise Fault(-32600, "INVALID_TIMESTAMP", "timestamp must be ISO-8601 in UTC")
        if not UUID4.fullmatch(head["conversation_id"]):
            raise Fault(-32600, "INVALID_ENVELOPE_FIELD", "conversation_id must be a UUID v4")

    def from_referee(self, head):
        """Hub and spoke: only the referee of a match speaks to its players, and shows the token that was announced."""
        match = head.get("match_id")
        if not match:
            raise Fault(-32600, "MISSING_REQUIRED_FIELD", "Missing required field: match_id")
        if not head["sender"].startswith("referee:"):
            raise Fault(-32600, "AUTHORIZATION_FAILED", "only a referee asks this")
        shown = (head["sender"], head["auth_token"])
        with self.lock:
            if match in self.tokens:
                if self.tokens[match] != head["auth_token"]:
                    raise Fault(-32600, "AUTHENTICATION_FAILED", "this is not the token of the match")
            elif head["message_type"] == "GAME_INVITATION":
                self.invited.setdefault(match, set()).add(shown)
            elif shown not in self.invited.get(match, ()):
                raise Fault(-32000, "INVALID_MATCH_ID", "nobody has invited to this match")
            if head.get("game_type"):
                self.games[match] = head["game_type"]
        return match

    def announced(self, head, payload):
        if head["sender"] != "league_manager":
            raise Fault(-32600, "AUTHORIZATION_FAILED", "only the league manager announces rounds")
        if head["auth_token"] != self.state.kept.get("auth_token"):
            raise Fault(-32600, "AUTHENTICATION_FAILED", "the token is not the one that the manager has given")
        found = {
            match["match_id"]: match["match_token"]
            for match in payload.get("matches", [])
            if PLAYER in match.get("players", []) and match.get("match_token")
        }
        with self.lock:
            self.tokens.update(found)
            self.state.keep(matches=found)
        return "ROUND_ANNOUNCEMENT_ACK", {"status": "acknowledged"}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1  # head and body leave together

    def do_GET(self):
        if self.path == "/health":
            return self.answer(200, {"status": "ok"})
        if self.path == "/status":
            return self.answer(200, {"player_id": PLAYER, "results": self.server.player.results})
        return self.answer(404, {"error": "not found"})

    def do_POST(self):
        size = int(self.headers.get("Content-Length") or 0)
        if self.path != "/mcp" or size > MAX_BODY:
            self.close_connection = True
            return self.answer(404 if self.path != "/mcp" else 413, {"error": "not here"})
        try:
            message = json.loads(self.rfile.read(size))
        except ValueError:
            return self.failed(400, None, {}, Fault(-32700, "INVALID_JSON_RPC", "the body is no JSON"))
        known = message.get("id") if isinstance(message, dict) else None
        params = message.get("params") if isinstance(message, dict) else None
        if not isinstance(message, dict) or message.get("jsonrpc") != "2.0" or known is None:
            return self.failed(400, known, {}, Fault(-32600, "INVALID_JSON_RPC", "this is no JSON-RPC request"))
        head = params.get("envelope") if isinstance(params, dict) else None
        try:
            if message.get("method") != "league.handle":
                raise Fault(-32601, "INVALID_METHOD", "the method is league.handle")
            if not isinstance(head, dict):
                raise Fault(-32600, "MISSING_ENVELOPE", "params has no envelope")
            payload = params.get("payload")
            kind, said = self.server.player.handle(head, payload if isinstance(payload, dict) else {})
        except Fault as fault:
            return self.failed(200, known, head if isinstance(head, dict) else {}, fault)
        about = {key: head[key] for key in ("league_id", "round_id", "match_id", "game_type") if key in head}
        back = envelope(kind, SELF, head["conversation_id"], **about)
        return self.answer(200, {"jsonrpc": "2.0", "id": known, "result": {"envelope": back, "payload": said}})

    def failed(self, status, known, head, fault):
        shown = {key: value for key, value in head.items() if key != "auth_token"}
        data = {"envelope": shown, "details": fault.details, "error_code": fault.name}
        error = {"code": fault.code, "message": fault.details, "data": data}
        return self.answer(status, {"jsonrpc": "2.0", "id": known, "error": error})

    def answer(self, status, body):
        text = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)
        self.wfile.flush()

    def log_message(self, *args):
        pass


class Server(ThreadingHTTPServer):
    request_queue_size = 128
    daemon_threads = True


def register(state, url):
    """Once in its life: a player that was restarted goes on with the token it has."""
    if "auth_token" not in state.kept:
        # The same also after a crash: where only the answer was lost, it is given again.
        state.keep(registration=state.kept.get("registration") or str(uuid.uuid4()))
        head = lambda: envelope("REGISTER_PLAYER_REQUEST", SELF, state.kept["registration"])
        payload = {"player_id": PLAYER, "endpoint_url": url}
        given = patiently(lambda: ask(MANAGER, head(), payload), say)
        state.keep(auth_token=given["auth_token"], league_id=given["league_id"])
    say(f"Registered as {SELF} in {state.kept['league_id']}")
    told = {"auth_token": state.kept["auth_token"], "league_id": state.kept["league_id"]}
    try:
        patiently(lambda: ask(MANAGER, envelope("AGENT_READY_REQUEST", SELF, **told), {}), say)
    except Refused as refused:
        # Said again after a restart, or too late: it can play all the same.
        say(f"The manager did not want to hear that it is ready: {refused}")


def main():
    state = State(os.environ.get("STATE_FILE"))
    port = int(sys.argv[1] if len(sys.argv) > 1 else os.environ.get("PORT", "0")) or state.kept.get("port", 0)
    server = Server((HOST, port), Handler)
    server.player = Player(state)
    state.keep(port=server.server_port)
    url = os.environ.get("PUBLIC_URL", f"http://{HOST}:{server.server_port}/mcp")
    threading.Thread(target=server.serve_forever, daemon=True).start()
    say(f"Listening on {url}")
    ended = threading.Event()
    for name in (signal.SIGTERM, signal.SIGINT):
        signal.signal(name, lambda *_: ended.set())
    try:
        register(state, url)
    except (Refused, OSError, ValueError) as error:
        say(f"Not registered: {error}")
        return 1
    ended.wait()
    server.shutdown()
    return 0


if __name__ == "__main__":
    sys.exit(main())
