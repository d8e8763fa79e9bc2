package drivertest

import (
	"testing"

	"drawbridge/internal/browser"
)

func TestFake(t *testing.T) {
	Run(t, func(t *testing.T, ids *browser.IDs, site string) browser.Driver { return NewFake(ids, site) })
}
