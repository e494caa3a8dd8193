"""Runs the Python of one task and says what came of it.

Started by Gleitzeit as `python3 -I python.py`. Standard input is one JSON object: code or file, context, args, and the
memory it may have. Standard output is for the answer alone; what the code prints goes to progress (file descriptor 3) and is
kept for a result it may hold. The answer is JSON, and the exit code says what it is: 0 a result, otherwise an error.
"""

import io
import json
import os
import sys
import traceback

KEPT_OUTPUT = 8 * 1024 * 1024
FRAMES = 20


class Printed(io.TextIOBase):
    """What the code prints: told as it comes, and its end kept."""

    def __init__(self, told):
        self.told = told
        self.kept = []
        self.size = 0

    def writable(self):
        return True

    def write(self, text):
        if not text:
            return 0
        self.kept.append(text)
        self.size += len(text)
        while self.size > KEPT_OUTPUT and len(self.kept) > 1:
            self.size -= len(self.kept.pop(0))
        if self.told is not None:
            try:
                os.write(self.told, (json.dumps({"text": text}) + "\n").encode())
            except OSError:
                self.told = None
        return len(text)

    def last_line(self):
        lines = [line for line in "".join(self.kept).splitlines() if line.strip()]
        return lines[-1] if lines else None


def limit_memory(size):
    if not size:
        return
    try:
        import resource

        resource.setrlimit(resource.RLIMIT_DATA, (size, size))
    except (ImportError, ValueError, OSError):
        pass  # Whoever started us looks at the memory too.


def source_of(asked):
    """The code and the name it has in tracebacks."""
    if asked.get("file") is None:
        return asked["code"], "<code of the task>"
    folder = os.path.realpath(asked["folder"])
    path = os.path.realpath(os.path.join(folder, asked["file"]))
    if os.path.commonpath([folder, path]) != folder:
        raise PermissionError("the file lies outside the folder of the provider")
    with open(path, encoding="utf-8") as opened:
        return opened.read(), path


def result_of(names, printed):
    if "result" in names:
        return names["result"]
    line = printed.last_line()
    if line is None:
        return None
    try:
        return json.loads(line)
    except ValueError:
        return line


def described(error):
    """What went wrong, with the places in the task's own code."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if frame.filename != __file__][-FRAMES:]
    if isinstance(error, MemoryError):
        message = "the code took more memory than it may"
    else:
        message = "".join(traceback.format_exception_only(type(error), error)).strip().splitlines()[-1]
    places = [f"{frame.filename}:{frame.lineno} in {frame.name}" for frame in own]
    return {"error": {"message": message, "details": {"type": type(error).__name__, "traceback": places}}}


def written(value):
    try:
        return json.dumps(value, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise TypeError(f"the result cannot be written as JSON: {error}") from None


def main():
    answer = os.fdopen(os.dup(1), "w", encoding="utf-8")
    # Programs that the code starts may print too: none of it is the answer.
    os.dup2(2, 1)
    asked = json.load(sys.stdin)
    told = 3 if asked.get("progress") else None
    printed = Printed(told)
    sys.stdin = io.StringIO("")
    sys.stdout = printed
    args = asked["args"]
    sys.argv = [asked.get("file") or "task", *([str(one) for one in args] if isinstance(args, list) else [])]
    try:
        limit_memory(asked.get("memory"))
        code, name = source_of(asked)
        names = {"__name__": "__main__", "__file__": name, "context": asked["context"], "args": args}
        # What the context holds is also there by its own names, as it was in earlier generations.
        names.update({key: value for key, value in asked["context"].items() if key.isidentifier() and key not in names})
        exec(compile(code, name, "exec"), names)
        text, status = written(result_of(names, printed)), 0
    except SystemExit as end:
        if end.code is None or end.code == 0:
            try:
                text, status = written(result_of(names, printed)), 0
            except TypeError as error:
                text, status = json.dumps(described(error)), 1
        else:
            status = end.code if isinstance(end.code, int) and 0 < end.code < 256 else 1
            said = end.code if isinstance(end.code, str) else f"the code ended with exit code {status}"
            text = json.dumps({"error": {"message": said}})
    except BaseException as error:  # noqa: BLE001 - whatever it is, it is told
        text, status = json.dumps(described(error)), 1
    answer.write(text + "\n")
    answer.flush()
    # Threads that the code left running do not hold the answer back.
    os._exit(status)


main()
