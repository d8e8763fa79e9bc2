package tool

// Opt is an argument that may be absent, where its zero value means something
// else. Its schema is that of T, and it is never required.
type Opt[T any] struct {
	value T
	set   bool
}

// Some is a given argument.
func Some[T any](v T) Opt[T] { return Opt[T]{value: v, set: true} }

// Get returns the value and whether it was given.
func (o Opt[T]) Get() (T, bool) { return o.value, o.set }

// IsSet tells whether the argument was given.
func (o Opt[T]) IsSet() bool { return o.set }

// Or returns the value, or def when it was not given.
func (o Opt[T]) Or(def T) T {
	if o.set {
		return o.value
	}
	return def
}

// slot marks the argument as given and returns where its value goes.
func (o *Opt[T]) slot() any {
	o.set = true
	return &o.value
}

type optional interface{ slot() any }
