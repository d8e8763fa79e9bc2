package throwaway

import (
	"context"

	"drawbridge/internal/cdp"
	"drawbridge/internal/extension"
	"drawbridge/internal/firefox"
)

// launched is a browser's process.
type launched interface {
	Wait() error // for its end; how it ended
	Close(ctx context.Context) error
}

// launch starts the browser with its extension, which is to connect to address.
func (o *Options) launch(ctx context.Context, address, token, downloads string) (launched, []string, error) {
	write := func(dir string) error {
		return extension.Write(dir, o.Engine, extension.Config{
			Address: address, Name: credential, Token: token, AllowAll: true, FullPower: o.FullPower, Browser: o.Info.Name,
		})
	}
	path := ""
	if o.Find != nil {
		var err error
		if path, err = o.Find(); err != nil {
			return nil, nil, err
		}
	}
	if o.Engine == extension.Firefox {
		b, err := firefox.Launch(ctx, firefox.LaunchOptions{Path: path, Headful: o.Headful, Args: o.Args, Width: o.Width, Height: o.Height,
			Extension: write, Downloads: downloads, Log: o.Log})
		if err != nil {
			return nil, nil, err
		}
		return b, nil, nil
	}
	b, err := cdp.Launch(ctx, cdp.LaunchOptions{Path: path, Headful: o.Headful, Args: o.Args, Width: o.Width, Height: o.Height,
		Extension: write, Downloads: downloads, Log: o.Log})
	if err != nil {
		return nil, nil, err
	}
	return &chromium{b, keep(b)}, b.Notes, nil
}

// chromium is one whose pipe is kept, since it ends with it; nothing is asked
// over it.
type chromium struct {
	*cdp.Browser
	stop func()
}

// keep reads what the browser says until stop is called.
func keep(b *cdp.Browser) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = b.Conn.Run(ctx, func(cdp.Event) {}) // the process tells how it ended
	}()
	return func() { cancel(); <-done }
}

func (c *chromium) Close(ctx context.Context) error {
	err := c.Browser.Close(ctx)
	c.stop()
	return err
}
