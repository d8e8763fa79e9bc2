package toolset

import (
	"net/url"
	"strings"

	"codeberg.org/readeck/go-readability/v2"
	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/base"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/commonmark"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/strikethrough"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/table"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"drawbridge/internal/browser"
	"drawbridge/internal/tool"
)

// longestHTML bounds what is converted, in bytes: the work is done at once.
const longestHTML = 16 << 20

// convert makes Markdown of a page, or of its article when it has one; the
// note says that it has none.
func convert(source, address string, article bool) (text, note string, err error) {
	if len(source) > longestHTML {
		return "", "", &browser.Error{Code: browser.CodeTooLarge, Msg: "the page's HTML is too long to convert",
			Hint: "read it as text, or give the ref of a part"}
	}
	doc, err := html.Parse(strings.NewReader(source))
	if err != nil {
		return "", "", &browser.Error{Code: browser.CodeNotSupported, Msg: "the page is nested too deeply to convert", Hint: "read it as text", Err: err}
	}
	root, head := doc, ""
	if article {
		where, err := url.Parse(address)
		if err != nil {
			where = nil
		}
		a, err := readability.FromDocument(doc, where)
		if err == nil && a.Node != nil {
			root, head = a.Node, articleHead(a)
		} else if doc, err = html.Parse(strings.NewReader(source)); err == nil {
			root, note = doc, "no article was found; this is the whole page"
		} else {
			return "", "", err
		}
	}
	dropInlineData(root)
	shape(root)
	md, err := newConverter().ConvertNode(root, converter.WithDomain(address))
	if err != nil {
		return "", "", err
	}
	return head + strings.TrimSpace(string(md)), note, nil
}

func articleHead(a readability.Article) string {
	var out []string
	if t := tool.OneLine(a.Title(), 300); t != "" {
		out = append(out, "# "+t)
	}
	if by := tool.OneLine(a.Byline(), 200); by != "" {
		out = append(out, by)
	}
	if when, err := a.PublishedTime(); err == nil {
		out = append(out, when.Format("2006-01-02"))
	}
	if len(out) == 0 {
		return ""
	}
	return strings.Join(out, "\n") + "\n\n"
}

func newConverter() *converter.Converter {
	return converter.NewConverter(converter.WithPlugins(
		base.NewBasePlugin(),
		commonmark.NewCommonmarkPlugin(commonmark.WithListEndComment(false)),
		table.NewTablePlugin(table.WithCellPaddingBehavior(table.CellPaddingBehaviorMinimal), table.WithHeaderPromotion(true), table.WithSkipEmptyRows(true),
			table.WithNewlineBehavior(table.NewlineBehaviorPreserve), table.WithSpanCellBehavior(table.SpanBehaviorMirror)),
		strikethrough.NewStrikethroughPlugin(),
	))
}

// dropInlineData removes addresses that hold data or code, which are long and
// tell a reader nothing. A link that leads nowhere is no link.
func dropInlineData(n *html.Node) {
	for c := range n.Descendants() {
		kept, linked := c.Attr[:0], false
		for _, a := range c.Attr {
			v := strings.ToLower(strings.TrimSpace(a.Val))
			if (a.Key == "src" || a.Key == "href") && (strings.HasPrefix(v, "data:") || strings.HasPrefix(v, "javascript:")) {
				continue
			}
			linked = linked || a.Key == "href"
			kept = append(kept, a)
		}
		c.Attr = kept
		if c.DataAtom == atom.A && !linked {
			c.DataAtom, c.Data = atom.Span, "span"
		}
	}
}
