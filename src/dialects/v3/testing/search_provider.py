"""Providers as the third generation had them, for the tests of the type `v3`."""

import asyncio
import os
import sys


class SearchProvider:
    def __init__(self, greeting="hello", api_key=None, marks=None):
        self.greeting = greeting
        self.api_key = api_key
        self.marks = marks
        self.ready = False

    async def initialize(self):
        print("getting ready")  # Never among the answers.
        self.ready = True

    async def cleanup(self):
        if self.marks:
            with open(self.marks, "a", encoding="utf-8") as marks:
                marks.write("cleaned up\n")

    async def execute_task(self, task_type, parameters):
        assert task_type == "function"
        name = parameters["function"]
        if name == "web_search":
            os.write(1, b"noise of a library\n")
            return {"result": {"results": [f"{self.greeting} {parameters['query']}"], "ready": self.ready}}
        if name == "whoami":
            return {"pid": os.getpid(), "key": self.api_key, "environment": sorted(os.environ)}
        if name == "die_once":
            if not os.path.exists(self.marks):
                open(self.marks, "w").close()
                os._exit(9)
            return {"result": "alive"}
        if name == "wait":
            await asyncio.sleep(60)
        if name == "raise":
            raise {
                "value": ValueError(f"not with the key {self.api_key}"),
                "timeout": asyncio.TimeoutError("too slow"),
                "connection": ConnectionRefusedError("nobody there"),
                "other": RuntimeError("out of order"),
                "cancelled": asyncio.CancelledError("given up inside"),
                "exit": SystemExit("enough"),
                "interrupt": KeyboardInterrupt(),
            }[parameters["what"]]
        if name == "unwritable":
            return {"result": object()}
        raise ValueError(f"unknown function {name}")


class PlainProvider:
    """Without async, initialize and cleanup."""

    def execute_task(self, task_type, parameters):
        return {"task_type": task_type, "function": parameters.pop("function"), "parameters": parameters}


class Broken:
    def __init__(self):
        raise RuntimeError("no service")

    def execute_task(self, task_type, parameters):
        return None


class NoProvider:
    pass


print("imported", file=sys.stderr)
