// Package config is the one table of settings: each field of Settings is a
// flag, a key of the settings file, an environment variable and a line of the
// documentation. A value is taken from the first that has it: the flag, the
// file, the environment, the default.
package config

import "time"

// Settings are all settings. A kong command embeds it; Load then completes
// what the command line left open.
//
// Tags beside kong's: scope says whether a setting belongs to the process or
// to a client's session. local says what a settings file in the working folder
// may do with it: "yes" set it, "true" only switch it on; without the tag it
// may not, because such a file comes with whatever was cloned or unpacked
// there. secret says how the value is shown: "header" by its name, "url"
// without credentials and query. path marks a file or folder, or ("program")
// the name of one that is looked up when it has no separator, or ("off") the
// word off. check names what
// the value must be. file:"no" keeps a setting out of every file.
type Settings struct {
	Headless bool   `name:"headless" default:"true" negatable:"" scope:"process" local:"yes" help:"Launch the browser without a window."`
	URL      string `name:"url" placeholder:"URL" scope:"process" local:"yes" check:"url" help:"Open this page at the start."`
	Viewport string `name:"viewport" default:"1280x720" placeholder:"WxH" scope:"process" local:"yes" check:"size" help:"Size of a launched browser's pages in CSS pixels (default ${default})."`

	Browser          string   `name:"browser" placeholder:"PROGRAM" scope:"process" path:"program" help:"Browser to launch: a path or a name such as chromium, chrome, edge, brave, or firefox with --via extension. Without it, the first that is found."`
	BrowserArgs      []string `name:"browser-args" placeholder:"ARG" sep:"none" scope:"process" help:"Argument for the launched browser; may be repeated."`
	Via              string   `name:"via" default:"launch" enum:"launch,extension" scope:"process" help:"How to drive the browser that is launched: by its own protocol (launch), or through drawbridge's extension, which is loaded into it (extension), as one's own browser is and Firefox always; ${enum} (default ${default})."`
	FullPower        bool     `name:"full-power" negatable:"" scope:"process" help:"With --via extension in Chromium: switch on the extension's full power."`
	Profile          string   `name:"profile" placeholder:"FOLDER" scope:"process" path:"yes" help:"Profile folder to launch with. Without it, a new one that is removed at the end."`
	CDP              string   `name:"cdp" placeholder:"URL" scope:"process" check:"cdp" secret:"url" help:"Attach to a running browser at this http or ws address, or (auto) to the one of yours that allows remote debugging, instead of launching one."`
	CDPHeader        []string `name:"cdp-header" placeholder:"'NAME: VALUE'" sep:"none" scope:"process" check:"header" secret:"header" help:"Header for the connection of --cdp; may be repeated."`
	Downloads        string   `name:"downloads" placeholder:"FOLDER" scope:"process" path:"yes" help:"Folder for what a launched browser's pages download. Without it, a new one for each session in your cache folder, kept for a week."`
	GrantPermissions []string `name:"grant-permissions" placeholder:"NAME[@ORIGIN]" scope:"process" help:"What pages of a launched browser may use without asking, such as geolocation or clipboard-read@https://shop.example; all else that would need a person's consent is refused."`
	HTTPCredentials  []string `name:"http-credentials" placeholder:"'ORIGIN USER:PASSWORD'" sep:"none" scope:"process" check:"login" secret:"login" help:"Login for the pages of an origin that want one (HTTP authentication); may be repeated. Others are told as a dialog."`
	Schemes          []string `name:"schemes" placeholder:"SCHEME" scope:"process" check:"scheme" help:"Schemes that may be opened beside http, https and about:blank, such as file."`

	Dialect       string        `name:"dialect" placeholder:"NAME" scope:"session" local:"yes" check:"dialect" help:"Speak as an older server did: browser-kit (mcp-browser-kit), or webmcp (opencode-webmcp), whose settings count then, and whose file --config names. Without it, drawbridge's own tools."`
	Client        string        `name:"client" default:"stdio" placeholder:"NAME" scope:"session" check:"name" help:"Name of the client, for rules and history (default ${default})."`
	Toolsets      []string      `name:"toolsets" default:"core,input,page" placeholder:"NAME" scope:"session" local:"yes" check:"toolset" help:"Groups of tools to offer, or all (default ${default})."`
	ReadOnly      bool          `name:"read-only" negatable:"" scope:"session" local:"true" help:"Allow only reading and, in a launched browser, navigating."`
	Allow         []string      `name:"allow" placeholder:"ACTION[,SUBJECT[,ORIGIN]]" sep:"none" scope:"session" check:"allow" help:"Allow an action for this run; may be repeated. '*' allows everything that no rule of the file denies or asks."`
	Structured    bool          `name:"structured" negatable:"" scope:"session" local:"yes" help:"Answer with structured content beside the text."`
	PageTools     string        `name:"page-tools" default:"both" enum:"pair,list,both" scope:"session" local:"yes" help:"How to offer the tools of pages: through list_page_tools and call_page_tool (pair), as tools of their own in the list of tools, those of the current tab and at most 8 KB (list; the two can still be called), or both; ${enum} (default ${default})."`
	NoDeclarative bool          `name:"no-declarative" scope:"session" local:"true" help:"Hide the tools that a page declares as forms."`
	StrictSchemas bool          `name:"strict-schemas" negatable:"" scope:"session" local:"true" help:"Refuse arguments of a page's tool that its schema does not take in any respect. Without it, types, required ones and enums are checked, and the rest is told as a warning."`
	Timeout       time.Duration `name:"timeout" default:"30s" placeholder:"TIME" scope:"session" local:"yes" check:"positive" help:"How long a navigation or a wait may take, unless the call says (default ${default})."`

	History     string `name:"history" placeholder:"FILE" scope:"process" path:"off" help:"The file in which calls are recorded, or off: then only in memory, and only the last ones. Without it, history.db in your data folder."`
	HistoryDays int    `name:"history-days" default:"90" placeholder:"DAYS" scope:"process" check:"positive" help:"How long calls are recorded (default ${default})."`
	PageHints   bool   `name:"page-hints" negatable:"" scope:"process" help:"Recover all that pages say of their tools, such as destructiveHint, most of which Chromium drops; a page can notice the script in it that does so. A dialect always does."`
	LogHistory  bool   `name:"log-history" negatable:"" scope:"process" local:"yes" help:"Write each call to stderr too, as a line of JSON, when it ends; docs/history.md has its fields."`
	HistoryMB   int    `name:"history-mb" default:"64" placeholder:"MB" scope:"process" check:"positive" help:"How large the record may become; the oldest calls go first (default ${default})."`

	Listen string `name:"listen" default:"127.0.0.1:31741" placeholder:"ADDRESS" scope:"process" check:"listen" help:"Where the extension in your own browsers connects, an address of this machine for itself alone, or off (default ${default})."`

	Transport string `name:"transport" default:"stdio" enum:"stdio,http" scope:"process" help:"How serve speaks with clients: with the one that started it, on stdin and stdout (stdio), or with several, which drawbridge clients lets in (http); ${enum} (default ${default})."`
	HTTPHost  string `name:"http-host" default:"127.0.0.1" placeholder:"HOST" scope:"process" check:"loopback" help:"With --transport http: the address of this machine for itself alone at which clients connect (default ${default})."`
	HTTPPort  int    `name:"http-port" default:"21082" placeholder:"PORT" scope:"process" check:"port" help:"With --transport http: the port (default ${default})."`

	Rules     string `name:"rules" placeholder:"FILE" scope:"process" path:"yes" help:"The file of rules. Without it, rules.yaml in your settings folder."`
	Config    string `name:"config" placeholder:"FILE" scope:"process" path:"yes" file:"no" help:"Settings file to read instead of the drawbridge.yaml, .yml or .json of the working folder and of your settings folder."`
	LogFormat string `name:"log-format" default:"text" enum:"text,json" scope:"process" local:"yes" help:"Form of the diagnostics on stderr: ${enum} (default ${default})."`
	LogLevel  string `name:"log-level" default:"info" enum:"debug,info,warn,error" scope:"process" local:"yes" help:"Least level of the diagnostics: ${enum} (default ${default})."`
}
