// What the pages share: parts by their test ids, and fields whose value a script
// owns, as those of React are owned.
const part = (id) => document.querySelector(`[data-testid="${id}"]`)
const say = (id, text) => { part(id).textContent = text }

// controlled has a field show what state says. The field notes what it was last
// set to, as React does, so that an event after a plain assignment tells nothing;
// and what was typed without an event is lost.
function controlled(field, state, key, changed) {
  const own = field.type === 'checkbox' ? 'checked' : 'value'
  const native = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field), own)
  const show = () => { if (native.get.call(field) !== state[key]) field[own] = state[key] }
  let last = native.get.call(field)
  Object.defineProperty(field, own, {
    configurable: true,
    get() { return native.get.call(field) },
    set(value) { last = own === 'checked' ? Boolean(value) : String(value); native.set.call(field, value) },
  })
  const told = () => {
    const now = native.get.call(field)
    if (now !== last) {
      last = now
      state[key] = now
      changed()
    }
    show()
  }
  for (const type of own === 'checked' ? ['click'] : ['input', 'change']) field.addEventListener(type, told)
  field.addEventListener('blur', show)
  show()
}
