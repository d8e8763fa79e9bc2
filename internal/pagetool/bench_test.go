package pagetool

import (
	"encoding/json"
	"strings"
	"testing"

	"drawbridge/internal/browser"
)

const booking = `{"type":"object","properties":{"name":{"type":"string","description":"The guest's full name"},"date":{"type":"string","format":"date","description":"Dates MUST be provided in 'YYYY-MM-DD' format."},` +
	`"guests":{"type":"string","anyOf":[{"const":"1","title":"One"},{"const":"2","title":"Two"}],"enum":["1","2"]},"requests":{"type":"string"}},"required":["name","date","guests"]}`

// BenchmarkList lists a thousand tools.
func BenchmarkList(b *testing.B) {
	t := browser.PageTool{Name: "book_table", Description: "Books a table at the bistro for a number of guests.", Schema: json.RawMessage(booking), Kind: browser.ToolOfForm, Origin: "https://bistro.example"}
	b.ReportAllocs()
	for b.Loop() {
		for range 1000 {
			List(t, "page_book_table")
		}
	}
}

func BenchmarkCheck(b *testing.B) {
	args := json.RawMessage(`{"name":"Bob Smith","date":"2026-12-01","guests":"2"}`)
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := Check(json.RawMessage(booking), args, false); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkSchemaOfMegabyte is of what a page can do at worst.
func BenchmarkSchemaOfMegabyte(b *testing.B) {
	page := json.RawMessage(`{"properties":{` + strings.TrimSuffix(strings.Repeat(`"a":{"type":"string","description":"the same member again and again"},`, 15_000), ",") + `}}`)
	b.SetBytes(int64(len(page)))
	for b.Loop() {
		Schema(page)
	}
}

func BenchmarkShape(b *testing.B) {
	page := json.RawMessage(`{"status":"ok","rows":[` + strings.TrimSuffix(strings.Repeat(`{"id":1,"name":"a name","price":9.5},`, 6000), ",") + `]}`)
	b.SetBytes(int64(len(page)))
	for b.Loop() {
		Shape(page)
	}
}
