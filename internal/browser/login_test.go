package browser

import "testing"

func TestWithoutLogin(t *testing.T) {
	for in, want := range map[string]string{
		"http://a.example/x@y":              "http://a.example/x@y",
		"http://ann:s3cret@a.example/p":     "http://a.example/p",
		"http://ann@a.example":              "http://a.example",
		"http://a@b@c:d@a.example:80/?q=@#": "http://a.example:80/?q=@#",
		"ann:s3cret@a.example":              "ann:s3cret@a.example",
		"//ann:s3cret@a.example/":           "//a.example/",
		"http://ann:s3 cret@no host/":       "http://no host/",
		"mailto:ann@a.example":              "mailto:ann@a.example",
		"data:text/html,#//a@b":             "data:text/html,#//a@b",
		"about:blank":                       "about:blank",
		"":                                  "",
		`http://ann:s3cret@a.example\@evil`: `http://a.example\@evil`,
	} {
		if got := WithoutLogin(in); got != want {
			t.Errorf("%q becomes %q, want %q", in, got, want)
		}
	}
}
