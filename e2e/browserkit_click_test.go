package e2e

var kitClick = kitArea{name: "click tools", behaviours: []behaviour{
	{"01 an element by its path", func(k *kit) {
		t := k.open("/click-test")
		t.click("Primary Button")
		t.says("click-count", "Click Count: 1")
		t.says("last-clicked", "Last Clicked: primary-button")
	}},
	{"02 a nested element by its path", func(k *kit) {
		t := k.open("/click-test")
		t.click("Nested Button")
		t.says("last-clicked", "Last Clicked: nested-button")
	}},
	{"03 a place", func(k *kit) {
		t := k.open("/click-test")
		t.at("clickOnCoordinates", "secondary-button", nil)
		t.says("last-clicked", "Last Clicked: secondary-button")
	}},
	{"04 a place in the middle of a box", func(k *kit) {
		t := k.open("/click-test")
		t.at("clickOnCoordinates", "center-button", nil)
		t.says("last-clicked", "Last Clicked: center-button")
		t.says("click-count", "Click Count: 1")
	}},
}}

var kitFallback = kitArea{name: "fallback tools", behaviours: []behaviour{
	{"08 a button that only hears mousedown", func(k *kit) {
		t := k.open("/fallback-test")
		t.click("Resistant Button")
		t.says("mousedown-count", "Mousedown Count: 1")
	}},
	{"09 an ordinary button is clicked once", func(k *kit) {
		t := k.open("/fallback-test")
		t.click("Standard Button")
		t.says("standard-click-count", "Standard Click Count: 1")
	}},
	{"10 an unknown browser", func(k *kit) {
		t := k.open("/fallback-test")
		path := t.path("Standard Button")
		k.refuses("clickOnElement", t.args(args{"browserId": "nowhere1", "readablePath": path}), "No channel found for browser instance: nowhere1")
		t.says("standard-click-count", "Standard Click Count: 0")
	}},
}}
