package toolset

import "testing"

func TestMarkdownKeepsWhatItHasNoWordFor(t *testing.T) {
	for _, tt := range []struct{ name, html, want string }{
		{"list in a cell", "<table><tr><th>A<th>B</tr><tr><td>x<td><ul><li>one<li>two</ul></tr></table>", "| A | B |\n|---|---|\n| x | • one  <br />• two |"},
		{"break in a cell", "<table><tr><th>A</tr><tr><td>x<br>y</tr></table>", "| A |\n|---|\n| x  <br />y |"},
		{"sign in a cell", "<table><tr><th>A<th>B</tr><tr><td>1 | 2<td>3</tr></table>", "| A | B |\n|---|---|\n| 1 \\| 2 | 3 |"},
		{"spanned rows", "<table><tr><th>A<th>B</tr><tr><td rowspan=2>x<td>1</tr><tr><td>2</tr></table>", "| A | B |\n|---|---|\n| x | 1 |\n| x | 2 |"},
		{"table that lays out", "<table><tr><td><h2>H</h2></td><td>text</td></tr></table>", "## H\n\ntext"},
		{"definitions", "<dl><dt>T<dd>one<dd>two</dl>", "T\n\n: one\n\n: two"},
		{"summary", "<details open><summary>S</summary>inside</details>", "S\n\ninside"},
		{"power", "<p>x<sup>2</sup> of 1<sup>st</sup></p>", "x^2 of 1st"},
		{"quotation", "<p>he said <q>no</q></p>", "he said “no”"},
		{"fields", `<p><select><option>a<option selected>b</select><input type=checkbox checked>c<input type=radio>d<input value=e><textarea>f</textarea><progress value=6 max=10></progress></p>`,
			`b \[x] c( ) d e f 6 of 10`},
	} {
		got, _, err := convert(tt.html, "https://a.example/", false)
		if err != nil || got != tt.want {
			t.Errorf("%s: %q, %v; want %q", tt.name, got, err, tt.want)
		}
	}
}
