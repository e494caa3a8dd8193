// A player of the league: JSON-RPC 2.0 at POST /mcp. Go 1.19 or later, nothing to install.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strconv"
	"syscall"
)

const maxBody = 1 << 20

var self = "player:" + setting("PLAYER_ID", "go")

func setting(name, otherwise string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	return otherwise
}

func main() {
	if err := run(); err != nil {
		fmt.Println("Not registered:", err)
		os.Exit(1)
	}
}

func run() error {
	kept, err := readState(os.Getenv("STATE_FILE"))
	if err != nil {
		return err
	}
	port := setting("PORT", "0")
	if len(os.Args) > 1 {
		port = os.Args[1]
	}
	if port == "0" {
		port = strconv.Itoa(kept.Port)
	}
	host := setting("HOST", "127.0.0.1")
	listener, err := net.Listen("tcp", net.JoinHostPort(host, port))
	if err != nil {
		return err
	}
	kept.Port = listener.Addr().(*net.TCPAddr).Port
	url := setting("PUBLIC_URL", fmt.Sprintf("http://%s/mcp", net.JoinHostPort(host, strconv.Itoa(kept.Port))))
	p := &player{
		seed: setting("SEED", "1"), kept: kept, invited: map[string]map[[2]string]bool{},
		games: map[string]string{}, results: map[string]int{"win": 0, "loss": 0, "draw": 0},
	}
	ended := make(chan os.Signal, 1)
	signal.Notify(ended, syscall.SIGTERM, os.Interrupt)
	go http.Serve(listener, routes(p))
	fmt.Println("Listening on", url)
	if err := register(p, url); err != nil {
		return err
	}
	<-ended
	return nil
}

// Once in its life: a player that was restarted goes on with the token it has.
func register(p *player, url string) error {
	manager := setting("MANAGER_URL", "http://127.0.0.1:9300/mcp")
	if p.kept.AuthToken == "" {
		if p.kept.Registration == "" {
			p.kept.Registration = uuid()
		}
		if err := p.kept.keep(); err != nil {
			return err
		}
		payload := map[string]any{"player_id": setting("PLAYER_ID", "go"), "endpoint_url": url}
		given, err := patiently(func() (map[string]any, error) {
			return ask(manager, newEnvelope("REGISTER_PLAYER_REQUEST", p.kept.Registration), payload)
		})
		if err != nil {
			return err
		}
		p.lock.Lock()
		p.kept.AuthToken, p.kept.LeagueID = envelope(given).text("auth_token"), envelope(given).text("league_id")
		err = p.kept.keep()
		p.lock.Unlock()
		if err != nil {
			return err
		}
	}
	fmt.Println("Registered as", self, "in", p.kept.LeagueID)
	_, err := patiently(func() (map[string]any, error) {
		head := newEnvelope("AGENT_READY_REQUEST", "")
		head["auth_token"], head["league_id"] = p.kept.AuthToken, p.kept.LeagueID
		return ask(manager, head, map[string]any{})
	})
	var no refused
	if errors.As(err, &no) {
		// Said again after a restart, or too late: it can play all the same.
		fmt.Println("The manager did not want to hear that it is ready:", no)
		return nil
	}
	return err
}

func routes(p *player) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/health", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, 200, map[string]any{"status": "ok"})
	})
	mux.HandleFunc("/status", func(w http.ResponseWriter, _ *http.Request) {
		p.lock.Lock()
		defer p.lock.Unlock()
		answer(w, 200, map[string]any{"player_id": setting("PLAYER_ID", "go"), "results": p.results})
	})
	mux.HandleFunc("/mcp", p.serve)
	return mux
}

func (p *player) serve(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		http.Error(w, "POST only", http.StatusMethodNotAllowed)
		return
	}
	var message any
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil || json.Unmarshal(body, &message) != nil {
		failed(w, 400, nil, nil, &fault{-32700, "INVALID_JSON_RPC", "the body is no JSON"})
		return
	}
	request, _ := message.(map[string]any)
	if request["jsonrpc"] != "2.0" || request["id"] == nil {
		failed(w, 400, request["id"], nil, &fault{-32600, "INVALID_JSON_RPC", "this is no JSON-RPC request"})
		return
	}
	params, _ := request["params"].(map[string]any)
	head, there := params["envelope"].(map[string]any)
	payload, _ := params["payload"].(map[string]any)
	switch {
	case request["method"] != "league.handle":
		failed(w, 200, request["id"], head, &fault{-32601, "INVALID_METHOD", "the method is league.handle"})
		return
	case !there:
		failed(w, 200, request["id"], nil, &fault{-32600, "MISSING_ENVELOPE", "params has no envelope"})
		return
	}
	kind, said, wrong := p.handle(head, payload)
	if wrong != nil {
		failed(w, 200, request["id"], head, wrong)
		return
	}
	back := newEnvelope(kind, envelope(head).text("conversation_id"))
	for _, field := range []string{"league_id", "round_id", "match_id", "game_type"} {
		if about, there := head[field]; there {
			back[field] = about
		}
	}
	result := map[string]any{"envelope": back, "payload": said}
	answer(w, 200, map[string]any{"jsonrpc": "2.0", "id": request["id"], "result": result})
}

func failed(w http.ResponseWriter, status int, id any, head envelope, wrong *fault) {
	shown := envelope{}
	for field, value := range head {
		if field != "auth_token" {
			shown[field] = value
		}
	}
	data := map[string]any{"envelope": shown, "details": wrong.details, "error_code": wrong.name}
	problem := map[string]any{"code": wrong.code, "message": wrong.details, "data": data}
	answer(w, status, map[string]any{"jsonrpc": "2.0", "id": id, "error": problem})
}

func answer(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(body)
}
