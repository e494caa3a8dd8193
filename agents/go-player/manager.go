package main

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"time"
)

const protocol = "league.v2"

type envelope map[string]any

func newEnvelope(messageType, conversation string) envelope {
	if conversation == "" {
		conversation = uuid()
	}
	return envelope{
		"protocol":        protocol,
		"message_type":    messageType,
		"sender":          self,
		"timestamp":       time.Now().UTC().Format("2006-01-02T15:04:05.000000Z07:00"),
		"conversation_id": conversation,
	}
}

func uuid() string {
	var b [16]byte
	if _, err := rand.Read(b[:]); err != nil {
		panic(err)
	}
	b[6] = b[6]&0x0f | 0x40
	b[8] = b[8]&0x3f | 0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// The manager answered, with an error.
type refused struct{ name, details string }

func (r refused) Error() string { return r.name + ": " + r.details }

var client = &http.Client{Timeout: 10 * time.Second}

func ask(url string, head envelope, payload any) (map[string]any, error) {
	// A question that is asked again in the same conversation has the same id: it is done once.
	body, err := json.Marshal(map[string]any{
		"jsonrpc": "2.0", "id": head["conversation_id"], "method": "league.handle",
		"params": map[string]any{"envelope": head, "payload": payload},
	})
	if err != nil {
		return nil, err
	}
	response, err := client.Post(url, "application/json", bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	var answer struct {
		Result struct{ Payload map[string]any }
		Error  *struct {
			Message string
			Data    struct {
				Details   string
				ErrorCode string `json:"error_code"`
			}
		}
	}
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		return nil, err
	}
	if answer.Error != nil {
		return nil, refused{answer.Error.Data.ErrorCode, answer.Error.Data.Details}
	}
	return answer.Result.Payload, nil
}

// Managers start late and are restarted; a player waits for them. What the manager refuses may be different later.
func patiently(act func() (map[string]any, error)) (map[string]any, error) {
	pause := 100 * time.Millisecond
	for attempt := 1; ; attempt++ {
		answer, err := act()
		var no refused
		if err == nil || attempt == 60 || errors.As(err, &no) && no.name != "PRECONDITION_FAILED" {
			return answer, err
		}
		time.Sleep(pause)
		if pause *= 2; pause > 2*time.Second {
			pause = 2 * time.Second
		}
	}
}

// What must outlive the process, in a file that only its owner can read: the tokens are secrets.
type state struct {
	// By which conversation it registers, also after a crash: where only the answer was lost, it is given again.
	Registration string            `json:"registration,omitempty"`
	AuthToken    string            `json:"auth_token,omitempty"`
	LeagueID     string            `json:"league_id,omitempty"`
	Port         int               `json:"port,omitempty"`
	Matches      map[string]string `json:"matches,omitempty"`
	path         string
}

func readState(path string) (*state, error) {
	kept := &state{path: path}
	text, err := os.ReadFile(path)
	if path == "" || errors.Is(err, os.ErrNotExist) {
		return kept, nil
	}
	if err != nil {
		return nil, err
	}
	return kept, json.Unmarshal(text, kept)
}

func (s *state) keep() error {
	if s.path == "" {
		return nil
	}
	text, err := json.Marshal(s)
	if err != nil {
		return err
	}
	if err := os.WriteFile(s.path+".new", text, 0o600); err != nil {
		return err
	}
	return os.Rename(s.path+".new", s.path)
}
