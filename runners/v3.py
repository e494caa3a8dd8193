"""Calls a provider that was written for the third generation, one JSON-RPC request a line.

Started by Gleitzeit as `python3 -I v3.py`. The variable GLEITZEIT_V3 says which class is meant: path, module, class and
options as one JSON object. A request `{"method": "web_search", "params": {...}}` becomes
`await provider.execute_task("function", {..., "function": "web_search"})`. Standard output is for answers alone; what the
provider prints goes to standard error.
"""

import asyncio
import importlib
import inspect
import json
import os
import signal
import sys
import threading
import traceback

FRAMES = 20
CLEANUP_SECONDS = 3
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
TROUBLE = -32000

# What the same call would meet again, however often it is made.
FINAL = (ValueError, TypeError, LookupError, AttributeError, NotImplementedError, PermissionError, ImportError, SyntaxError)


class Unloaded(Exception):
    """The class is not what the configuration says."""


class Unwritable(Exception):
    """A result that is no JSON."""


def kind_of(error):
    if isinstance(error, Unwritable):
        return "invalid_result"
    if isinstance(error, (TimeoutError, asyncio.TimeoutError)):
        return "timeout"
    if isinstance(error, PermissionError):
        return "rejected"
    if isinstance(error, ConnectionError):
        return "transport"
    # What a service behind the provider wrote may be better the next time.
    if isinstance(error, (json.JSONDecodeError, UnicodeError)):
        return "server"
    return "rejected" if isinstance(error, (*FINAL, Unloaded)) else "server"


def described(error):
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if frame.filename != __file__][-FRAMES:]
    name = type(error).__name__
    # Of a key that is missing nothing is said but the key.
    bare = isinstance(error, LookupError) or not str(error)
    kind = kind_of(error)
    data = {
        "kind": kind,
        "type": name,
        "traceback": [f"{frame.filename}:{frame.lineno} in {frame.name}" for frame in own],
    }
    wait = getattr(error, "retry_after", None)
    if isinstance(wait, (int, float)) and not isinstance(wait, bool) and wait >= 0:
        data["retry_after_ms"] = wait * 1000
    return {
        "code": INVALID_PARAMS if kind == "rejected" else TROUBLE,
        "message": f"{name}: {error}" if bare else str(error),
        "data": data,
    }


async def finished(value):
    return await value if inspect.isawaitable(value) else value


async def called(function, *args):
    """What is written without async may wait as long as it likes: it gets a thread."""
    if inspect.iscoroutinefunction(function):
        return await function(*args)
    return await finished(await asyncio.get_running_loop().run_in_executor(None, function, *args))


def unwrapped(result):
    return result["result"] if isinstance(result, dict) and list(result) == ["result"] else result


class Host:
    """The provider, made with the first call. One that could not be made is tried again with the next."""

    def __init__(self, setup):
        self.setup = setup
        self.provider = None
        self.making = asyncio.Lock()
        self.closing = False

    async def ready(self):
        async with self.making:
            if self.provider is None:
                provider = self.make()
                if hasattr(provider, "initialize"):
                    await called(provider.initialize)
                self.provider = provider
        return self.provider

    def make(self):
        name, wanted = self.setup["module"], self.setup["class"]
        sys.modules.pop(name, None)
        importlib.invalidate_caches()
        try:
            module = importlib.import_module(name)
        except ModuleNotFoundError as error:
            if error.name != name.split(".")[0] and error.name != name:
                raise
            raise Unloaded(f"there is no module {name} in {', '.join(self.setup['path'])}") from None
        found = getattr(module, wanted, None)
        if not inspect.isclass(found):
            classes = [one for one, value in vars(module).items() if inspect.isclass(value) and value.__module__ == name]
            raise Unloaded(f"module {name} has no class {wanted}; it has: {', '.join(classes) or 'none'}")
        if not callable(getattr(found, "execute_task", None)):
            raise Unloaded(f"{name}.{wanted} has no execute_task: it is no provider of the third generation")
        return found(**self.setup["options"])

    async def answer(self, request):
        method, params = request.get("method"), request.get("params") or {}
        if not isinstance(method, str) or method.startswith("rpc."):
            return {"error": {"code": METHOD_NOT_FOUND, "message": "there is no such method"}}
        try:
            provider = await self.ready()
            result = await called(provider.execute_task, "function", {**params, "function": method})
            return {"result": unwrapped(result)}
        except BaseException as error:  # noqa: BLE001 - whatever it is, it is told
            # Whoever wants to end the program, or was cancelled within, ends his own call and nobody else's.
            if self.closing:
                raise
            return {"error": described(error)}

    async def close(self):
        cleanup = getattr(self.provider, "cleanup", None)
        if cleanup is not None:
            await asyncio.wait_for(called(cleanup), CLEANUP_SECONDS)


def text_of(message):
    try:
        return json.dumps(message, allow_nan=False)
    except (TypeError, ValueError) as error:
        told = Unwritable(f"the result cannot be written as JSON: {error}")
        return json.dumps({"jsonrpc": "2.0", "id": message["id"], "error": described(told)})


async def serve(answers):
    setup = json.loads(os.environ.pop("GLEITZEIT_V3"))
    setup["path"] = setup["path"] or [os.getcwd()]
    sys.path[:0] = setup["path"]
    loop = asyncio.get_running_loop()
    over = loop.create_future()
    host = Host(setup)
    running = set()

    async def handle(line):
        request = json.loads(line)
        if "id" not in request:
            return
        answer = await host.answer(request)
        answers.write((text_of({"jsonrpc": "2.0", "id": request["id"], **answer}) + "\n").encode())
        answers.flush()

    def begin(line):
        task = loop.create_task(handle(line))
        running.add(task)
        task.add_done_callback(running.discard)

    def end():
        if not over.done():
            over.set_result(None)

    def read():
        for line in sys.stdin.buffer:
            if line.strip():
                loop.call_soon_threadsafe(begin, line)
        loop.call_soon_threadsafe(end)

    try:
        loop.add_signal_handler(signal.SIGTERM, end)
    except (NotImplementedError, RuntimeError):
        pass  # Where there are no signals, the end of standard input is sign enough.
    threading.Thread(target=read, daemon=True).start()
    await over
    host.closing = True
    for task in running:
        task.cancel()
    await host.close()


def main():
    answers = os.fdopen(os.dup(1), "wb")
    # Neither the provider nor what it starts writes among the answers.
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    try:
        asyncio.run(serve(answers))
    except Exception:  # noqa: BLE001 - its cleanup failed, and there is nobody left to tell
        traceback.print_exc()
    sys.stderr.flush()
    # Threads that still run do not hold the end back.
    os._exit(0)


main()
