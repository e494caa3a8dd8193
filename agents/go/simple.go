package main

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
)

// simple-a2a: {task_id, input} → {task_id, status, output, error}

type simpleAnswer struct {
	TaskID *string       `json:"task_id"`
	Status string        `json:"status"`
	Output *simpleOutput `json:"output"`
	Error  *string       `json:"error"`
}

type simpleOutput struct {
	Text string `json:"text"`
}

func readSimple(body json.RawMessage) (members, bool) {
	read, isObject := object(body)
	_, isRPC := read["jsonrpc"]
	_, hasID := read["task_id"]
	_, hasInput := read["input"]
	return read, isObject && !isRPC && (hasID || hasInput)
}

func answerSimple(ctx context.Context, body members) (int, simpleAnswer) {
	id, isText := body.text("task_id")
	if !isText || id == "" {
		why := "task_id must be a text"
		return 400, simpleAnswer{Status: "error", Error: &why}
	}
	var said []string
	skill, text := pick(textOf(body["input"]))
	result, err := run(ctx, skill, text, func(piece string) { said = append(said, piece) })
	if err == nil {
		output := simpleOutput{strings.Join(append(said, result), "\n")}
		return 200, simpleAnswer{TaskID: &id, Status: "success", Output: &output}
	}
	// There is nobody to ask here: a question ends the call.
	var ask Ask
	why := ""
	if errors.As(err, &ask) {
		why = string(ask)
	} else {
		why = reasonOf(err)
	}
	return 200, simpleAnswer{TaskID: &id, Status: "error", Error: &why}
}
