"""What each method of A2A does, on both wires."""

import uuid

from errors import RpcError, invalid_params, unsupported
from skills import pick, text_of
from tasks import Task, by_message, changed, tasks
from wires import WIRES, show_task, show_update

KEEP_ALIVE_SECONDS = 15

# ---- What comes in ------------------------------------------------------------------------------------------------


def read_message(params):
    message = params.get("message")
    if not isinstance(message, dict):
        raise invalid_params("message must be an object")
    if not isinstance(message.get("messageId"), str) or message["messageId"] == "":
        raise invalid_params("message.messageId must be a text")
    if message.get("role") not in ("user", "ROLE_USER"):
        raise invalid_params("message.role must be that of a user")
    if not isinstance(message.get("parts"), list) or not message["parts"]:
        raise invalid_params("message.parts must have at least one part")
    return {"id": message["messageId"], "role": "user", "parts": [read_part(part) for part in message["parts"]]}


def read_part(part):
    """Both wires at once: a part that lacks its `kind` is understood all the same."""
    if isinstance(part, dict):
        if isinstance(part.get("text"), str):
            return {"text": part["text"]}
        if "data" in part:
            return {"data": part["data"]}
        if "file" in part or "raw" in part or "url" in part:
            raise RpcError(-32005, "CONTENT_TYPE_NOT_SUPPORTED", "This agent takes text and data, not files")
    raise invalid_params("each of message.parts must have text or data")


def configuration_of(params):
    configuration = params.get("configuration")
    return configuration if isinstance(configuration, dict) else {}


def history_length_of(holder):
    length = holder.get("historyLength")
    if length is None:
        return None
    if isinstance(length, bool) or not isinstance(length, int) or length < 0:
        raise invalid_params("historyLength must be a whole number from 0 on")
    return length


def accept(params, wire):
    """The task that a message starts or continues, ready to be started."""
    message = read_message(params)
    if configuration_of(params).get(wire.push_member) is not None:
        no_push(params, wire)
    text = "\n".join(part["text"] if "text" in part else text_of(part["data"]) for part in message["parts"])
    # Who did not get our answer sends the same message again; the work must not be done twice.
    # What went wrong may be tried again.
    key = (message["id"], text)
    known = by_message.get(key)
    if known is not None and known.status["state"] not in ("failed", "canceled"):
        return known
    task = task_for(params["message"])
    skill, rest = pick(text) if task.skill is None else (task.skill, text)
    task.take(message, key, skill, rest)
    return task


def task_for(message):
    context_id = message.get("contextId")
    if message.get("taskId") is None:
        return Task(context_id if isinstance(context_id, str) and context_id != "" else str(uuid.uuid4()))
    task = find(message["taskId"])
    if context_id is not None and context_id != task.context_id:
        raise invalid_params("message.contextId is not that of the task")
    if task.status["state"] != "input-required":
        raise unsupported("The task waits for no message")
    return task


def find(task_id):
    if not isinstance(task_id, str):
        raise invalid_params("the id of a task must be a text")
    if task_id not in tasks:
        raise RpcError(-32001, "TASK_NOT_FOUND", "Task not found")
    return tasks[task_id]


# ---- Methods ------------------------------------------------------------------------------------------------------
# Each is called under the lock, which is given back by those that wait.


def send(params, wire):
    configuration = configuration_of(params)
    history_length = history_length_of(configuration)
    task = accept(params, wire)
    at_once = show_task(task, wire, history_length)
    task.start()
    if not wire.waits(configuration):
        return wire.sent(at_once)
    changed.wait_for(task.rests)
    return wire.sent(show_task(task, wire, history_length))


def watch(task, wire):
    """The task as it is, then everything that happens until it ends or waits. None where nothing happened for long."""
    first = wire.event("task", show_task(task, wire))
    seen = len(task.updates)

    def events(seen):
        yield first
        while True:
            with changed:
                new = task.updates[seen:]
                at_rest = task.rests()
                if not new and not at_rest and not changed.wait(KEEP_ALIVE_SECONDS):
                    new = [None]
            for update in new:
                yield None if update is None else show_update(update, task, wire)
            seen += len([update for update in new if update is not None])
            if at_rest:
                return

    return events(seen)


def stream(params, wire):
    task = accept(params, wire)
    events = watch(task, wire)
    task.start()
    return events


def subscribe(params, wire):
    task = find(params.get("id"))
    if task.has_ended():
        raise unsupported("The task has ended")
    return watch(task, wire)


def get(params, wire):
    return show_task(find(params.get("id")), wire, history_length_of(params))


def cancel(params, wire):
    task = find(params.get("id"))
    if task.has_ended() and task.status["state"] != "canceled":
        raise RpcError(-32002, "TASK_NOT_CANCELABLE", "Task cannot be canceled: it has ended")
    task.become("canceled")
    task.stopped.set()
    return show_task(task, wire)


def list_tasks(params, wire):
    """The newest first. The token of a page is the last task of the one before."""
    size = params.get("pageSize")
    size = 50 if size is None else size
    if isinstance(size, bool) or not isinstance(size, int) or size < 1 or size > 100:
        raise invalid_params("pageSize must be from 1 to 100")
    context_id, status = params.get("contextId"), params.get("status")
    wanted = [task for task in reversed(list(tasks.values())) if not context_id or task.context_id == context_id]
    wanted = [task for task in wanted if not status or wire.state(task.status["state"]) == status]
    wanted.sort(key=lambda task: task.status["timestamp"], reverse=True)
    ids = [task.id for task in wanted]
    start = ids.index(params["pageToken"]) + 1 if params.get("pageToken") in ids else 0
    page = wanted[start : start + size]
    artifacts, length = params.get("includeArtifacts") is True, history_length_of(params)
    return {
        "tasks": [show_task(task, wire, length, artifacts) for task in page],
        "nextPageToken": page[-1].id if start + len(page) < len(wanted) else "",
        "pageSize": size,
        "totalSize": len(wanted),
    }


def no_push(_params, _wire):
    raise RpcError(-32003, "PUSH_NOTIFICATION_NOT_SUPPORTED", "This agent sends no push notifications")


def no_other_card(_params, wire):
    why = "This agent has one card for everybody"
    if wire is WIRES["1.0"]:
        raise unsupported(why)
    raise RpcError(-32007, "EXTENDED_AGENT_CARD_NOT_CONFIGURED", why)


METHODS = {
    "0.3": {
        "message/send": send,
        "message/stream": stream,
        "tasks/get": get,
        "tasks/cancel": cancel,
        "tasks/resubscribe": subscribe,
        "tasks/pushNotificationConfig/set": no_push,
        "tasks/pushNotificationConfig/get": no_push,
        "tasks/pushNotificationConfig/list": no_push,
        "tasks/pushNotificationConfig/delete": no_push,
        "agent/getAuthenticatedExtendedCard": no_other_card,
    },
    "1.0": {
        "SendMessage": send,
        "SendStreamingMessage": stream,
        "GetTask": get,
        "CancelTask": cancel,
        "ListTasks": list_tasks,
        "SubscribeToTask": subscribe,
        "CreateTaskPushNotificationConfig": no_push,
        "GetTaskPushNotificationConfig": no_push,
        "ListTaskPushNotificationConfigs": no_push,
        "DeleteTaskPushNotificationConfig": no_push,
        "GetExtendedAgentCard": no_other_card,
    },
}
