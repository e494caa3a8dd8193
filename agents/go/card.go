package main

import (
	"crypto/sha256"
	"fmt"
	"net/http"
	"strings"
)

// The card: what others learn about this agent before they call it.

type card struct {
	// Clients of 0.3 look for members of their own, and ignore those of 1.0 that they do not know.
	ProtocolVersion      string         `json:"protocolVersion,omitempty"`
	Name                 string         `json:"name"`
	Description          string         `json:"description"`
	URL                  string         `json:"url,omitempty"`
	PreferredTransport   string         `json:"preferredTransport,omitempty"`
	SupportedInterfaces  []cardPlace    `json:"supportedInterfaces"`
	Version              string         `json:"version"`
	Capabilities         capabilities   `json:"capabilities"`
	SecuritySchemes      map[string]any `json:"securitySchemes,omitempty"`
	Security             []any          `json:"security,omitempty"`
	SecurityRequirements []any          `json:"securityRequirements,omitempty"`
	DefaultInputModes    []string       `json:"defaultInputModes"`
	DefaultOutputModes   []string       `json:"defaultOutputModes"`
	Skills               []cardSkill    `json:"skills"`
}

type cardPlace struct {
	URL             string `json:"url"`
	ProtocolBinding string `json:"protocolBinding"`
	ProtocolVersion string `json:"protocolVersion"`
}

type capabilities struct {
	Streaming         bool `json:"streaming"`
	PushNotifications bool `json:"pushNotifications"`
}

type cardSkill struct {
	ID          string   `json:"id"`
	Name        string   `json:"name"`
	Description string   `json:"description"`
	Tags        []string `json:"tags"`
	Examples    []string `json:"examples"`
}

type httpScheme struct {
	Type   string `json:"type,omitempty"`
	Scheme string `json:"scheme"`
}

func (agent *agent) card(version string) card {
	shown := card{
		Name:                "sample-agent",
		Description:         "A small agent to copy: it changes, counts and greets.",
		SupportedInterfaces: []cardPlace{{agent.url, "JSONRPC", "1.0"}, {agent.url, "JSONRPC", "0.3"}},
		Version:             "1.0.0",
		Capabilities:        capabilities{Streaming: true},
		DefaultInputModes:   []string{"text/plain", "application/json"},
		DefaultOutputModes:  []string{"text/plain"},
	}
	for _, skill := range skills {
		one := cardSkill{skill.ID, skill.ID, skill.Description, []string{"text"}, []string{skill.Example}}
		shown.Skills = append(shown.Skills, one)
	}
	pure := strings.HasPrefix(version, "1")
	if !pure {
		shown.ProtocolVersion, shown.URL, shown.PreferredTransport = "0.3.0", agent.url, "JSONRPC"
	}
	if agent.token != "" && pure {
		shown.SecuritySchemes = map[string]any{"bearer": map[string]any{"httpAuthSecurityScheme": httpScheme{Scheme: "bearer"}}}
		list := map[string]any{"list": []string{}}
		shown.SecurityRequirements = []any{map[string]any{"schemes": map[string]any{"bearer": list}}}
	} else if agent.token != "" {
		shown.SecuritySchemes = map[string]any{"bearer": httpScheme{"http", "bearer"}}
		shown.Security = []any{map[string]any{"bearer": []string{}}}
	}
	return shown
}

func (agent *agent) sendCard(response http.ResponseWriter, request *http.Request, version string) {
	shown := agent.card(version)
	etag := fmt.Sprintf(`"%x"`, sha256.Sum256(encode(shown)))[:33] + `"`
	response.Header().Set("Cache-Control", "public, max-age=300")
	response.Header().Set("ETag", etag)
	// The card depends on a header, and caches have to know.
	response.Header().Set("Vary", "A2A-Version")
	if request.Header.Get("If-None-Match") == etag {
		response.WriteHeader(304)
		return
	}
	sendJSON(response, 200, shown)
}
