// Package savepage makes a file of what the page agent tells of a page: a zip
// with assets, or one HTML file that holds all. What it makes runs no script
// and asks for nothing when it is opened. Resources come from whoever calls it.
package savepage
