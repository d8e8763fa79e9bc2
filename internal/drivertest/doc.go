// Package drivertest holds what every driver must pass: the suite (Run), and a
// fake browser that passes it too and stands in where a test is about
// something else. What the fake cannot do it says by its capabilities.
package drivertest
