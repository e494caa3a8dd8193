"""A program that does one thing a test directs it to, and ends. What outlives it is kept by the test, over a socket."""

import json
import os
import signal
import socket
import sys

file = os.environ.get("GLEITZEIT_PARAMS_FILE")
with open(file, encoding="utf-8") if file else sys.stdin as told:
    params = json.load(told)
call = {
    "id": os.environ["GLEITZEIT_CALL_ID"],
    "method": os.environ["GLEITZEIT_METHOD"],
    "headers": {name: value for name, value in os.environ.items() if name.startswith(("PEER_", "TRACE"))},
    "params": params,
}
port = int(sys.argv[1])
with socket.create_connection(("127.0.0.1", port)) as line:
    line.sendall((json.dumps(call) + "\n").encode())
    act = json.loads(line.makefile("r", encoding="utf-8").readline() or "null")

if act is None or act["act"] == "cut":
    os.kill(os.getpid(), signal.SIGKILL)
if act["act"] == "result":
    json.dump(act["value"], sys.stdout)
elif act["act"] == "garbage":
    print("<html>not here</html>")
elif act["act"] == "error":
    print(json.dumps({"error": {"message": act["message"]}}))
    sys.exit(75 if act["how"] == "passing" else 1)
elif act["act"] == "busy":
    print(json.dumps({"error": {"message": "too much", "retry_after_ms": act["ms"]}}))
    sys.exit(75)
