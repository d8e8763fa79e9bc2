// Package link drives browsers through an extension in them: it is the endpoint
// that extensions connect to, and the driver behind it.
package link
