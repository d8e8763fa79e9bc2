package e2e

import (
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"drawbridge/demo"
)

var port = regexp.MustCompile(`127\.0\.0\.1:\d+`)

// TestTheSamplesOfTheReadmeAreTrue brings about what the README shows of
// answers, on the demo site: every line is in the answer, in that order.
func TestTheSamplesOfTheReadmeAreTrue(t *testing.T) {
	t.Parallel()
	var samples []string
	for _, b := range blocks(t, "README.md") {
		if strings.HasPrefix(b.text, "t1 · ") || strings.HasPrefix(b.text, "clicked ") {
			samples = append(samples, b.text)
		}
	}
	if len(samples) != 2 {
		t.Fatalf("the README shows %d answers, not 2", len(samples))
	}
	site := httptest.NewServer(demo.Handler())
	t.Cleanup(site.Close)
	c := serve(t)
	tab := c.open(site.URL + "/checkout.html")
	holds(t, c.call("snapshot", nil), samples[0])
	c.call("fill", args{"fields": []args{
		{"ref": c.ref(tab, `textbox "Full name"`), "value": "Ann Berg"},
		{"ref": c.ref(tab, `textbox "Email"`), "value": "ann@shop.example"},
		{"ref": c.ref(tab, `combobox "Country"`), "value": "Norway"},
		{"ref": c.ref(tab, `checkbox "I accept`), "value": "true"},
	}})
	c.call("click", args{"ref": c.ref(tab, `button "Review order"`)})
	holds(t, c.call("click", args{"ref": c.ref(tab, `button "Place order"`)}), samples[1])
}

// holds checks that every line of the sample is in the answer, in order, but
// for the port. One that ends with … is the beginning of a line.
func holds(t *testing.T, answer, sample string) {
	t.Helper()
	rest := port.ReplaceAllString(answer, "")
	for line := range strings.Lines(port.ReplaceAllString(sample, "")) {
		line = strings.TrimSuffix(line, "…\n")
		_, after, ok := strings.Cut(rest+"\n", line)
		if !ok {
			t.Errorf("the README shows\n%s\nwhich is not, or not there, in\n%s", line, answer)
			return
		}
		rest = after
	}
}
