package pageagent

import (
	"context"
	"math"
	"time"

	"drawbridge/internal/browser"
)

const (
	steersMost = 6   // times that the keys' effect is looked at
	burstMost  = 250 // keys in between
	nudgesMost = 4   // presses on a track
)

// amount is a number on its way to what was asked for.
type amount struct {
	*filling
	ref  browser.Ref
	want float64
	now  float64
	has  bool // a number at all
}

// steer moves a slider, or what spins, to a number: with the arrow keys, else
// with digits, or by pressing on its track. Whether it got there is read back
// by the caller.
func (w *filling) steer(ctx context.Context, ref browser.Ref, how PrepareReply, end time.Time) error {
	if _, err := w.aim(ctx, browser.Spot{Ref: ref}, purpose{what: "focus", more: true}, end); err != nil {
		return err
	}
	a := &amount{filling: w, ref: ref, want: how.Want}
	if _, err := a.read(ctx, false); err != nil {
		return err
	}
	keys := [][2]string{{"ArrowRight", "ArrowLeft"}, {"ArrowUp", "ArrowDown"}}
	if how.Spins {
		keys[0], keys[1] = keys[1], keys[0]
	}
	for _, pair := range keys {
		if !a.has {
			break
		}
		moved, err := a.step(ctx, pair)
		if err != nil || moved {
			return err
		}
	}
	switch {
	case how.Spins:
		return a.input(ctx, "nothing was typed", typing(how.Text)...)
	case how.Per > 0 && ref.Frame == "":
		return a.nudge(ctx, how)
	}
	return nil
}

// read reads the number; patient allows the page a moment to change it. It
// tells by how much it changed.
func (a *amount) read(ctx context.Context, patient bool) (float64, error) {
	for {
		v, err := ask[ValueReply](ctx, a.work, a.ref.Frame, opReadValue, ElementArgs{N: a.ref.N})
		if err != nil {
			return 0, err
		}
		was := a.now
		if a.has = v.Now != nil; a.has {
			a.now = *v.Now
		}
		if a.now != was || !patient {
			return a.now - was, nil
		}
		patient = false
		if err := sleep(ctx, nil, time.Now().Add(afterthought)); err != nil {
			return 0, err
		}
	}
}

// step presses one of two keys, first once to see what it does; moved tells
// whether it did anything.
func (a *amount) step(ctx context.Context, pair [2]string) (moved bool, err error) {
	for range steersMost {
		name := pair[0]
		if a.want < a.now {
			name = pair[1]
		}
		far := math.Abs(a.want - a.now)
		by, err := a.press(ctx, name, 1)
		if err != nil || by == 0 {
			return moved, err
		}
		moved = true
		left := math.Abs(a.want - a.now)
		if left > far { // the other way round, or it went past its end
			pair[0], pair[1] = pair[1], pair[0]
		}
		n := min(burstMost, int(left/math.Abs(by)+1e-9))
		if left >= far || n == 0 {
			if left == 0 || left < math.Abs(by) {
				return moved, nil
			}
			continue
		}
		if _, err := a.press(ctx, name, n); err != nil || a.now == a.want {
			return moved, err
		}
	}
	return moved, nil
}

func (a *amount) press(ctx context.Context, name string, times int) (float64, error) {
	k, _ := namedKey(name)
	var events []InputEvent
	for range times {
		events = append(events, k.events(0)...)
	}
	if err := a.input(ctx, "it was not moved", events...); err != nil {
		return 0, err
	}
	return a.read(ctx, true)
}

// nudge presses on the track of a slider, ever nearer to the number.
func (a *amount) nudge(ctx context.Context, how PrepareReply) error {
	at := browser.Point{X: how.X, Y: how.Y}
	for range nudgesMost {
		if err := a.input(ctx, "it was not moved", press{button: "left", count: 1}.events(at)...); err != nil {
			return err
		}
		by, err := a.read(ctx, true)
		if err != nil || a.now == a.want || by == 0 {
			return err
		}
		at.X += (a.want - a.now) * how.Per
	}
	return nil
}
