// Package cdp drives Chromium through the Chrome DevTools Protocol. It finds,
// starts and attaches to browsers; a Conn carries commands and events over a
// pipe or a WebSocket; the Driver on top of it implements browser.Driver.
package cdp
