"""How A2A 0.3 and A2A 1.0 write the same things. Everything that differs between the two is here."""


class Wire03:
    push_member = "pushNotificationConfig"

    def kind(self, name):
        return {"kind": name}  # 0.3 tells objects apart by `kind`, …

    def part(self, part):
        if "text" in part:
            return {"kind": "text", "text": part["text"]}
        # Data is any JSON in 1.0, and an object in 0.3.
        data = part["data"]
        return {"kind": "data", "data": data if isinstance(data, dict) else {"value": data}}

    def role(self, role):
        return role

    def state(self, state):
        return state

    def sent(self, task):
        return task

    def event(self, _name, value):
        return value

    def final(self, final):
        return {"final": final}

    def waits(self, configuration):
        return configuration.get("blocking") is not False

    def detail(self, _reason):
        return {}


class Wire10:
    push_member = "taskPushNotificationConfig"

    def kind(self, _name):
        return {}  # … 1.0 by the name of the member that they stand in.

    def part(self, part):
        return part

    def role(self, role):
        return "ROLE_" + role.upper()

    def state(self, state):
        return "TASK_STATE_" + state.upper().replace("-", "_")

    def sent(self, task):
        return {"task": task}

    def event(self, name, value):
        return {name: value}

    def final(self, _final):
        return {}  # the stream ends

    def waits(self, configuration):
        return configuration.get("returnImmediately") is not True

    def detail(self, reason):
        info = {"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": reason, "domain": "a2a-protocol.org"}
        return {"data": [info]}


WIRES = {"0.3": Wire03(), "1.0": Wire10()}


def show_message(message, task, wire):
    return {
        **wire.kind("message"),
        "messageId": message["id"],
        "role": wire.role(message["role"]),
        "parts": [wire.part(part) for part in message["parts"]],
        "taskId": task.id,
        "contextId": task.context_id,
    }


def show_status(status, task, wire):
    shown = {"state": wire.state(status["state"])}
    if status["message"] is not None:
        shown["message"] = show_message(status["message"], task, wire)
    return {**shown, "timestamp": status["timestamp"]}


def show_task(task, wire, history_length=None, artifacts=True):
    """Of the history, `history_length` is how much: all of it where unset, none for 0, else the last ones."""
    shown = {**wire.kind("task"), "id": task.id, "contextId": task.context_id}
    shown["status"] = show_status(task.status, task, wire)
    if artifacts and task.parts:
        shown["artifacts"] = [{"artifactId": "result", "parts": [wire.part(part) for part in task.parts]}]
    history = task.history
    if history_length is not None:
        history = history[max(0, len(history) - history_length) :]
    if history:
        shown["history"] = [show_message(message, task, wire) for message in history]
    return shown


def show_update(update, task, wire):
    about = {"taskId": task.id, "contextId": task.context_id}
    if "status" in update:
        status = show_status(update["status"], task, wire)
        value = {**wire.kind("status-update"), **about, "status": status, **wire.final(update["final"])}
        return wire.event("statusUpdate", value)
    artifact = {"artifactId": "result", "parts": [wire.part(update["part"])]}
    value = {**wire.kind("artifact-update"), **about, "artifact": artifact}
    return wire.event("artifactUpdate", {**value, "append": update["append"], "lastChunk": update["last"]})
