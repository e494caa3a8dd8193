"""Questions to the league manager, and what has to be remembered of the answers."""

import json
import os
import time
import urllib.error
import urllib.request
import uuid
from datetime import datetime, timezone

PROTOCOL = "league.v2"


def envelope(message_type, sender, conversation_id=None, **more):
    return {
        "protocol": PROTOCOL,
        "message_type": message_type,
        "sender": sender,
        "timestamp": datetime.now(timezone.utc).isoformat(),
        "conversation_id": conversation_id or str(uuid.uuid4()),
        **{key: value for key, value in more.items() if value is not None},
    }


class Refused(Exception):
    """The manager answered, with an error."""

    def __init__(self, error):
        data = error.get("data") or {}
        self.name = data.get("error_code") or ""
        super().__init__(f"{self.name or error.get('code')}: {data.get('details') or error.get('message')}")


def ask(url, head, payload, timeout=10):
    # A question that is asked again in the same conversation has the same id: it is done once.
    body = {"jsonrpc": "2.0", "id": head["conversation_id"], "method": "league.handle"}
    body["params"] = {"envelope": head, "payload": payload}
    request = urllib.request.Request(
        url, json.dumps(body).encode(), {"Content-Type": "application/json"}, method="POST"
    )
    try:
        with urllib.request.urlopen(request, timeout=timeout) as response:
            answer = json.load(response)
    except urllib.error.HTTPError as error:
        answer = json.load(error)
    if "error" in answer:
        raise Refused(answer["error"])
    return answer["result"]["payload"]


def patiently(act, say, attempts=60):
    """Managers start late and are restarted; a player waits for them. What the manager refuses may be different later."""
    for attempt in range(attempts):
        try:
            return act()
        except Refused as refused:
            if refused.name != "PRECONDITION_FAILED" or attempt + 1 == attempts:
                raise
        except (OSError, ValueError) as error:
            if attempt + 1 == attempts:
                raise
            if attempt == 0:
                say(f"The manager does not answer yet: {error}")
        time.sleep(min(2.0, 0.1 * 2**attempt))


class State:
    """What must outlive the process, in a file that only its owner can read: the token is a secret."""

    def __init__(self, path):
        self.path = path
        self.kept = {}
        if path and os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                self.kept = json.load(file)

    def keep(self, **values):
        self.kept = {**self.kept, **values}
        if not self.path:
            return
        new = f"{self.path}.new"
        with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
            json.dump(self.kept, file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(new, self.path)
