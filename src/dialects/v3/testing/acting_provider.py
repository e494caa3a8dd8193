"""A provider of the third generation that does what the test at the other end of a socket directs."""

import asyncio
import json
import os
import signal


class Busy(Exception):
    retry_after = 7


class ActingProvider:
    def __init__(self, port):
        self.port = port

    async def execute_task(self, task_type, parameters):
        method = parameters.pop("function")
        call = {"id": None, "method": method, "headers": {}, "params": parameters}
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port, limit=2**26)
        writer.write((json.dumps(call) + "\n").encode())
        act = json.loads(await reader.readline() or b"null")
        writer.close()
        if act is None or act["act"] == "cut":
            os.kill(os.getpid(), signal.SIGKILL)
        if act["act"] == "busy":
            raise Busy("too much")
        if act["act"] == "garbage":
            return object()
        if act["act"] == "error":
            raise RuntimeError(act["message"]) if act["how"] == "passing" else ValueError(act["message"])
        return {"result": act["value"]}
