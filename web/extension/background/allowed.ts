// The commands of the DevTools protocol that the bridge may send to a page. All
// others are refused: what concerns the whole browser, cookies and stored data
// of sites, and requests of others than the page.

const domains = new Set(["Accessibility", "DOM", "DOMSnapshot", "Emulation", "Input", "Log", "Runtime", "WebMCP"]);

const methods = new Set([
  "Page.addScriptToEvaluateOnNewDocument", "Page.captureScreenshot", "Page.captureSnapshot", "Page.crash", "Page.createIsolatedWorld", "Page.disable", "Page.enable",
  "Page.getFrameTree", "Page.getLayoutMetrics", "Page.getResourceContent", "Page.getResourceTree", "Page.handleJavaScriptDialog", "Page.printToPDF",
  "Page.removeScriptToEvaluateOnNewDocument", "Page.screencastFrameAck", "Page.setInterceptFileChooserDialog", "Page.setLifecycleEventsEnabled",
  "Page.setWebLifecycleState", "Page.startScreencast", "Page.stopLoading", "Page.stopScreencast",
  "Network.configureDurableMessages", "Network.disable", "Network.emulateNetworkConditions", "Network.enable", "Network.getRequestPostData", "Network.getResponseBody",
  "IO.close", "IO.read", "Memory.getDOMCounters", "Target.setAutoAttach",
]);

/** isAllowed tells whether a command may be sent. */
export function isAllowed(method: string): boolean {
  return methods.has(method) || domains.has(method.slice(0, method.indexOf(".")));
}
