"""The tasks of this agent, in memory. A bounded number is kept; a restart forgets them."""

import datetime
import threading
import traceback
import uuid

from skills import Ask, Failure, Stopped

MOST_TASKS = 1000

tasks = {}
by_message = {}
# One lock for everything below: what is done under it is short, and whoever waits is told of each change.
changed = threading.Condition(threading.RLock())


class Busy(Exception):
    pass


class Task:
    def __init__(self, context_id):
        self.id = str(uuid.uuid4())
        self.context_id = context_id
        self.parts = []  # of its one artifact
        self.history = []
        self.updates = []  # everything that happened, for those who stream
        self.keys = []  # of the messages that belong to it
        self.skill = None
        self.pending = None
        self.status = None
        self.stopped = threading.Event()
        make_room()
        self.become("submitted")
        tasks[self.id] = self

    def has_ended(self):
        return self.status is not None and self.status["state"] in ("completed", "failed", "canceled")

    def rests(self):
        """Nothing happens until somebody does something."""
        return self.has_ended() or self.status["state"] == "input-required"

    def become(self, state, text=None):
        with changed:
            # What has ended stays as it is: the late result of a canceled task is dropped.
            if self.has_ended():
                return
            message = None
            if text is not None:
                message = {"id": str(uuid.uuid4()), "role": "agent", "parts": [{"text": text}]}
            self.status = {"state": state, "message": message, "timestamp": now()}
            self.updates.append({"status": self.status, "final": self.rests()})
            changed.notify_all()

    def add(self, text, last):
        with changed:
            if self.has_ended():
                return
            self.parts.append({"text": text})
            self.updates.append({"part": {"text": text}, "append": len(self.parts) > 1, "last": last})
            changed.notify_all()

    def say(self, text):
        self.add(text, False)

    def take(self, message, key, skill, text):
        """A message came: what it asks for is done by `start`, once whoever streams is listening."""
        if self.status["message"] is not None:
            self.history.append(self.status["message"])
        self.history.append(message)
        self.keys.append(key)
        by_message[key] = self
        self.skill = skill
        self.pending = text
        self.become("working")

    def start(self):
        text, self.pending = self.pending, None
        if text is not None:
            # A daemon does not keep the program from ending.
            threading.Thread(target=self.work, args=(text,), daemon=True).start()

    def work(self, text):
        try:
            self.add(self.skill.run(text, self), True)
            self.become("completed")
        except Ask as asked:
            self.become("input-required", str(asked))
        except Exception as error:
            self.become("failed", reason_of(error))


def make_room():
    """The oldest that rests makes room for a new one."""
    if len(tasks) < MOST_TASKS:
        return
    oldest = next((task for task in tasks.values() if task.rests()), None)
    if oldest is None:
        raise Busy("Too many tasks at once")
    del tasks[oldest.id]
    for key in oldest.keys:
        by_message.pop(key, None)


def reason_of(error):
    """What a caller may know of an error."""
    if isinstance(error, Failure):
        return str(error)
    if isinstance(error, Stopped):
        return "The agent was stopped."
    traceback.print_exception(type(error), error, error.__traceback__)
    return "The agent could not do it."


def stop_tasks():
    """Ends what runs, so that whoever waits gets an answer."""
    with changed:
        for task in tasks.values():
            if not task.rests():
                task.become("failed", "The agent was stopped.")
            task.stopped.set()


def now():
    moment = datetime.datetime.now(datetime.timezone.utc)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
