// Package extension holds the WebExtension: its files, which internal/gen makes
// from web/extension, and how they are written for a browser.
package extension
