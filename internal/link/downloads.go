package link

// download hands on how a download goes.
func (t *transport) download(d DownloadTold) {
	b := t.tabs[d.Tab]
	if b == nil {
		return
	}
	switch d.State {
	case "running":
		b.arrived(outcome{failed: aborted, download: true})
		t.event("", "Browser.downloadWillBegin", map[string]string{"frameId": b.target(), "guid": d.ID, "url": d.URL, "suggestedFilename": d.Name})
	case "completed":
		t.event("", "Browser.downloadProgress", map[string]any{"guid": d.ID, "receivedBytes": d.Bytes, "state": "completed", "filePath": d.Path})
	default:
		t.event("", "Browser.downloadProgress", map[string]any{"guid": d.ID, "receivedBytes": d.Bytes, "state": "canceled"})
	}
}
