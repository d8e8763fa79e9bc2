package e2e

var kitScroll = kitArea{name: "scroll tools", behaviours: []behaviour{
	{"84 a screen down", func(k *kit) {
		t := k.open("/scroll-test")
		t.scroll("down", 0)
		t.between("scroll-y", 101, 4000)
	}},
	{"85 down by an amount", func(k *kit) {
		t := k.open("/scroll-test")
		t.scroll("down", 400)
		t.between("scroll-y", 391, 410)
	}},
	{"86 down and up", func(k *kit) {
		t := k.open("/scroll-test")
		t.scroll("down", 800)
		t.between("scroll-y", 791, 810)
		t.scroll("up", 800)
		t.between("scroll-y", 0, 0)
	}},
	{"87 right and left", func(k *kit) {
		t := k.open("/scroll-test")
		t.scroll("right", 300)
		t.between("scroll-x", 291, 310)
		t.scroll("left", 300)
		t.between("scroll-x", 0, 0)
	}},
	{"88 up at the top", func(k *kit) {
		t := k.open("/scroll-test")
		t.scroll("up", 0)
		t.between("scroll-y", 0, 0)
	}},
	{"89 an element", func(k *kit) {
		t := k.open("/scroll-test")
		t.on("scrollElement", "Scrollable list", args{"direction": "down"})
		t.between("container-scroll-top", 51, 1500)
		t.between("scroll-y", 0, 0)
	}},
	{"90 an element by an amount", func(k *kit) {
		t := k.open("/scroll-test")
		t.on("scrollElement", "Scrollable list", args{"direction": "down", "amount": 200})
		t.between("container-scroll-top", 191, 210)
	}},
	{"91 an element down and up", func(k *kit) {
		t := k.open("/scroll-test")
		t.on("scrollElement", "Button In List", args{"direction": "down", "amount": 400}) // what holds it scrolls
		t.between("container-scroll-top", 391, 410)
		t.on("scrollElement", "Scrollable list", args{"direction": "up", "amount": 400})
		t.between("container-scroll-top", 0, 0)
	}},
}}

func (t *kitTab) scroll(direction string, amount int) {
	t.Helper()
	a := t.args(args{"direction": direction})
	if amount > 0 {
		a["amount"] = amount
	}
	t.report(t.do("scrollPage", a))
}

// between waits until a number in the page is in a range.
func (t *kitTab) between(id string, low, high int) {
	t.Helper()
	until(t.T, id, func() bool { n := t.number(id); return n >= low && n <= high })
}
