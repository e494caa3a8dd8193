package main

import (
	"bytes"
	"encoding/json"
	"strings"
)

// How A2A 0.3 and A2A 1.0 write the same things. Everything that differs between the two is here.
// 0.3 tells objects apart by `kind`, 1.0 by the name of the member that they stand in.

type Wire string

const (
	wire03 Wire = "0.3"
	wire10 Wire = "1.0"
)

func (wire Wire) kind(name string) string {
	if wire == wire10 {
		return ""
	}
	return name
}

func (wire Wire) role(role string) string {
	if wire == wire10 {
		return "ROLE_" + strings.ToUpper(role)
	}
	return role
}

func (wire Wire) state(state string) string {
	if wire == wire10 {
		return "TASK_STATE_" + strings.ToUpper(strings.ReplaceAll(state, "-", "_"))
	}
	return state
}

func (wire Wire) part(part Part) shownPart {
	if part.Text != nil {
		return shownPart{Kind: wire.kind("text"), Text: part.Text}
	}
	data := part.Data
	// Data is any JSON in 1.0, and an object in 0.3.
	if wire == wire03 && !bytes.HasPrefix(data, []byte("{")) {
		data = encode(map[string]json.RawMessage{"value": data})
	}
	return shownPart{Kind: wire.kind("data"), Data: data}
}

// event wraps what is told: in 1.0 by its name.
func (wire Wire) event(name string, value any) any {
	if wire == wire10 {
		return map[string]any{name: value}
	}
	return value
}

// waits says whether the answer to a message is to come when there is one.
func (wire Wire) waits(asked configuration) bool {
	if wire == wire10 {
		return !asked.ReturnImmediately
	}
	return asked.Blocking == nil || *asked.Blocking
}

func (wire Wire) detail(reason string) []errorInfo {
	if wire == wire10 {
		return []errorInfo{{"type.googleapis.com/google.rpc.ErrorInfo", reason, "a2a-protocol.org"}}
	}
	return nil
}

type errorInfo struct {
	Type   string `json:"@type"`
	Reason string `json:"reason"`
	Domain string `json:"domain"`
}

type shownPart struct {
	Kind string          `json:"kind,omitempty"`
	Text *string         `json:"text,omitempty"`
	Data json.RawMessage `json:"data,omitempty"`
}

type shownMessage struct {
	Kind      string      `json:"kind,omitempty"`
	MessageID string      `json:"messageId"`
	Role      string      `json:"role"`
	Parts     []shownPart `json:"parts"`
	TaskID    string      `json:"taskId"`
	ContextID string      `json:"contextId"`
}

type shownStatus struct {
	State     string        `json:"state"`
	Message   *shownMessage `json:"message,omitempty"`
	Timestamp string        `json:"timestamp"`
}

type shownArtifact struct {
	ArtifactID string      `json:"artifactId"`
	Parts      []shownPart `json:"parts"`
}

type shownTask struct {
	Kind      string          `json:"kind,omitempty"`
	ID        string          `json:"id"`
	ContextID string          `json:"contextId"`
	Status    shownStatus     `json:"status"`
	Artifacts []shownArtifact `json:"artifacts,omitempty"`
	History   []shownMessage  `json:"history,omitempty"`
}

type shownStatusUpdate struct {
	Kind      string      `json:"kind,omitempty"`
	TaskID    string      `json:"taskId"`
	ContextID string      `json:"contextId"`
	Status    shownStatus `json:"status"`
	Final     *bool       `json:"final,omitempty"`
}

type shownArtifactUpdate struct {
	Kind      string        `json:"kind,omitempty"`
	TaskID    string        `json:"taskId"`
	ContextID string        `json:"contextId"`
	Artifact  shownArtifact `json:"artifact"`
	Append    bool          `json:"append"`
	LastChunk bool          `json:"lastChunk"`
}

func showParts(parts []Part, wire Wire) []shownPart {
	shown := []shownPart{}
	for _, part := range parts {
		shown = append(shown, wire.part(part))
	}
	return shown
}

func showMessage(message Message, task *Task, wire Wire) shownMessage {
	parts := showParts(message.Parts, wire)
	return shownMessage{wire.kind("message"), message.ID, wire.role(message.Role), parts, task.ID, task.ContextID}
}

func showStatus(status Status, task *Task, wire Wire) shownStatus {
	shown := shownStatus{State: wire.state(status.State), Timestamp: status.Timestamp}
	if status.Message != nil {
		message := showMessage(*status.Message, task, wire)
		shown.Message = &message
	}
	return shown
}

// showTask shows a task. Of the history it shows all where historyLength is nil, else the last ones.
func showTask(task *Task, wire Wire, historyLength *int, artifacts bool) shownTask {
	shown := shownTask{Kind: wire.kind("task"), ID: task.ID, ContextID: task.ContextID}
	shown.Status = showStatus(task.Status, task, wire)
	if artifacts && len(task.Parts) > 0 {
		shown.Artifacts = []shownArtifact{{"result", showParts(task.Parts, wire)}}
	}
	history := task.History
	if historyLength != nil && *historyLength < len(history) {
		history = history[len(history)-*historyLength:]
	}
	for _, message := range history {
		shown.History = append(shown.History, showMessage(message, task, wire))
	}
	return shown
}

func showUpdate(update Update, task *Task, wire Wire) any {
	if update.Status == nil {
		artifact := shownArtifact{"result", showParts([]Part{update.Part}, wire)}
		kind := wire.kind("artifact-update")
		shown := shownArtifactUpdate{kind, task.ID, task.ContextID, artifact, update.Append, update.Last}
		return wire.event("artifactUpdate", shown)
	}
	status := showStatus(*update.Status, task, wire)
	shown := shownStatusUpdate{Kind: wire.kind("status-update"), TaskID: task.ID, ContextID: task.ContextID, Status: status}
	if wire == wire03 {
		shown.Final = &update.Final // in 1.0 the stream ends
	}
	return wire.event("statusUpdate", shown)
}

// encode writes JSON as other languages do: Go would escape <, > and &.
func encode(value any) []byte {
	var buffer bytes.Buffer
	encoder := json.NewEncoder(&buffer)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		panic(err)
	}
	return bytes.TrimSuffix(buffer.Bytes(), []byte("\n"))
}
