package main

import "drawbridge/internal/policy"

// rules returns the rules in force, which follow their file.
func (env *environment) rules() (func() *policy.Policy, error) {
	source, err := policy.Open(policy.SourceOptions{
		Path: env.settings.Rules, Allow: env.settings.Allow, Log: env.log})
	if err != nil {
		return nil, usage(err, "")
	}
	return source.Policy, nil
}
