package main

import (
	"context"
	"sort"
	"strings"
)

// What each method of A2A does, on both wires.

// accept gives the task that a message starts or continues, ready to be started.
func accept(params members, asked configuration) (*Task, error) {
	message, given, err := readMessage(params["message"])
	if err != nil {
		return nil, err
	}
	if asked.wantsPush {
		return nil, errNoPush
	}
	var texts []string
	for _, part := range message.Parts {
		if part.Text != nil {
			texts = append(texts, *part.Text)
		} else {
			texts = append(texts, textOf(part.Data))
		}
	}
	text := strings.Join(texts, "\n")
	// Who did not get our answer sends the same message again; the work must not be done twice.
	// What went wrong may be tried again.
	key := string(encode([]string{message.ID, text}))
	if known := byMessage[key]; known != nil && known.Status.State != "failed" && known.Status.State != "canceled" {
		return known, nil
	}
	task, err := taskFor(given)
	if err != nil {
		return nil, err
	}
	skill := task.skill
	if skill == nil {
		skill, text = pick(text)
	}
	task.take(message, key, skill, text)
	return task, nil
}

func taskFor(message members) (*Task, error) {
	contextID, isText := message.text("contextId")
	if isNull(message["taskId"]) {
		if !isText || contextID == "" {
			contextID = newID()
		}
		return newTask(contextID)
	}
	task, err := find(message, "taskId")
	if err != nil {
		return nil, err
	}
	if !isNull(message["contextId"]) && contextID != task.ContextID {
		return nil, invalidParams("message.contextId is not that of the task")
	}
	if task.Status.State != "input-required" {
		return nil, unsupported("The task waits for no message")
	}
	return task, nil
}

func find(from members, name string) (*Task, error) {
	id, isText := from.text(name)
	if !isText || isNull(from[name]) {
		return nil, invalidParams("the id of a task must be a text")
	}
	if tasks[id] == nil {
		return nil, &rpcError{-32001, "TASK_NOT_FOUND", "Task not found"}
	}
	return tasks[id], nil
}

// A method gives a value, or events. It is called under the lock, which it gives back while it waits.
type method func(ctx context.Context, params members, wire Wire) (any, error)

// events are read until the channel is closed.
type events <-chan any

func send(ctx context.Context, params members, wire Wire) (any, error) {
	asked, err := readConfiguration(params, wire)
	if err != nil {
		return nil, err
	}
	task, err := accept(params, asked)
	if err != nil {
		return nil, err
	}
	show := func() any { return wire.event("task", showTask(task, wire, asked.historyLength, true)) }
	atOnce := show()
	task.start()
	if !wire.waits(asked) {
		return atOnce, nil
	}
	for !task.rests() {
		changed := task.changed
		mutex.Unlock()
		select {
		case <-changed:
		case <-ctx.Done(): // the caller is gone; the task goes on
		}
		mutex.Lock()
		if ctx.Err() != nil {
			break
		}
	}
	return show(), nil
}

// watch tells the task as it is, then everything that happens until it ends or waits.
func watch(ctx context.Context, task *Task, wire Wire) events {
	told := make(chan any)
	first := wire.event("task", showTask(task, wire, nil, true))
	seen := len(task.Updates)
	go func() {
		defer close(told)
		next := []any{first}
		for {
			for _, event := range next {
				select {
				case told <- event:
				case <-ctx.Done():
					return
				}
			}
			mutex.Lock()
			next = nil
			for _, update := range task.Updates[seen:] {
				next = append(next, showUpdate(update, task, wire))
			}
			seen = len(task.Updates)
			rests, changed := task.rests(), task.changed
			mutex.Unlock()
			if len(next) > 0 {
				continue
			}
			if rests {
				return
			}
			select {
			case <-changed:
			case <-ctx.Done():
				return
			}
		}
	}()
	return told
}

func stream(ctx context.Context, params members, wire Wire) (any, error) {
	asked, err := readConfiguration(params, wire)
	if err != nil {
		return nil, err
	}
	task, err := accept(params, asked)
	if err != nil {
		return nil, err
	}
	told := watch(ctx, task, wire)
	task.start()
	return told, nil
}

func subscribe(ctx context.Context, params members, wire Wire) (any, error) {
	task, err := find(params, "id")
	if err != nil {
		return nil, err
	}
	if task.hasEnded() {
		return nil, unsupported("The task has ended")
	}
	return watch(ctx, task, wire), nil
}

func get(_ context.Context, params members, wire Wire) (any, error) {
	task, err := find(params, "id")
	if err != nil {
		return nil, err
	}
	length, err := historyLengthOf(params)
	if err != nil {
		return nil, err
	}
	return showTask(task, wire, length, true), nil
}

func cancel(_ context.Context, params members, wire Wire) (any, error) {
	task, err := find(params, "id")
	if err != nil {
		return nil, err
	}
	if task.hasEnded() && task.Status.State != "canceled" {
		return nil, &rpcError{-32002, "TASK_NOT_CANCELABLE", "Task cannot be canceled: it has ended"}
	}
	task.become("canceled", nil)
	task.stop()
	return showTask(task, wire, nil, true), nil
}

type shownList struct {
	Tasks         []shownTask `json:"tasks"`
	NextPageToken string      `json:"nextPageToken"`
	PageSize      int         `json:"pageSize"`
	TotalSize     int         `json:"totalSize"`
}

// list shows the newest first. The token of a page is the last task of the one before.
func list(_ context.Context, params members, wire Wire) (any, error) {
	size, isWhole := params.whole("pageSize")
	if size == nil {
		size = new(int)
		*size = 50
	}
	if !isWhole || *size < 1 || *size > 100 {
		return nil, invalidParams("pageSize must be from 1 to 100")
	}
	length, err := historyLengthOf(params)
	if err != nil {
		return nil, err
	}
	contextID, _ := params.text("contextId")
	state, _ := params.text("status")
	token, _ := params.text("pageToken")
	var wanted []*Task
	for index := len(order) - 1; index >= 0; index-- {
		task := order[index]
		if (contextID == "" || task.ContextID == contextID) && (state == "" || wire.state(task.Status.State) == state) {
			wanted = append(wanted, task)
		}
	}
	sort.SliceStable(wanted, func(a, b int) bool { return wanted[a].Status.Timestamp > wanted[b].Status.Timestamp })
	from := 0
	for index, task := range wanted {
		if task.ID == token {
			from = index + 1
		}
	}
	page := wanted[from:]
	if len(page) > *size {
		page = page[:*size]
	}
	shown := shownList{Tasks: []shownTask{}, PageSize: *size, TotalSize: len(wanted)}
	for _, task := range page {
		shown.Tasks = append(shown.Tasks, showTask(task, wire, length, params.flag("includeArtifacts")))
	}
	if from+len(page) < len(wanted) {
		shown.NextPageToken = page[len(page)-1].ID
	}
	return shown, nil
}

var errNoPush = &rpcError{-32003, "PUSH_NOTIFICATION_NOT_SUPPORTED", "This agent sends no push notifications"}

func noPush(context.Context, members, Wire) (any, error) { return nil, errNoPush }

func noOtherCard(_ context.Context, _ members, wire Wire) (any, error) {
	why := "This agent has one card for everybody"
	if wire == wire10 {
		return nil, unsupported(why)
	}
	return nil, &rpcError{-32007, "EXTENDED_AGENT_CARD_NOT_CONFIGURED", why}
}

var methods = map[Wire]map[string]method{
	wire03: {
		"message/send":                        send,
		"message/stream":                      stream,
		"tasks/get":                           get,
		"tasks/cancel":                        cancel,
		"tasks/resubscribe":                   subscribe,
		"tasks/pushNotificationConfig/set":    noPush,
		"tasks/pushNotificationConfig/get":    noPush,
		"tasks/pushNotificationConfig/list":   noPush,
		"tasks/pushNotificationConfig/delete": noPush,
		"agent/getAuthenticatedExtendedCard":  noOtherCard,
	},
	wire10: {
		"SendMessage":                      send,
		"SendStreamingMessage":             stream,
		"GetTask":                          get,
		"CancelTask":                       cancel,
		"ListTasks":                        list,
		"SubscribeToTask":                  subscribe,
		"CreateTaskPushNotificationConfig": noPush,
		"GetTaskPushNotificationConfig":    noPush,
		"ListTaskPushNotificationConfigs":  noPush,
		"DeleteTaskPushNotificationConfig": noPush,
		"GetExtendedAgentCard":             noOtherCard,
	},
}
