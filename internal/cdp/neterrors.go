package cdp

import (
	"fmt"
	"strings"

	"drawbridge/internal/browser"
)

func abortedError(place string) error {
	return &browser.Error{Code: browser.CodePageError, Msg: place + " brought no page: the answer was empty, or the navigation was stopped",
		Hint: "read the page that is still there, or go elsewhere"}
}

// netErrors explains the browser's network errors, by the beginning of their names.
var netErrors = []struct{ name, msg, hint string }{
	{"ERR_NAME_NOT_RESOLVED", "there is no such host", "check the spelling of the address"},
	{"ERR_NAME_RESOLUTION", "the name of the host could not be looked up", "check the address and the network"},
	{"ERR_CONNECTION_REFUSED", "nothing answers at that address and port", "check that the server runs and the port is right"},
	{"ERR_CONNECTION_TIMED_OUT", "the server did not answer", "check the address, or try again later"},
	{"ERR_TIMED_OUT", "the server did not answer", "check the address, or try again later"},
	{"ERR_CONNECTION", "the connection broke", "try again"},
	{"ERR_EMPTY_RESPONSE", "the server closed the connection without an answer", "try again"},
	{"ERR_INTERNET_DISCONNECTED", "the computer is not connected to a network", "try again when it is"},
	{"ERR_ADDRESS_UNREACHABLE", "the server cannot be reached", "check the address and the network"},
	{"ERR_UNSAFE_PORT", "the browser refuses that port", "use another port"},
	{"ERR_CERT", "the server's certificate is not valid", "do not go there unless the person says that it is right"},
	{"ERR_SSL", "no secure connection could be made", "check whether the address should begin with http:"},
	{"ERR_TOO_MANY_REDIRECTS", "the server redirects in a circle", "cookies may be needed; try another page of the site"},
	{"ERR_BLOCKED_BY_RESPONSE", "the site does not let it be shown there", "open it in a tab of its own"},
	{"ERR_BLOCKED", "the browser blocks it", "a setting, an extension or the page's own rules forbid it"},
	{"ERR_CACHE_MISS", "the page came from a form and would have to be sent again", "navigate to a url instead"},
	{"ERR_FILE_NOT_FOUND", "there is no such file", "check the path"},
	{"ERR_INVALID_URL", "the address is malformed", "give a whole address such as https://shop.example/"},
	{"ERR_UNKNOWN_URL_SCHEME", "the browser does not know that kind of address", "use http or https"},
	{"ERR_HTTP_RESPONSE_CODE_FAILURE", "the server answered with an error and no page", "try another address"},
}

// netError explains why a document did not come.
func netError(place, code string) error {
	name := strings.TrimPrefix(code, "net::")
	for _, e := range netErrors {
		if strings.HasPrefix(name, e.name) {
			return &browser.Error{Code: browser.CodePageError, Msg: fmt.Sprintf("%s cannot be opened: %s (%s)", place, e.msg, name), Hint: e.hint}
		}
	}
	return &browser.Error{Code: browser.CodePageError, Msg: fmt.Sprintf("%s cannot be opened (%s)", place, name), Hint: "check the address"}
}
