// An agent that Gleitzeit, or any A2A client, can call. Go 1.19 or later, nothing to install.
//
//	go run . [port]      PORT, HOST, SKILL, TOKEN, PUBLIC_URL and STEP_MS are read from the environment
//
// One address takes A2A 0.3, A2A 1.0 (a2a.go) and simple-a2a (simple.go), told apart by what comes in.
package main

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"regexp"
	"strconv"
	"syscall"
	"time"
	"unicode/utf8"
)

const (
	largestBody   = 1024 * 1024
	mostCalls     = 64
	keepAliveTime = 15 * time.Second
	stopTime      = 10 * time.Second
)

type agent struct {
	url, token string
	calls      chan struct{}
	stopping   context.Context
}

var (
	cardPath     = regexp.MustCompile(`/\.well-known/agent(-card)?\.json$`)
	jsonType     = regexp.MustCompile(`(?i)^application/json\s*(;|$)`)
	correlatable = regexp.MustCompile(`^[!-~]{1,200}$`)
)

func (agent *agent) ServeHTTP(response http.ResponseWriter, request *http.Request) {
	version := request.Header.Get("A2A-Version")
	if version == "" {
		version = request.URL.Query().Get("A2A-Version")
	}
	// By it, a call is found in the logs of both sides.
	if id := request.Header.Get("X-Correlation-ID"); correlatable.MatchString(id) {
		response.Header().Set("X-Correlation-ID", id)
	}
	switch {
	case request.Method == http.MethodGet && request.URL.Path == "/health":
		sendJSON(response, 200, map[string]string{"status": "ok"})
	case request.Method == http.MethodGet && cardPath.MatchString(request.URL.Path):
		agent.sendCard(response, request, version)
	case request.Method != http.MethodPost:
		refuse(response, 405, "Send a POST", "Allow", "POST")
	case !agent.allows(request.Header.Get("Authorization")):
		refuse(response, 401, "Send the token", "WWW-Authenticate", "Bearer")
	default:
		select {
		case agent.calls <- struct{}{}:
			defer func() { <-agent.calls }()
			agent.answer(response, request, version)
		default:
			refuse(response, 503, "Too many calls at once", "Retry-After", "1")
		}
	}
}

func (agent *agent) answer(response http.ResponseWriter, request *http.Request, version string) {
	if !jsonType.MatchString(request.Header.Get("Content-Type")) {
		sendJSON(response, 415, wrongContentType())
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(response, request.Body, largestBody))
	if err != nil {
		var tooLarge *http.MaxBytesError
		if errors.As(err, &tooLarge) {
			refuse(response, 413, fmt.Sprintf("At most %d bytes", largestBody), "Connection", "close")
		}
		return
	}
	if !utf8.Valid(body) || !json.Valid(body) {
		sendJSON(response, 200, parseError())
		return
	}
	if simple, isSimple := readSimple(body); isSimple {
		status, told := answerSimple(agent.stopping, simple)
		sendJSON(response, status, told)
		return
	}
	switch result := call(request.Context(), body, version).(type) {
	case streamed:
		sendEvents(response, result)
	default:
		sendJSON(response, 200, result)
	}
}

// allows compares in constant time, so that the token cannot be guessed letter by letter.
func (agent *agent) allows(header string) bool {
	given, wanted := sha256.Sum256([]byte(header)), sha256.Sum256([]byte("Bearer "+agent.token))
	return agent.token == "" || subtle.ConstantTimeCompare(given[:], wanted[:]) == 1
}

func sendEvents(response http.ResponseWriter, told streamed) {
	response.Header().Set("Content-Type", "text/event-stream")
	response.Header().Set("Cache-Control", "no-cache")
	response.WriteHeader(200)
	flusher := response.(http.Flusher)
	beat := time.NewTicker(keepAliveTime)
	defer beat.Stop()
	for {
		select {
		case event, more := <-told.events:
			if !more {
				return
			}
			fmt.Fprintf(response, "data: %s\n\n", encode(answer{JSONRPC: "2.0", ID: told.id, Result: event}))
		case <-beat.C:
			// Proxies close what is silent for long. A comment is ignored by whoever reads events.
			io.WriteString(response, ": keep-alive\n\n")
		}
		flusher.Flush()
	}
}

func refuse(response http.ResponseWriter, status int, why, header, value string) {
	response.Header().Set(header, value)
	sendJSON(response, status, map[string]string{"error": why})
}

func sendJSON(response http.ResponseWriter, status int, value any) {
	body := encode(value)
	response.Header().Set("Content-Type", "application/json")
	response.Header().Set("Content-Length", strconv.Itoa(len(body)))
	response.WriteHeader(status)
	response.Write(body)
}

func main() {
	if skillNamed(setting("SKILL", "echo")) == nil {
		log.Fatal("SKILL is not one of this agent.")
	}
	port := setting("PORT", "9100")
	if len(os.Args) > 1 {
		port = os.Args[1]
	}
	listener, err := net.Listen("tcp", net.JoinHostPort(setting("HOST", "127.0.0.1"), port))
	if err != nil {
		log.Fatal(err)
	}
	url := fmt.Sprintf("http://%s/", listener.Addr())
	stopping, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()
	server := &http.Server{
		Handler: &agent{setting("PUBLIC_URL", url), os.Getenv("TOKEN"), make(chan struct{}, mostCalls), stopping},
		// Answers may take as long as their work takes, so there is no WriteTimeout.
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       30 * time.Second,
		IdleTimeout:       60 * time.Second,
	}
	fmt.Printf("Listening on %s\n", url)
	go server.Serve(listener)
	<-stopping.Done()
	// What runs is ended, its callers are answered, and then the program ends.
	stopTasks()
	ending, cancel := context.WithTimeout(context.Background(), stopTime)
	defer cancel()
	if server.Shutdown(ending) != nil {
		os.Exit(1)
	}
}
