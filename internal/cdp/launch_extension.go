package cdp

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"time"
)

// Extensions can be loaded over the pipe by every Chromium, and by those with a
// brand since 137 in no other way than with this switch.
const extensionSwitch = "--enable-unsafe-extension-debugging"

// loadExtension has a browser that nobody talks to yet load the extension that
// write puts into dir.
func loadExtension(ctx context.Context, f Frames, dir string, write func(dir string) error) (id string, err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	if err := write(dir); err != nil {
		return "", err
	}
	var loaded struct {
		ID string `json:"id"`
	}
	err = alone(ctx, f, func() error {
		return ask(f, "", "Extensions.loadUnpacked", map[string]string{"path": dir}, &loaded)
	})
	return loaded.ID, err
}

// scriptsLimit is how long a browser may take to allow an extension scripts.
const scriptsLimit = 10 * time.Second

// allowScripts lets an extension run scripts of its own choosing in pages, which
// its user allows on the browser's page about extensions.
func allowScripts(ctx context.Context, f Frames, id string) error {
	name, err := json.Marshal(id)
	if err != nil {
		return err
	}
	return alone(ctx, f, func() error {
		var target struct {
			ID string `json:"targetId"`
		}
		if err := ask(f, "", "Target.createTarget", map[string]any{"url": "chrome://extensions/", "background": true}, &target); err != nil {
			return err
		}
		var session struct {
			ID string `json:"sessionId"`
		}
		err := ask(f, "", "Target.attachToTarget", map[string]any{"targetId": target.ID, "flatten": true}, &session)
		if err == nil {
			err = askScripts(ctx, f, session.ID, string(name))
		}
		return errors.Join(err, closeAlone(ctx, f, target.ID))
	})
}

// closeAlone closes a page, and waits until it is gone.
func closeAlone(ctx context.Context, f Frames, target string) error {
	if err := ask(f, "", "Target.closeTarget", map[string]any{"targetId": target}, nil); err != nil {
		return err
	}
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		var there struct {
			Infos []struct {
				ID string `json:"targetId"`
			} `json:"targetInfos"`
		}
		if err := ask(f, "", "Target.getTargets", nil, &there); err != nil {
			return err
		}
		closed := true
		for _, info := range there.Infos {
			closed = closed && info.ID != target
		}
		if closed {
			return nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// askScripts asks the page, as soon as it has loaded.
func askScripts(ctx context.Context, f Frames, session, name string) error {
	limit := time.NewTimer(scriptsLimit)
	defer limit.Stop()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		var got struct {
			Result struct {
				Value string `json:"value"`
			} `json:"result"`
		}
		err := ask(f, session, "Runtime.evaluate", map[string]any{
			"expression": `globalThis.chrome?.developerPrivate
				? chrome.developerPrivate.updateExtensionConfiguration({extensionId: ` + name + `, userScriptsAccess: true}).then(() => "allowed", String)
				: "loading"`,
			"awaitPromise": true, "returnByValue": true,
		}, &got)
		var refused *ProtocolError
		switch {
		case errors.As(err, &refused): // the document that was asked is gone
		case err != nil:
			return err
		case got.Result.Value == "allowed":
			return nil
		case got.Result.Value != "loading":
			return errors.New(got.Result.Value)
		}
		select {
		case <-tick.C:
		case <-limit.C:
			return errors.New("the browser's page about extensions does not load")
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}
