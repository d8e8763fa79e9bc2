import type { Area, CaptureArgs, CaptureReply } from "../../shared/link.gen";
import { api, isFirefox } from "../shared/api";
import { faultOf, messageOf, OpFault } from "./faults";
import { blobOf, cropped, dataOf } from "./pictures";
import type { Tabs } from "./tabs";

// Chromium lets two pictures be taken in a second.
const apart = 520;
const attempts = 6;

let turn: Promise<unknown> = Promise.resolve();
let last = 0;

/** capture takes a picture of a tab. */
export async function capture(args: CaptureArgs, tabs: Tabs, cancelled: AbortSignal): Promise<CaptureReply> {
  tabs.need(args.tab);
  if (isFirefox) return inFirefox(args);
  if (args.whole === true) {
    throw new OpFault("not_supported", "without full power only what is in the viewport can be pictured",
      "scroll there first, or ask the person to switch full power on in the extension's popup");
  }
  const mine = turn.then(() => shown(args, tabs, cancelled));
  turn = mine.catch(() => undefined);
  return mine;
}

interface View {
  readonly scrollX: number;
  readonly scrollY: number;
  readonly width: number;
  readonly ratio: number;
}

function isView(x: unknown): x is View {
  return typeof x === "object" && x !== null && "scrollX" in x && "ratio" in x;
}

// viewOf is how the page of a tab lies in its viewport.
async function viewOf(tab: number): Promise<View> {
  const [r] = await api.scripting.executeScript({
    target: { tabId: tab, frameIds: [0] },
    func: () => ({ scrollX, scrollY, width: innerWidth, ratio: devicePixelRatio }),
    injectImmediately: true,
  });
  if (!isView(r?.result)) throw new OpFault("page_error", "the page does not say how large it is", "try again");
  return r.result;
}

// shown takes a picture of a tab in its window, where it is shown for that long.
async function shown(args: CaptureArgs, tabs: Tabs, cancelled: AbortSignal): Promise<CaptureReply> {
  const { windowId } = tabs.need(args.tab);
  const former = (await api.tabs.query({ active: true, windowId }))[0]?.id;
  const hidden = former !== args.tab;
  if (hidden && args.shown === true) {
    throw new OpFault("not_supported", "the tab is not the one that its window shows", "activate it first, or ask the person to switch full power on in the extension's popup");
  }
  if (hidden) await api.tabs.update(args.tab, { active: true });
  try {
    const plain = args.clip === undefined && args.scale === 1 && args.format !== "webp";
    const address = await taken(windowId, plain ? args.format : "png", args.quality, cancelled);
    // Whatever else the window showed in the meantime is nobody's business.
    if ((await api.tabs.query({ active: true, windowId }))[0]?.id !== args.tab) {
      throw new OpFault("page_error", "the person looked at another tab while the picture was taken", "try again");
    }
    if (plain) return { data: dataOf(address) };
    const picture = await blobOf(address);
    const area = args.clip === undefined ? null : scaled(args.clip, (await viewOf(args.tab)).ratio);
    return { data: await cropped(picture, area, args.scale, args.format, args.quality) };
  } catch (e) {
    throw faultOf(e);
  } finally {
    if (hidden && former !== undefined) await api.tabs.update(former, { active: true }).catch(() => undefined); // it is gone
  }
}

function scaled(a: Area, by: number): Area {
  return { x: a.x * by, y: a.y * by, width: a.width * by, height: a.height * by };
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => { setTimeout(resolve, milliseconds); });
}

async function taken(windowId: number, format: string, quality: number | undefined, cancelled: AbortSignal): Promise<string> {
  for (let n = 1; ; n++) {
    await pause(Math.max(0, last + apart - Date.now()));
    if (cancelled.aborted) throw new OpFault("cancelled", "nobody waits for the picture");
    last = Date.now();
    try {
      return await api.tabs.captureVisibleTab(windowId, { format, ...(format === "jpeg" && quality !== undefined && quality > 0 ? { quality } : {}) });
    } catch (e) {
      // Other calls than ours count too; and a tab that was just shown may have nothing to show yet.
      if (n === attempts || !/quota|MAX_CAPTURE|image readback|failed to capture/i.test(messageOf(e))) throw e;
    }
  }
}

async function inFirefox(args: CaptureArgs): Promise<CaptureReply> {
  const view = await viewOf(args.tab);
  const clip = args.clip;
  const rect = clip === undefined ? undefined : args.whole === true ? clip : { ...clip, x: clip.x + view.scrollX, y: clip.y + view.scrollY };
  const format = args.format === "webp" ? "png" : args.format;
  try {
    const address = await api.tabs.captureTab?.(args.tab, {
      format,
      scale: view.ratio * args.scale,
      ...(format === "jpeg" && args.quality !== undefined && args.quality > 0 ? { quality: args.quality } : {}),
      ...(rect === undefined ? {} : { rect }),
    });
    if (address === undefined) throw new OpFault("not_supported", "this browser takes no pictures");
    if (format === args.format) return { data: dataOf(address) };
    return { data: await cropped(await blobOf(address), null, 1, args.format, args.quality) };
  } catch (e) {
    throw faultOf(e);
  }
}
