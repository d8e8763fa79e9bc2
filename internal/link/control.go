package link

import (
	"crypto/subtle"
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"drawbridge/internal/wire"
)

// Confirmed is a browser that was paired.
type Confirmed struct {
	Name    string `json:"name"`
	Product string `json:"product"`
}

// Present is a browser that is attached.
type Present struct {
	Credential string `json:"credential"`
	Name       string `json:"name"`
	Product    string `json:"product"`
	Version    string `json:"version"`           // of its extension
	Connected  bool   `json:"connected"`         // else it is waited for
	Refusal    string `json:"refusal,omitempty"` // why its calls are refused
}

// Cut tells how many browsers were cut off.
type Cut struct {
	Browsers int `json:"browsers"`
}

// Bodies of requests to /control.
type (
	pairBody struct {
		Code string `json:"code"`
	}
	revokeBody struct {
		Name string `json:"name"`
	}
)

// maxControl bounds the body of a request to /control.
const maxControl = 4 << 10

// control adds what the drawbridge commands of the same user may ask for.
func (s *Server) control() {
	s.mux.HandleFunc("GET /control/browsers", s.admin(func(*http.Request) (any, *wire.Fault) { return s.present(), nil }))
	s.mux.HandleFunc("POST /control/pair", s.admin(func(r *http.Request) (any, *wire.Fault) {
		var body pairBody
		if json.NewDecoder(r.Body).Decode(&body) != nil {
			f := invalid("the request is not readable")
			return nil, &f
		}
		return orFault(s.confirm(r.Context(), body.Code))
	}))
	s.mux.HandleFunc("POST /control/revoked", s.admin(func(r *http.Request) (any, *wire.Fault) {
		var body revokeBody
		if json.NewDecoder(r.Body).Decode(&body) != nil {
			f := invalid("the request is not readable")
			return nil, &f
		}
		return Cut{s.cutOff(body.Name)}, nil
	}))
}

func orFault(v any, f *wire.Fault) (any, *wire.Fault) { return v, f }

// admin answers with what do returns, if the request has the token of this run
// and comes from no browser.
func (s *Server) admin(do func(*http.Request) (any, *wire.Fault)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		if !ok || s.o.Admin == "" || len(r.Header["Origin"]) > 0 || subtle.ConstantTimeCompare([]byte(token), []byte(s.o.Admin)) != 1 {
			http.Error(w, "not for you", http.StatusForbidden)
			return
		}
		r.Body = http.MaxBytesReader(w, r.Body, maxControl)
		answer, fault := do(r)
		w.Header().Set("Content-Type", "application/json")
		if fault != nil {
			w.WriteHeader(http.StatusConflict)
			answer = fault
		}
		_ = json.NewEncoder(w).Encode(answer) // whoever asked may have gone
	}
}

// present lists the browsers that are attached.
func (s *Server) present() []Present {
	s.mu.Lock()
	members := make([]member, 0, len(s.peers))
	for _, m := range s.peers {
		members = append(members, *m)
	}
	s.mu.Unlock()
	out := []Present{}
	for _, m := range members {
		m.remote.mu.Lock()
		p := Present{Credential: m.credential, Name: m.hello.Name, Product: m.hello.Product, Version: m.hello.Version, Connected: m.conn != nil}
		if m.refusal != nil {
			p.Refusal = m.refusal.Error()
		}
		ended := m.end != nil
		m.remote.mu.Unlock()
		if !ended {
			out = append(out, p)
		}
	}
	slices.SortFunc(out, func(a, b Present) int { return strings.Compare(a.Credential+"\n"+a.Name, b.Credential+"\n"+b.Name) })
	return out
}
