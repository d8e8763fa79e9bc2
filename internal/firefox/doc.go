// Package firefox launches Firefox with a throw-away profile and an extension
// in it. It is watched over WebDriver BiDi, through which extensions are
// installed, and which tests can use to look at pages; what drives the pages is
// the extension.
package firefox
