// The looks of a question. What is important in a shadow tree wins over all that
// a page says of its host.

export const sheetOf = (): string => `
:host {
  all: initial !important;
  display: block !important; position: fixed !important; inset: 0 !important; z-index: 2147483647 !important;
  width: auto !important; height: auto !important; max-width: none !important; max-height: none !important;
  margin: 0 !important; padding: 0 !important; border: 0 !important;
  background: none !important; overflow: visible !important; pointer-events: none !important;
}
@media print { :host { display: none !important; } }
* { box-sizing: border-box; }
[hidden] { display: none !important; }
.stage {
  --paper: #ffffff; --ink: #1b1f24; --soft: #57606a; --line: #c9d1d9; --well: #f3f5f7; --strong: #0b57d0; --on: #ffffff; --halo: #ffffff; --press: #0842a0;
  font: 14px/1.45 system-ui, -apple-system, "Segoe UI", Roboto, "Liberation Sans", sans-serif; color: var(--ink);
}
@media (prefers-color-scheme: dark) {
  .stage { --paper: #22262c; --ink: #eef1f4; --soft: #aab4bf; --line: #4a535e; --well: #2d333b; --strong: #8ab4f8; --on: #10233f; --halo: #10141a; --press: #aecbfa; }
}
.ring {
  position: fixed; pointer-events: none; border: 3px solid var(--strong); border-radius: 8px;
  box-shadow: 0 0 0 2px var(--halo), inset 0 0 0 1px var(--halo);
}
.card {
  position: fixed; left: 0; top: 0; width: max-content; max-width: min(360px, calc(100% - 16px)); max-height: calc(100% - 16px); overflow: auto;
  pointer-events: auto; color-scheme: light dark; background: var(--paper); color: var(--ink);
  border: 1px solid var(--line); border-left: 5px solid var(--strong); border-radius: 10px; box-shadow: 0 6px 24px rgba(0, 0, 0, .35);
  overscroll-behavior: contain; text-align: start; cursor: default;
}
.yields .card { pointer-events: none; }
.hides { visibility: hidden; }
.head { display: flex; align-items: center; gap: 8px; padding: 8px 8px 0 12px; cursor: move; touch-action: none; user-select: none; -webkit-user-select: none; }
.who { flex: 1; min-width: 0; margin: 0; font-size: 12px; font-weight: 600; color: var(--soft); overflow-wrap: anywhere; }
.body { padding: 2px 12px 12px; }
p { margin: 6px 0 0; overflow-wrap: anywhere; }
.task { font-size: 15px; font-weight: 600; }
.message { white-space: pre-wrap; }
.value {
  font: 13px/1.4 ui-monospace, "Liberation Mono", monospace; white-space: pre-wrap; background: var(--well); border: 1px solid var(--line);
  border-radius: 6px; padding: 5px 8px; cursor: text; user-select: all; -webkit-user-select: all;
}
.small { font-size: 12px; color: var(--soft); }
.row { display: flex; flex-wrap: wrap; gap: 8px; margin-top: 12px; }
label { display: block; margin-top: 10px; font-size: 13px; }
input {
  display: block; width: 100%; margin: 4px 0 0; padding: 6px 8px; font: inherit; color: var(--ink); background: var(--paper);
  border: 1px solid var(--soft); border-radius: 6px;
}
button {
  font: inherit; font-weight: 600; min-height: 32px; padding: 4px 14px; margin: 0; border-radius: 6px; cursor: pointer;
  color: var(--ink); background: var(--well); border: 1px solid var(--line);
}
button:hover { border-color: var(--strong); }
button.first { color: var(--on); background: var(--strong); border-color: var(--strong); }
button.first:hover { background: var(--press); }
button.move { min-height: 26px; padding: 0 8px; font-weight: 400; font-size: 12px; }
button:focus-visible, input:focus-visible { outline: 3px solid var(--strong); outline-offset: 2px; }
@media (max-height: 420px) {
  .stage { font-size: 13px; line-height: 1.3; }
  .head { padding: 4px 6px 0 10px; }
  .body { padding: 0 10px 8px; }
  p { margin-top: 3px; }
  .task { font-size: 14px; }
  .row { margin-top: 6px; }
  button { min-height: 28px; padding: 2px 12px; }
}
@media (forced-colors: active) { .card, .ring { border-color: Highlight; } }
`;
