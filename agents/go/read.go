package main

import (
	"encoding/json"
	"math"
)

// What comes in: params and messages, held against what they must be.

type members map[string]json.RawMessage

// object reads a JSON object; members of Go's structs would be found in any case, and JSON's are not.
func object(value json.RawMessage) (members, bool) {
	var read members
	return read, json.Unmarshal(value, &read) == nil && read != nil
}

// text reads a member that must be a text; what is missing or null is empty.
func (from members) text(name string) (string, bool) {
	var text string
	err := json.Unmarshal(from[name], &text)
	return text, isNull(from[name]) || err == nil
}

func (from members) flag(name string) bool { return string(from[name]) == "true" }

// whole reads a whole number; nil where there is none.
func (from members) whole(name string) (*int, bool) {
	var number float64
	if isNull(from[name]) {
		return nil, true
	}
	if json.Unmarshal(from[name], &number) != nil || number != math.Trunc(number) || math.Abs(number) > 1e9 {
		return nil, false
	}
	whole := int(number)
	return &whole, true
}

func historyLengthOf(from members) (*int, error) {
	length, isWhole := from.whole("historyLength")
	if !isWhole || length != nil && *length < 0 {
		return nil, invalidParams("historyLength must be a whole number from 0 on")
	}
	return length, nil
}

type configuration struct {
	Blocking          *bool
	ReturnImmediately bool
	historyLength     *int
	wantsPush         bool
}

func readConfiguration(params members, wire Wire) (configuration, error) {
	given, _ := object(params["configuration"])
	length, err := historyLengthOf(given)
	read := configuration{ReturnImmediately: given.flag("returnImmediately"), historyLength: length}
	if string(given["blocking"]) == "false" {
		read.Blocking = new(bool)
	}
	read.wantsPush = wire == wire03 && !isNull(given["pushNotificationConfig"]) ||
		wire == wire10 && !isNull(given["taskPushNotificationConfig"])
	return read, err
}

func readMessage(given json.RawMessage) (Message, members, error) {
	message, isObject := object(given)
	if !isObject {
		return Message{}, nil, invalidParams("message must be an object")
	}
	id, isText := message.text("messageId")
	if !isText || id == "" {
		return Message{}, nil, invalidParams("message.messageId must be a text")
	}
	if role, _ := message.text("role"); role != "user" && role != "ROLE_USER" {
		return Message{}, nil, invalidParams("message.role must be that of a user")
	}
	var parts []json.RawMessage
	if json.Unmarshal(message["parts"], &parts) != nil || len(parts) == 0 {
		return Message{}, nil, invalidParams("message.parts must have at least one part")
	}
	read := Message{ID: id, Role: "user"}
	for _, given := range parts {
		part, err := readPart(given)
		if err != nil {
			return Message{}, nil, err
		}
		read.Parts = append(read.Parts, part)
	}
	return read, message, nil
}

// readPart reads both wires at once: a part that lacks its `kind` is understood all the same.
func readPart(given json.RawMessage) (Part, error) {
	part, _ := object(given)
	if text, isText := part.text("text"); isText && !isNull(part["text"]) {
		return Part{Text: &text}, nil
	}
	if data, there := part["data"]; there {
		return Part{Data: data}, nil
	}
	for _, name := range []string{"file", "raw", "url"} {
		if _, there := part[name]; there {
			return Part{}, &rpcError{-32005, "CONTENT_TYPE_NOT_SUPPORTED", "This agent takes text and data, not files"}
		}
	}
	return Part{}, invalidParams("each of message.parts must have text or data")
}
