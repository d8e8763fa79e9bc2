package throwaway

import (
	"errors"

	"drawbridge/internal/wire"
)

// credential is what the extension of a run is known by.
const credential = "launched"

// access knows the extension of one run, and nobody else. Its token is in the
// folder of the browser and goes with it.
type access struct{ token string }

func (a access) Check(name string) (wire.Key, bool) { return wire.KeyOf(a.token), name == credential }

func (a access) Has(name string, key wire.Key) bool {
	k, ok := a.Check(name)
	return ok && k == key
}

func (access) Touch(string) {}

var errNobody = errors.New("nobody else may connect to a throw-away browser's run")

func (access) AddBrowser(string) (name, token string, err error) { return "", "", errNobody }

func (access) Revoke(string) error { return errNobody }
