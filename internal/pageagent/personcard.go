package pageagent

import "drawbridge/internal/browser"

// cardOf is what a person reads of a question; marked tells that the page still
// shows what it is about.
func cardOf(op browser.AskPerson, marked bool) *PoseCard {
	who := op.Client
	if who == "" {
		who = "A program that uses this browser"
	}
	c := &PoseCard{Head: who + " asks for your help", Message: op.Message}
	const goes = "This goes away when it is done."
	switch op.Kind {
	case browser.AskClick:
		c.Task, c.Small = "Click what is marked.", goes
	case browser.AskFill:
		c.Task, c.Small = "Fill in the marked field.", goes
		if op.Value != "" {
			c.Task, c.Value = "Enter this into the marked field:", op.Value
		}
	case browser.AskEnter:
		c.Task, c.Small = "Press Enter in the marked field.", goes
	case browser.AskLogin:
		c.Task, c.Small = "Please log in.", "It is not shown the passwords and codes that you enter."
	case browser.AskCaptcha:
		c.Task = "Please solve the captcha."
	case browser.AskConfirm:
		c.Task = "Do this yourself if you agree to it."
	default:
		c.Task = "Please do this:"
	}
	if !marked && (op.Kind == browser.AskClick || op.Kind == browser.AskFill || op.Kind == browser.AskEnter) {
		c.Small = "What was to be marked was on the page before this one."
	}
	return c
}

// deedOf is what a person was seen to do, in words.
func deedOf(did, what string) string {
	switch did {
	case "clicked":
		return what + " was clicked"
	case "pressed":
		return "Enter was pressed in " + what
	}
	return what + " has a value that a person put in"
}
