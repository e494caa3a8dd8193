package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"sync"
	"time"
)

// The tasks of this agent, in memory. A bounded number is kept; a restart forgets them.
const mostTasks = 1000

var errBusy = errors.New("Too many tasks at once")

// One lock for everything below: what is done under it is short.
var (
	mutex     sync.Mutex
	tasks     = map[string]*Task{}
	order     []*Task // the oldest first
	byMessage = map[string]*Task{}
)

// Part has a text or data.
type Part struct {
	Text *string
	Data json.RawMessage
}

type Message struct {
	ID, Role string
	Parts    []Part
}

type Status struct {
	State     string
	Message   *Message
	Timestamp string
}

// Update is a new status, or a new part of the result.
type Update struct {
	Status *Status
	Final  bool
	Part   Part
	Append bool
	Last   bool
}

type Task struct {
	ID, ContextID string
	Status        Status
	Parts         []Part // of its one artifact
	History       []Message
	Updates       []Update // everything that happened, for those who stream
	skill         *Skill
	keys          []string // of the messages that belong to it
	pending       *string
	changed       chan struct{} // closed, and replaced, with every update
	ctx           context.Context
	stop          context.CancelFunc
}

func newTask(contextID string) (*Task, error) {
	if err := makeRoom(); err != nil {
		return nil, err
	}
	task := &Task{ID: newID(), ContextID: contextID, changed: make(chan struct{})}
	task.ctx, task.stop = context.WithCancel(context.Background())
	task.become("submitted", nil)
	tasks[task.ID] = task
	order = append(order, task)
	return task, nil
}

func (task *Task) hasEnded() bool {
	return task.Status.State == "completed" || task.Status.State == "failed" || task.Status.State == "canceled"
}

// rests means that nothing happens until somebody does something.
func (task *Task) rests() bool { return task.hasEnded() || task.Status.State == "input-required" }

func (task *Task) become(state string, text *string) {
	// What has ended stays as it is: the late result of a canceled task is dropped.
	if task.hasEnded() {
		return
	}
	status := Status{State: state, Timestamp: time.Now().UTC().Format("2006-01-02T15:04:05.000Z")}
	if text != nil {
		status.Message = &Message{ID: newID(), Role: "agent", Parts: []Part{{Text: text}}}
	}
	task.Status = status
	task.tell(Update{Status: &status, Final: task.rests()})
}

func (task *Task) add(text string, last bool) {
	if task.hasEnded() {
		return
	}
	part := Part{Text: &text}
	task.Parts = append(task.Parts, part)
	task.tell(Update{Part: part, Append: len(task.Parts) > 1, Last: last})
}

func (task *Task) tell(update Update) {
	task.Updates = append(task.Updates, update)
	close(task.changed)
	task.changed = make(chan struct{})
}

// take gets a message: what it asks for is done by start, once whoever streams is listening.
func (task *Task) take(message Message, key string, skill *Skill, text string) {
	if task.Status.Message != nil {
		task.History = append(task.History, *task.Status.Message)
	}
	task.History = append(task.History, message)
	task.keys = append(task.keys, key)
	byMessage[key] = task
	task.skill, task.pending = skill, &text
	task.become("working", nil)
}

func (task *Task) start() {
	if task.pending == nil {
		return
	}
	text := *task.pending
	task.pending = nil
	go task.work(text)
}

func (task *Task) work(text string) {
	result, err := run(task.ctx, task.skill, text, func(piece string) {
		mutex.Lock()
		defer mutex.Unlock()
		task.add(piece, false)
	})
	mutex.Lock()
	defer mutex.Unlock()
	var ask Ask
	switch {
	case err == nil:
		task.add(result, true)
		task.become("completed", nil)
	case errors.As(err, &ask):
		question := string(ask)
		task.become("input-required", &question)
	default:
		reason := reasonOf(err)
		task.become("failed", &reason)
	}
}

// run keeps a skill that panics from taking the whole agent along.
func run(ctx context.Context, skill *Skill, text string, say func(string)) (result string, err error) {
	defer func() {
		if panicked := recover(); panicked != nil {
			err = fmt.Errorf("%s panicked: %v", skill.ID, panicked)
		}
	}()
	return skill.Run(ctx, text, say)
}

// makeRoom lets the oldest that rests make room for a new one.
func makeRoom() error {
	if len(order) < mostTasks {
		return nil
	}
	for index, task := range order {
		if task.rests() {
			order = append(order[:index], order[index+1:]...)
			delete(tasks, task.ID)
			for _, key := range task.keys {
				delete(byMessage, key)
			}
			task.stop()
			return nil
		}
	}
	return errBusy
}

// reasonOf is what a caller may know of an error.
func reasonOf(err error) string {
	var failure Failure
	if errors.As(err, &failure) {
		return string(failure)
	}
	if errors.Is(err, context.Canceled) {
		return "The agent was stopped."
	}
	log.Print(err)
	return "The agent could not do it."
}

// stopTasks ends what runs, so that whoever waits gets an answer.
func stopTasks() {
	mutex.Lock()
	defer mutex.Unlock()
	why := "The agent was stopped."
	for _, task := range order {
		if !task.rests() {
			task.become("failed", &why)
		}
		task.stop()
	}
}

// newID makes a random UUID.
func newID() string {
	var id [16]byte
	if _, err := rand.Read(id[:]); err != nil {
		panic(err)
	}
	id[6], id[8] = id[6]&0x0f|0x40, id[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", id[:4], id[4:6], id[6:8], id[8:10], id[10:])
}
