package main

import (
	"hash/fnv"
	"math/rand"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// What is wrong with a question, as the league names it.
type fault struct {
	code          int
	name, details string
}

var (
	uuid4 = regexp.MustCompile(`(?i)^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)
	utc   = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|\+00:00)$`)
)

type player struct {
	seed    string
	lock    sync.Mutex
	kept    *state
	invited map[string]map[[2]string]bool // match_id: who invited, where no token was announced
	games   map[string]string             // match_id: game_type, for referees that name it only once
	results map[string]int
}

// The message_type and the payload of the answer.
func (p *player) handle(head envelope, payload map[string]any) (string, map[string]any, *fault) {
	if wrong := check(head); wrong != nil {
		return "", nil, wrong
	}
	p.lock.Lock()
	defer p.lock.Unlock()
	kind := head.text("message_type")
	switch kind {
	case "ROUND_ANNOUNCEMENT":
		return p.announced(head, payload)
	case "GAME_INVITATION", "REQUEST_MOVE", "GAME_OVER":
	default:
		return "", nil, &fault{-32600, "INVALID_MESSAGE_TYPE", "a player is not asked this"}
	}
	match, wrong := p.fromReferee(head)
	if wrong != nil {
		return "", nil, wrong
	}
	switch kind {
	case "GAME_INVITATION":
		return "GAME_JOIN_ACK", map[string]any{"status": "accepted", "match_id": match}, nil
	case "GAME_OVER":
		outcome, _ := payload["outcome"].(string)
		p.results[outcome]++
		return "GAME_OVER_ACK", map[string]any{"status": "acknowledged", "match_id": match}, nil
	}
	context, ok := payload["step_context"].(map[string]any)
	if !ok {
		return "", nil, &fault{-32602, "MISSING_REQUIRED_FIELD", "Missing required field: step_context"}
	}
	move := map[string]any{}
	if play := games[p.games[match]]; play != nil {
		step, _ := payload["step_number"].(float64)
		move = play(context, p.chance(match, int(step)))
	}
	return "MOVE_RESPONSE", map[string]any{"move_payload": move}, nil
}

// The same numbers for the same match and step, whoever plays it again.
func (p *player) chance(match string, step int) *rand.Rand {
	hash := fnv.New64a()
	hash.Write([]byte(p.seed + "/" + self + "/" + match + "/" + strconv.Itoa(step)))
	return rand.New(rand.NewSource(int64(hash.Sum64())))
}

func (e envelope) text(field string) string {
	text, _ := e[field].(string)
	return text
}

func check(head envelope) *fault {
	for _, field := range []string{"protocol", "message_type", "sender", "timestamp", "conversation_id", "auth_token"} {
		if head.text(field) == "" {
			return &fault{-32600, "MISSING_REQUIRED_FIELD", "Missing required field: " + field}
		}
	}
	switch {
	case head.text("protocol") != protocol:
		return &fault{-32600, "INVALID_PROTOCOL_VERSION", "protocol must be " + protocol}
	case !utc.MatchString(head.text("timestamp")):
		return &fault{-32600, "INVALID_TIMESTAMP", "timestamp must be ISO-8601 in UTC"}
	case !uuid4.MatchString(head.text("conversation_id")):
		return &fault{-32600, "INVALID_ENVELOPE_FIELD", "conversation_id must be a UUID v4"}
	}
	return nil
}

// Hub and spoke: only the referee of a match speaks to its players, and shows the token that was announced.
func (p *player) fromReferee(head envelope) (string, *fault) {
	match, sender, token := head.text("match_id"), head.text("sender"), head.text("auth_token")
	if match == "" {
		return "", &fault{-32600, "MISSING_REQUIRED_FIELD", "Missing required field: match_id"}
	}
	if !strings.HasPrefix(sender, "referee:") {
		return "", &fault{-32600, "AUTHORIZATION_FAILED", "only a referee asks this"}
	}
	if announced, known := p.kept.Matches[match]; known {
		if announced != token {
			return "", &fault{-32600, "AUTHENTICATION_FAILED", "this is not the token of the match"}
		}
	} else if head.text("message_type") == "GAME_INVITATION" {
		if p.invited[match] == nil {
			p.invited[match] = map[[2]string]bool{}
		}
		p.invited[match][[2]string{sender, token}] = true
	} else if !p.invited[match][[2]string{sender, token}] {
		return "", &fault{-32000, "INVALID_MATCH_ID", "nobody has invited to this match"}
	}
	if game := head.text("game_type"); game != "" {
		p.games[match] = game
	}
	return match, nil
}

func (p *player) announced(head envelope, payload map[string]any) (string, map[string]any, *fault) {
	if head.text("sender") != "league_manager" {
		return "", nil, &fault{-32600, "AUTHORIZATION_FAILED", "only the league manager announces rounds"}
	}
	if head.text("auth_token") != p.kept.AuthToken {
		return "", nil, &fault{-32600, "AUTHENTICATION_FAILED", "the token is not the one that the manager has given"}
	}
	if p.kept.Matches == nil {
		p.kept.Matches = map[string]string{}
	}
	matches, _ := payload["matches"].([]any)
	for _, entry := range matches {
		match, _ := entry.(map[string]any)
		id, token := envelope(match).text("match_id"), envelope(match).text("match_token")
		if id != "" && token != "" {
			p.kept.Matches[id] = token
		}
	}
	if err := p.kept.keep(); err != nil {
		return "", nil, &fault{-32603, "INTERNAL_ERROR", "what was announced could not be kept"}
	}
	return "ROUND_ANNOUNCEMENT_ACK", map[string]any{"status": "acknowledged"}, nil
}
