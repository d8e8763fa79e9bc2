package e2e

var kitElementHTML = kitArea{name: "readable element HTML", behaviours: []behaviour{
	{"54 of a field", func(k *kit) {
		t := k.open("/form-test")
		s := t.html(t.path("Enter username"))
		html := t.textOf(s)
		if s.PageNumber != 1 || html == "" || html[0] != '<' {
			t.Errorf("%+v", s)
		}
		t.has(html, "Enter username")
	}},
	{"55 as a resource", func(k *kit) {
		t := k.open("/form-test")
		path := t.path("Enter username")
		tool, resource := t.html(path), t.snapshot(t.resource(t.uri()+"/readable-element-html/"+path))
		if string(tool.Data) != string(resource.Data) || tool.TotalPages != resource.TotalPages {
			t.Errorf("%+v, and as a resource %+v", tool, resource)
		}
	}},
}}

func (t *kitTab) html(path string) kitSnapshot {
	t.Helper()
	return t.snapshot(t.do("getReadableElementHtml", args{"browserId": t.id, "tabId": t.tab, "readablePath": path}).text)
}

var kitElementValues = kitArea{name: "readable element values", behaviours: []behaviour{
	{"56 a checked box", func(k *kit) {
		if x := k.open("/form-test").element("Subscribe to newsletter"); len(x) != 4 || x[3] != "checked" {
			k.Errorf("%q", x)
		}
	}},
	{"57 what is empty", func(k *kit) {
		t := k.open("/form-test")
		for _, text := range []string{"Receive marketing emails", "Enter username"} {
			if x := t.element(text); len(x) != 3 {
				k.Errorf("%q", x)
			}
		}
	}},
	{"58 a field that was filled keeps its path", func(k *kit) {
		t := k.open("/form-test")
		path := t.path("Enter username")
		t.fill("Enter username", "testuser123")
		if x := t.element("Enter username"); x[0] != path || len(x) != 4 || x[3] != "testuser123" {
			t.Errorf("%s became %q", path, x)
		}
	}},
	{"+ a password is not told", func(k *kit) {
		t := k.open("/form-test")
		told := t.fill("Enter password", "canary-pass")
		if got := t.holds("password-input"); got != "canary-pass" {
			t.Errorf("it holds %q", got)
		}
		for _, x := range append(t.elements(), t.signed(told, "+")...) {
			if len(x) == 4 && x[3] == "canary-pass" {
				t.Errorf("%q", x)
			}
		}
	}},
}}
