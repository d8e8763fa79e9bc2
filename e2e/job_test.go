package e2e

import (
	"bytes"
	"image"
	_ "image/jpeg"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func TestTheMainJob(t *testing.T) {
	t.Parallel()
	c, s := serve(t), newSite(t)

	opened := c.call("open_tab", args{"url": s.URL + "/shop"})
	c.want(opened, " · doc ", " · Shop · "+s.URL+"/shop")
	tab := c.find(`^(t\d+) · `, opened)
	c.want(c.call("list_tabs", nil), tab+" · ", "Shop")

	outline := c.call("snapshot", nil)
	c.want(outline, tab+" · doc ", `heading 1 "Shop"`, `textbox "Email"`, `combobox "Thing" = "lamp" [lamp | chair | sofa]`, `checkbox "As a gift"`, `button "Order"`, `link "About us" → `)
	email := c.find(`(?m)^\s*(e\d+) textbox "Email"`, outline)
	thing := c.find(`(?m)^\s*(e\d+) combobox "Thing"`, outline)
	gift := c.find(`(?m)^\s*(e\d+) checkbox "As a gift"`, outline)
	order := c.find(`(?m)^\s*(e\d+) button "Order"`, outline)

	c.want(c.call("find", args{"role": "button"}), order+` button "Order"`)
	c.want(c.call("fill", args{"ref": email, "value": "ann@shop.example"}), "confirmed", "ann@shop.example")
	c.want(c.call("fill", args{"fields": []args{{"ref": thing, "value": "sofa"}, {"ref": gift, "value": true}}}), "confirmed", "sofa", "checked")
	c.want(c.call("click", args{"ref": order}), "clicked "+order, "confirmed", "Thank you, ann@shop.example, as a gift, sofa")

	c.want(c.call("read_page", nil), "a very comfortable sofa", "Thank you, ann@shop.example")
	c.want(c.call("evaluate", args{"code": "return {sum: 1 + 1, title: document.title}"}), `{"sum":2,"title":"Shop"}`)

	res, err := c.result(t.Context(), "screenshot", nil)
	if err != nil || res.IsError {
		t.Fatalf("screenshot: %v, %v", res, err)
	}
	shot := pictureOf(t, res)
	if w, h := shot.Bounds().Dx(), shot.Bounds().Dy(); w != 1280 || h != 720 {
		t.Errorf("the screenshot has %d × %d pixels, want 1280 × 720", w, h)
	}

	link := c.ref(tab, `link "About us"`)
	c.want(c.call("click", args{"ref": link}), s.URL+"/about")
	c.want(c.call("navigate", args{"to": "back"}), "Shop")
	c.want(c.call("wait_for", args{"text": "Three things"}), tab)
	c.want(c.call("close_tab", args{"tab": tab}), "closed "+tab)
}

func pictureOf(t *testing.T, res *mcp.CallToolResult) image.Image {
	t.Helper()
	for _, part := range res.Content {
		if p, ok := part.(*mcp.ImageContent); ok {
			img, _, err := image.Decode(bytes.NewReader(p.Data))
			if err != nil {
				t.Fatal(err)
			}
			return img
		}
	}
	t.Fatalf("no picture in: %s", textOf(res))
	return nil
}

func TestTabsThatPagesOpenAreTold(t *testing.T) {
	t.Parallel()
	c, s := serve(t), newSite(t)
	tab := c.open(s.URL + "/popup")
	told := c.call("click", args{"tab": tab, "ref": c.ref(tab, `button "Open"`)})
	popup := c.find(`(t\d+) · [^\n]*`+"/about", told)
	if popup == tab {
		t.Fatalf("the popup is said to be its opener:\n%s", told)
	}
	c.want(c.call("read_page", args{"tab": popup}), "We are a small shop.")
}

func TestDownloadsAreKeptAsLongAsTheBrowser(t *testing.T) {
	t.Parallel()
	c, s := serve(t), newSite(t)
	tab := c.open(s.URL + "/files")
	told := c.call("click", args{"tab": tab, "ref": c.ref(tab, `link "Save"`)})
	if !strings.Contains(told, "hello.txt") {
		t.Fatalf("no download in:\n%s", told)
	}
	var path string
	eventually(t, "the download is complete", func() bool {
		m := regexp.MustCompile(`(/\S+/hello\.txt)`).FindStringSubmatch(told + c.call("list_tabs", nil) + c.call("snapshot", args{"tab": tab}))
		if m != nil {
			path = m[1]
		}
		return m != nil
	})
	if got, err := os.ReadFile(path); err != nil || string(got) != "hello" {
		t.Errorf("%s: %q, %v", path, got, err)
	}
}

func TestThePageAtTheStart(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	c := serve(t, "--url", s.URL+"/about")
	c.want(c.call("list_tabs", nil), "About")
	c.want(c.call("read_page", nil), "We are a small shop.")
}

func TestStructuredContentWhenAskedFor(t *testing.T) {
	t.Parallel()
	c, s := serve(t, "--structured"), newSite(t)
	tab := c.open(s.URL + "/about")
	res, err := c.result(t.Context(), "evaluate", args{"tab": tab, "code": "return [1]"})
	if err != nil || res.IsError || res.StructuredContent == nil || !strings.Contains(textOf(res), "[1]") {
		t.Errorf("%+v, %v", res, err)
	}
}

func TestReadOnly(t *testing.T) {
	t.Parallel()
	c, s := serve(t, "--read-only"), newSite(t)
	list, err := c.session.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range list.Tools {
		switch tool.Name {
		case "click", "fill", "press_key", "evaluate":
			t.Errorf("%s is offered", tool.Name)
		}
	}
	tab := c.open(s.URL + "/about")
	c.want(c.call("snapshot", args{"tab": tab}), "About us")
}
