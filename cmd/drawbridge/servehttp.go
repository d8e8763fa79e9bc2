package main

import (
	"context"
	"fmt"
	"net"
	"runtime/debug"
	"strconv"

	"drawbridge/internal/access"
	"drawbridge/internal/browser"
	"drawbridge/internal/mcphttp"
	"drawbridge/internal/mcpserver"
)

// transportHTTP is the value of the setting transport with which several clients
// connect over HTTP.
const transportHTTP = "http"

// httpAddress is where clients connect over HTTP.
func (env *environment) httpAddress() string {
	return net.JoinHostPort(env.settings.HTTPHost, strconv.Itoa(env.settings.HTTPPort))
}

// serveHTTP serves the clients that may connect, until ctx ends.
func (env *environment) serveHTTP(ctx context.Context, sys *system) error {
	file := env.access()
	if file == nil {
		return errNoFolder
	}
	address := env.httpAddress()
	ln, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if err != nil {
		holder := ""
		if taken(ctx, address, err) {
			holder = fmt.Sprintf(" (%s has it)", env.httpHolder(ctx))
		}
		return &browser.Error{Code: browser.CodeDisconnected, Msg: "clients cannot connect: " + err.Error() + holder, Hint: "end the program that has the address, or name another port with --http-port"}
	}
	if n, err := countClients(file); err != nil {
		env.log.Warn("nobody can connect until the file of who may is mended", "error", err)
	} else if n == 0 {
		env.log.Warn("no client may connect yet: drawbridge clients add NAME lets one in")
	}
	env.log.Info("clients connect at http://" + address + mcphttp.Path)
	info, _ := debug.ReadBuildInfo()
	server := mcphttp.NewServer(mcphttp.Options{
		Access: file, Lobby: mcpserver.Lobby(sys.offered.server, versionOf(info)), Log: env.log,
		Serve: func(ctx context.Context, client string, h *mcpserver.HTTP) error {
			return env.serveClient(ctx, sys, client, func(ctx context.Context, server *mcpserver.Server) error { return server.RunHTTP(ctx, h) })
		},
	})
	return sys.run(ctx, func(ctx context.Context) error { return server.Run(ctx, ln) })
}

// countClients counts the clients that may connect.
func countClients(file *access.File) (int, error) {
	all, err := file.List()
	n := 0
	for _, c := range all {
		if c.Purpose == access.Client {
			n++
		}
	}
	return n, err
}
