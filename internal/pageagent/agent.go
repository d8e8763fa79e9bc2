package pageagent

import _ "embed" // for Source

// Source is the page agent: one JavaScript expression, to be evaluated in an
// isolated world of every frame. Its value is an object with these methods:
//
//	call(op, first, argsJSON)  a Reply as JSON, or a promise of it; never throws
//	bind(iframe, frame)        names the frame document that an iframe element shows now; "" for none
//	open(root)                 makes a closed shadow root known, which no script can find by itself
//	tally(thorough)            how many elements, texts and comments are in the document, in its known shadow trees and in documents of its
//	                           origin within; 0 where the agent around it counts them. Only a thorough tally finds open roots by itself
//
// Evaluated again in the same document it gives the same object.
//
//go:embed agent.gen.js
var Source string
