package main

import (
	"fmt"
	"text/tabwriter"
)

type configCommand struct{}

// Run shows every setting, a line each.
func (configCommand) Run(env *environment) error {
	w := tabwriter.NewWriter(env.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "SETTING\tVALUE\tFROM\tSCOPE")
	for _, v := range env.values {
		value := v.Value
		if value == "" {
			value = "-"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", v.Name, value, v.Source, v.Scope)
	}
	return w.Flush()
}
