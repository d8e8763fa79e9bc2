import { isFirefox } from "../shared/api";

// Sites on which each family of browsers runs no extension.
const restrictedChromium = ["chromewebstore.google.com", "microsoftedge.microsoft.com"];
const restrictedFirefox = [
  "accounts-static.cdn.mozilla.net", "accounts.firefox.com", "addons.cdn.mozilla.net", "addons.mozilla.org", "api.accounts.firefox.com",
  "content.cdn.mozilla.net", "discovery.addons.mozilla.org", "install.mozilla.org", "oauth.accounts.firefox.com", "profile.accounts.firefox.com",
  "support.mozilla.org", "sync.services.mozilla.com",
];

function storePage(u: URL): boolean {
  if (isFirefox) return restrictedFirefox.includes(u.hostname);
  if (u.hostname === "chrome.google.com") return u.pathname.startsWith("/webstore");
  return u.hostname === "microsoftedge.microsoft.com" ? u.pathname.startsWith("/addons") : restrictedChromium.includes(u.hostname);
}

/**
 * closedReason is why the page at an address cannot be touched, in words for a
 * person; "" when it can. files: the user lets the extension see files.
 */
export function closedReason(address: string, files: boolean): string {
  if (address === "" || address === "about:blank" || address === "about:srcdoc") return "";
  let u: URL;
  try {
    u = new URL(address);
  } catch {
    return "the browser tells no address of it";
  }
  switch (u.protocol) {
    case "http:":
    case "https:":
      if (storePage(u)) return "the browser runs no extension on this site";
      return isFirefox && u.pathname.toLowerCase().endsWith(".pdf") ? "the browser's PDF viewer lets no extension in" : "";
    case "file:":
      return files ? "" : isFirefox ? "" : "the extension may not see files: \"Allow access to file URLs\" is off in its details";
    case "blob:":
    case "data:":
      return isFirefox && u.protocol === "data:" ? "the browser lets no extension into pages at data: addresses" : "";
    case "view-source:":
      return "it shows the source of a page, where the browser runs no extension";
    case "devtools:":
    case "chrome-devtools:":
      return "it shows the browser's developer tools";
    case "chrome-extension:":
    case "moz-extension:":
    case "extension:":
      return "it is a page of an extension";
    default:
      return "it is a page of the browser itself";
  }
}
