// Package pageagent is the script that works inside pages, and its
// coordinator. The agent sees one document of one frame; the coordinator does
// the rest once for all drivers: it merges frames, spends the token budget,
// aims through frames, gives input, settles, and builds the observation.
package pageagent
