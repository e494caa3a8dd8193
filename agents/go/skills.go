// What this agent can do. Replace this file with your own work; the others stay as they are.
//
// A skill gets the text it was sent and answers with a text. Besides, it may
//
//	say(text)             tell a piece of the result before the rest: seen at once by whoever streams
//	return "", Ask(text)  ask whoever sent it; what they answer comes as the next text
//	return "", Failure(…) give up, and say why
//	look at ctx           it is done when the task is canceled or the agent stops
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"regexp"
	"strconv"
	"strings"
	"time"
)

type Ask string

func (ask Ask) Error() string { return string(ask) }

// Failure is told to the caller. Any other error is logged, and the caller only hears that there was one.
type Failure string

func (failure Failure) Error() string { return string(failure) }

type Skill struct {
	ID, Description, Example string
	Run                      func(ctx context.Context, text string, say func(string)) (string, error)
}

var skills = []*Skill{
	{"echo", "Says what it was told.", "echo: hello", plain(func(text string) string { return text })},
	{"upper", "Says it in capital letters.", "upper: hello", plain(strings.ToUpper)},
	{"reverse", "Says it backwards.", "reverse: hello", plain(reverse)},
	{"wordcount", "Says how many words it has.", "wordcount: one two three", plain(wordcount)},
	{"greet", "Greets by name, and asks for the name where there is none.", "greet: Ada", greet},
	{"count", "Counts, one number at a time.", "count: 3", count},
	{"fail", "Fails, with what it was told as the reason.", "fail: out of paper", fail},
}

func plain(change func(string) string) func(context.Context, string, func(string)) (string, error) {
	return func(_ context.Context, text string, _ func(string)) (string, error) { return change(text), nil }
}

func reverse(text string) string {
	runes := []rune(text)
	for i, j := 0, len(runes)-1; i < j; i, j = i+1, j-1 {
		runes[i], runes[j] = runes[j], runes[i]
	}
	return string(runes)
}

func wordcount(text string) string { return strconv.Itoa(len(strings.Fields(text))) }

func greet(_ context.Context, text string, _ func(string)) (string, error) {
	if text == "" {
		return "", Ask("What is your name?")
	}
	return "Hello, " + text + "!", nil
}

func count(ctx context.Context, text string, say func(string)) (string, error) {
	last := 0
	if regexp.MustCompile(`^[0-9]{1,3}$`).MatchString(text) {
		last, _ = strconv.Atoi(text)
	}
	if last < 1 || last > 100 {
		return "", Failure("count needs a whole number from 1 to 100")
	}
	for number := 1; number < last; number++ {
		say(strconv.Itoa(number))
		select {
		case <-time.After(stepTime()):
		case <-ctx.Done():
			return "", ctx.Err()
		}
	}
	return strconv.Itoa(last), nil
}

func fail(_ context.Context, text string, _ func(string)) (string, error) { return "", Failure(text) }

func stepTime() time.Duration {
	if ms, err := strconv.Atoi(os.Getenv("STEP_MS")); err == nil {
		return time.Duration(ms) * time.Millisecond
	}
	return 200 * time.Millisecond
}

func skillNamed(name string) *Skill {
	for _, skill := range skills {
		if skill.ID == name {
			return skill
		}
	}
	return nil
}

var named = regexp.MustCompile(`(?s)^([a-z]+): ?(.*)$`)

// pick reads `upper: hello`, which names its skill; without a name it is the one of the variable SKILL, or echo.
func pick(text string) (*Skill, string) {
	if match := named.FindStringSubmatch(text); match != nil {
		if skill := skillNamed(match[1]); skill != nil {
			return skill, match[2]
		}
	}
	return skillNamed(setting("SKILL", "echo")), text
}

// textOf gives the text of an input that may be anything: as it is, its `text`, its `query`, or all of it as JSON.
func textOf(input json.RawMessage) string {
	var text string
	if json.Unmarshal(input, &text) == nil && !isNull(input) {
		return text
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(input, &members) == nil {
		for _, name := range []string{"text", "query"} {
			if json.Unmarshal(members[name], &text) == nil && text != "" {
				return text
			}
		}
	}
	if isNull(input) {
		return "{}"
	}
	var compact bytes.Buffer
	json.Compact(&compact, input)
	return compact.String()
}

// isNull is true of null and of what is not there.
func isNull(value json.RawMessage) bool { return len(value) == 0 || string(value) == "null" }

func setting(name, otherwise string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	return otherwise
}
