package wire

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

type inner struct {
	X float64 `json:"x"`
}

type outer struct {
	Name   string            `json:"name"`
	Maybe  int               `json:"maybe,omitempty"`
	List   []inner           `json:"list"`
	Ptr    *inner            `json:"ptr"`
	Raw    json.RawMessage   `json:"raw,omitempty"`
	Bytes  []byte            `json:"bytes"`
	Keys   map[string]string `json:"keys"`
	Hidden string            `json:"-"`
	When   time.Time         `json:"-"`
	Plain  bool
}

type nothing struct{}

type ops struct {
	DoIt func(outer) nothing
}

func TestTypeScript(t *testing.T) {
	got, err := TypeScript(reflect.TypeFor[ops]())
	if err != nil {
		t.Fatal(err)
	}
	want := `export interface inner {
  readonly x: number;
}

export type nothing = Readonly<Record<string, never>>;

export interface ops {
  doIt(args: outer): nothing;
}

export interface outer {
  readonly name: string;
  readonly maybe?: number | undefined;
  readonly list: readonly inner[];
  readonly ptr: inner | null;
  readonly raw?: unknown | undefined;
  readonly bytes: string;
  readonly keys: Readonly<Record<string, string>>;
  readonly Plain: boolean;
}
`
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestTypeScriptRefuses(t *testing.T) {
	type wide struct{ N uint64 }
	type channel struct{ C chan int }
	type keyed struct{ M map[int]string }
	type embeds struct{ inner }
	type twoArgs struct{ F func(int, int) int }
	type timed struct{ T time.Time }
	for _, r := range []reflect.Type{
		reflect.TypeFor[wide](), reflect.TypeFor[channel](), reflect.TypeFor[keyed](), reflect.TypeFor[twoArgs](),
		reflect.TypeFor[timed](), reflect.TypeFor[int](), reflect.TypeFor[struct{ A int }](),
	} {
		if got, err := TypeScript(r); err == nil {
			t.Errorf("%v: %s", r, got)
		}
	}
	// An embedded struct that is not exported is no member at all.
	if got, err := TypeScript(reflect.TypeFor[embeds]()); err != nil || got != "export interface embeds {\n}\n" {
		t.Errorf("embeds: %q, %v", got, err)
	}
}
