package e2e

var kitForm = kitArea{name: "form tools", behaviours: []behaviour{
	{"11 a field by its path", func(k *kit) {
		t := k.open("/form-test")
		t.fill("Enter username", "testuser123")
		t.shows("username-input", "testuser123")
	}},
	{"12 a text of two lines", func(k *kit) {
		t := k.open("/form-test")
		t.fill("Enter your message", "The first line.\nThe second line.")
		t.shows("message-textarea", "The first line.\nThe second line.")
	}},
	{"13 a field at a place", func(k *kit) {
		t := k.open("/form-test")
		t.at("fillTextToCoordinates", "email-input", args{"value": "ann@example.com"})
		t.shows("email-input", "ann@example.com")
	}},
	{"14 Enter in a field", func(k *kit) {
		t := k.open("/form-test")
		t.fill("Search...", "drawbridge")
		t.on("hitEnterOnElement", "Search...", nil)
		t.says("search-result", "Search submitted: drawbridge")
	}},
	{"15 Enter at a place", func(k *kit) {
		t := k.open("/form-test")
		t.at("fillTextToCoordinates", "search-input", args{"value": "portcullis"})
		t.at("hitEnterOnCoordinates", "search-input", nil)
		t.says("search-result", "Search submitted: portcullis")
	}},
	{"16 a form", func(k *kit) {
		t := k.open("/form-test")
		t.fill("Enter username", "formuser")
		t.fill("Enter email", "formuser@example.com")
		t.click("Submit Form")
		t.says("submitted-data", `{"username":"formuser","email":"formuser@example.com","select":"","message":""}`)
		if t.js("return "+part("submitted-data")+".checkVisibility()") != "true" {
			t.Error("what was submitted is not shown")
		}
	}},
}}

// shows checks what a field holds, and that the page's own state has it: it is
// among what the page says of that.
func (t *kitTab) shows(id, value string) {
	t.Helper()
	if got := t.holds(id); got != value {
		t.Errorf("%s holds %q, not %q", id, got, value)
	}
	var state map[string]any
	t.decode(t.said("form-state"), &state)
	for _, v := range state {
		if v == value {
			return
		}
	}
	t.Errorf("the page does not know of %q: %v", value, state)
}
