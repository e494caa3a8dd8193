package main

import (
	"context"
	"encoding/json"
	"errors"
	"log"
	"regexp"
	"strings"
	"sync"
)

// JSON-RPC itself: requests, batches and errors.

const longestBatch = 100

type rpcError struct {
	code            int
	reason, message string
}

func (err *rpcError) Error() string { return err.message }

func invalidRequest(why string) error {
	return &rpcError{-32600, "INVALID_REQUEST", "Invalid Request: " + why}
}
func invalidParams(why string) error {
	return &rpcError{-32602, "INVALID_PARAMS", "Invalid params: " + why}
}
func internal(message string) error { return &rpcError{-32603, "INTERNAL_ERROR", message} }
func unsupported(why string) error  { return &rpcError{-32004, "UNSUPPORTED_OPERATION", why} }

type answer struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Result  any             `json:"result,omitempty"`
	Error   *shownError     `json:"error,omitempty"`
}

type shownError struct {
	Code    int         `json:"code"`
	Message string      `json:"message"`
	Data    []errorInfo `json:"data,omitempty"`
}

var (
	version03 = regexp.MustCompile(`^0\.3(\.[0-9]+)?$`)
	version10 = regexp.MustCompile(`^1\.0(\.[0-9]+)?$`) // a patch does not change the wire
	null      = json.RawMessage("null")
)

// wireOf lets the header decide; where there is none, the name of the method does.
func wireOf(header, name string) (Wire, error) {
	switch {
	case version03.MatchString(header):
		return wire03, nil
	case version10.MatchString(header):
		return wire10, nil
	case header != "":
		return wire10, &rpcError{-32009, "VERSION_NOT_SUPPORTED", "This agent speaks A2A-Version 0.3 and 1.0"}
	case methods[wire10][name] != nil:
		return wire10, nil
	}
	return wire03, nil
}

// call answers a request or a batch: with a value, or with events.
func call(ctx context.Context, body json.RawMessage, version string) any {
	var batch []json.RawMessage
	if json.Unmarshal(body, &batch) != nil || batch == nil {
		return callOne(ctx, body, version)
	}
	if len(batch) == 0 || len(batch) > longestBatch {
		return failure(null, invalidRequest("a batch has 1 to 100 requests"), wire03)
	}
	answers := make([]any, len(batch))
	var group sync.WaitGroup
	for index, request := range batch {
		index, request := index, request
		group.Add(1)
		go func() {
			defer group.Done()
			inBatch, leave := context.WithCancel(ctx)
			defer leave()
			answers[index] = callOne(inBatch, request, version)
			if streamed, isStream := answers[index].(streamed); isStream {
				answers[index] = failure(streamed.id, unsupported("A stream cannot be part of a batch"), wire03)
			}
		}()
	}
	group.Wait()
	return answers
}

type streamed struct {
	id     json.RawMessage
	events events
}

func callOne(ctx context.Context, body json.RawMessage, version string) any {
	request, isObject := object(body)
	// A2A has no notifications: what comes without an id is answered too, with null for it.
	id := null
	if isID(request["id"]) && !isNull(request["id"]) {
		id = request["id"]
	}
	wire := wire10
	if version == "" || strings.HasPrefix(version, "0") {
		wire = wire03
	}
	if !isObject {
		return failure(id, invalidRequest("it must be an object"), wire)
	}
	name, err := readRequest(request)
	if err == nil {
		wire, err = wireOf(version, name)
	}
	if err != nil {
		return failure(id, err, wire)
	}
	result, err := callMethod(ctx, name, request, wire)
	if err != nil {
		return failure(id, err, wire)
	}
	if told, isStream := result.(events); isStream {
		return streamed{id, told}
	}
	return answer{JSONRPC: "2.0", ID: id, Result: result}
}

func callMethod(ctx context.Context, name string, request members, wire Wire) (any, error) {
	run := methods[wire][name]
	if run == nil {
		return nil, &rpcError{-32601, "METHOD_NOT_FOUND", "Method not found: " + name}
	}
	params := members{}
	if given, there := request["params"]; there {
		read, isObject := object(given)
		if !isObject {
			return nil, invalidParams("they must be an object")
		}
		params = read
	}
	mutex.Lock()
	defer mutex.Unlock()
	return run(ctx, params, wire)
}

func readRequest(request members) (string, error) {
	if version, _ := request.text("jsonrpc"); version != "2.0" {
		return "", invalidRequest(`jsonrpc must be "2.0"`)
	}
	name, isText := request.text("method")
	if !isText || isNull(request["method"]) {
		return "", invalidRequest("method must be a text")
	}
	if !isID(request["id"]) {
		return "", invalidRequest("id must be a text or a number")
	}
	return name, nil
}

// isID is true of texts, numbers, null, and of what is not there.
func isID(id json.RawMessage) bool {
	return isNull(id) || strings.ContainsRune(`"-0123456789`, rune(id[0]))
}

func failure(id json.RawMessage, err error, wire Wire) answer {
	var told *rpcError
	if errors.Is(err, errBusy) {
		err = internal(err.Error())
	}
	if !errors.As(err, &told) {
		log.Print(err)
		told = &rpcError{-32603, "INTERNAL_ERROR", "Internal error"}
	}
	shown := shownError{told.code, told.message, wire.detail(told.reason)}
	return answer{JSONRPC: "2.0", ID: id, Error: &shown}
}

func parseError() answer {
	return failure(null, &rpcError{-32700, "PARSE_ERROR", "Parse error"}, wire03)
}

func wrongContentType() answer {
	message := "Send Content-Type: application/json"
	return failure(null, &rpcError{-32005, "CONTENT_TYPE_NOT_SUPPORTED", message}, wire03)
}
