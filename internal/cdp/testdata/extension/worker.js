const code = "document.documentElement.dataset.extension = 'here'";
const mark = async (tabId) => {
  await chrome.userScripts.execute({target: {tabId}, world: "MAIN", injectImmediately: true, js: [{code}]});
};
chrome.tabs.onUpdated.addListener((id, change) => {
  if (change.status === "complete") void mark(id);
});
// Scripts may be allowed, and a page be there, before this runs.
void chrome.tabs.query({url: "http://*/*", status: "complete"}).then((tabs) => tabs.forEach((tab) => mark(tab.id)));
