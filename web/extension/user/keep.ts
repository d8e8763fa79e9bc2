import { api } from "./api";
import type { Clock, Shelf } from "./consent";
import { field } from "./decode";

/** localShelf keeps what outlives the browser's run. */
export const localShelf: Shelf = {
  get: async (key) => field(await api.storage.local.get(key), key),
  set: (key, value) => api.storage.local.set({ [key]: value }),
};

/** sessionShelf keeps what does not; where the browser has no such area, the background itself stays. */
export function sessionShelf(): Shelf {
  const { session } = api.storage;
  if (session !== undefined) return { get: async (key) => field(await session.get(key), key), set: (key, value) => session.set({ [key]: value }) };
  const kept = new Map<string, unknown>();
  return {
    get: (key) => Promise.resolve(kept.get(key)),
    set: (key, value) => {
      kept.set(key, value);
      return Promise.resolve();
    },
  };
}

const alarm = "consent";

/** alarmClock has wake called on time while the background lives, and starts it anew for that otherwise. */
export function alarmClock(wake: () => void): Clock {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let at: number | null = null;
  api.alarms.onAlarm.addListener(({ name }) => {
    if (name === alarm) wake();
  });
  return {
    now: () => Date.now(),
    wakeAt: (time) => {
      if (time === at) return;
      at = time;
      clearTimeout(timer);
      if (time === null) {
        void api.alarms.clear(alarm);
        return;
      }
      timer = setTimeout(() => {
        at = null;
        wake();
      }, Math.max(0, time - Date.now()));
      void api.alarms.create(alarm, { when: time });
    },
  };
}
