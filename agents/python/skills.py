"""What this agent can do. Replace this file with your own work; the others stay as they are.

A skill gets the text it was sent and answers with a text. Besides, it may
    job.say(text)           tell a piece of the result before the rest: seen at once by whoever streams
    raise Ask(text)         ask whoever sent it; what they answer comes as the next text
    raise Failure(text)     give up, and say why
    job.stopped             a threading.Event, set when the task is canceled or the agent stops
"""

import json
import os
import re

STEP_SECONDS = float(os.environ.get("STEP_MS") or 200) / 1000


class Ask(Exception):
    pass


class Failure(Exception):
    """Its text is told to the caller. Any other error is logged, and the caller only hears that there was one."""


class Stopped(Exception):
    pass


def greet(text, _job):
    if text == "":
        raise Ask("What is your name?")
    return "Hello, %s!" % text


def count(text, job):
    last = int(text) if re.fullmatch("[0-9]{1,3}", text) else 0
    if last < 1 or last > 100:
        raise Failure("count needs a whole number from 1 to 100")
    for number in range(1, last):
        job.say(str(number))
        if job.stopped.wait(STEP_SECONDS):
            raise Stopped()
    return str(last)


def fail(text, _job):
    raise Failure(text)


class Skill:
    def __init__(self, description, example, run):
        self.description = description
        self.example = example
        self.run = run


SKILLS = {
    "echo": Skill("Says what it was told.", "echo: hello", lambda text, _job: text),
    "upper": Skill("Says it in capital letters.", "upper: hello", lambda text, _job: text.upper()),
    "reverse": Skill("Says it backwards.", "reverse: hello", lambda text, _job: text[::-1]),
    "wordcount": Skill(
        "Says how many words it has.", "wordcount: one two three", lambda text, _job: str(len(text.split()))
    ),
    "greet": Skill("Greets by name, and asks for the name where there is none.", "greet: Ada", greet),
    "count": Skill("Counts, one number at a time.", "count: 3", count),
    "fail": Skill("Fails, with what it was told as the reason.", "fail: out of paper", fail),
}


def pick(text):
    """`upper: hello` names its skill; without a name it is the one of the variable SKILL, or echo."""
    named = re.fullmatch("([a-z]+): ?(.*)", text, re.DOTALL)
    if named and named[1] in SKILLS:
        return SKILLS[named[1]], named[2]
    return SKILLS[os.environ.get("SKILL") or "echo"], text


def text_of(value):
    """The text of an input that may be anything: as it is, its `text`, its `query`, or all of it as JSON."""
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        for name in ("text", "query"):
            if isinstance(value.get(name), str) and value[name] != "":
                return value[name]
    return to_json({} if value is None else value)


def to_json(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
