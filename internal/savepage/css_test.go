package savepage

import (
	"strings"
	"testing"
)

// shown is pieces as text, addresses in angle brackets.
func shown(pieces []piece) string {
	var b strings.Builder
	for _, p := range pieces {
		if p.url == "" {
			b.WriteString(p.text)
			continue
		}
		b.WriteString("<" + []string{"image", "font", "sheet"}[p.kind] + " " + p.url + p.frag + ">")
	}
	return b.String()
}

func TestScan(t *testing.T) {
	for _, tt := range []struct{ css, want string }{
		{`a{background:url(b.png)}`, `a{background:<image http://h/d/b.png>}`},
		{`a{background:url( "b.png" )}`, `a{background:<image http://h/d/b.png>}`},
		{`a{background:URL('/b.png'),url(//o/c.png)}`, `a{background:<image http://h/b.png>,<image http://o/c.png>}`},
		{`a{background:u\72l(b\.png)}`, `a{background:<image http://h/d/b.png>}`},
		{`a{background:url(b\29 c.png)}`, `a{background:<image http://h/d/b)c.png>}`},
		{`/* url(b.png) */a{content:"url(b.png)"}`, `/* url(b.png) */a{content:"url(b.png)"}`},
		{`a{content:"\"url(b.png)"}`, `a{content:"\"url(b.png)"}`},
		{`a{mask:url(b.svg#m)}`, `a{mask:<image http://h/d/b.svg#m>}`},
		{`a{fill:url(#g)}`, `a{fill:url("#g")}`},
		{`a{background:url(data:image/gif,x)}`, `a{background:url("data:image/gif,x")}`},
		{`@import "c.css";`, `@import <sheet http://h/d/c.css>;`},
		{`@import url(c.css) layer(x) supports(a:b) screen;`, `@import <sheet http://h/d/c.css> layer(x) supports(a:b) screen;`},
		{`@IMPORT 'c.css'`, `@IMPORT <sheet http://h/d/c.css>`},
		{`@namespace svg url(http://www.w3.org/2000/svg);a{}`, `@namespace svg url(http://www.w3.org/2000/svg);a{}`},
		{`@charset "x";a{}`, `a{}`},
		{`@font-face{src:url(f.woff2) format("woff2"),local("x")}a{background:url(b.png)}`, `@font-face{src:<font http://h/d/f.woff2> format("woff2"),local("x")}a{background:<image http://h/d/b.png>}`},
		{`a{background:image-set("b.png" 1x,url(c.png) 2x type("image/png"))}`, `a{background:image-set(<image http://h/d/b.png> 1x,<image http://h/d/c.png> 2x type("image/png"))}`},
		{`a{background:-webkit-image-set(url(b.png) 1x)}`, `a{background:-webkit-image-set(<image http://h/d/b.png> 1x)}`},
		{`a:not(:defined){display:none}`, `a:not(:not(._)){display:none}`},
		{`a{b:url(`, `a{b:url(`},
		{`a{b:url("x`, `a{b:url("x`},
		{`a{b:url(http://[)}`, `a{b:url(data:,)}`},
		{`a{}/* x`, `a{}`},
		{`a{background:url(a b.png)}`, `a{background:<image http://h/d/a%20b.png>}`},
		{`a{background:url(100%.png)}`, `a{background:<image http://h/d/100%25.png>}`},
		{`@media x{a{background:url(b.png)}}`, `@media x{a{background:<image http://h/d/b.png>}}`},
		{`a{--x:url(b.png);y:myurl(b.png)}`, `a{--x:<image http://h/d/b.png>;y:myurl(b.png)}`},
	} {
		if got := shown(scan(tt.css, "http://h/d/s.css")); got != tt.want {
			t.Errorf("%s\n gives %s\n want  %s", tt.css, got, tt.want)
		}
	}
	if got := shown(scan(`a{b:url(c.png)}`, "data:text/css,x")); got != `a{b:url(data:,)}` {
		t.Errorf("relative to nothing: %s", got)
	}
}

// A style sheet that was scanned and written leads nowhere any more.
func FuzzScan(f *testing.F) {
	for _, s := range []string{`a{background:url(b.png)}`, `@import "a";@import url(x)`, `@font-face{src:url(a)`, `image-set("a" 1x`, `u\72l(x)`, `url("\`, `/*`, `\`, `:defined`, `@charset`, "url('a\nb')"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, css string) {
		var b strings.Builder
		for _, p := range scan(css, "http://h/d/") {
			if p.url != "" {
				b.WriteString(`url("` + nowhere + `")`)
			}
			b.WriteString(p.text)
		}
		for _, p := range scan(b.String(), "http://h/d/") {
			if p.url != "" {
				t.Errorf("%q was written as %q, and leads to %s", css, b.String(), p.url)
			}
		}
	})
}
