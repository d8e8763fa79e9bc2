/** find is an element of the popup by its id and class. */
export function find<T extends HTMLElement>(id: string, kind: new () => T): T {
  const e = document.getElementById(id);
  if (!(e instanceof kind)) throw new Error(`no ${id}`);
  return e;
}

/** say sets a text, only when it is another: what listens to it would say it again. */
export function say(id: string, text: string): void {
  const e = find(id, HTMLElement);
  if (e.textContent !== text) e.textContent = text;
}

/** show shows or hides an element. */
export function show(id: string, shown: boolean): void {
  find(id, HTMLElement).hidden = !shown;
}

/** make makes an element with a class and a text, or with others in it. */
export function make<K extends keyof HTMLElementTagNameMap>(name: K, kind: string, ...inner: (Node | string)[]): HTMLElementTagNameMap[K] {
  const e = document.createElement(name);
  if (kind !== "") e.className = kind;
  e.append(...inner);
  return e;
}
