const goods = [
  ['Anchor, 7 kg', 89, 'Galvanised plough anchor for boats up to 6 m.', true],
  ['Bilge pump', 54, 'Submersible, 12 V, 30 litres a minute.', true],
  ['Brass lamp', 72, 'Gimballed cabin lamp for paraffin or LED.', true],
  ['Chart of the fjords', 31, 'Folded, waterproof, corrected this year.', true],
  ['Fender, blue', 19, 'Inflatable, with eyes at both ends.', true],
  ['Foghorn', 27, 'Loud, with a spare canister.', false],
  ['Handheld compass', 45, 'Luminous card, thumb grip.', true],
  ['Life jacket', 119, 'Inflates by itself, 165 N, adult.', true],
  ['Mooring rope, 12 mm', 38, 'Polyester, 20 m, spliced eye.', true],
  ['Rope bag', 16, 'Mesh, dries fast.', true],
  ['Signal flags', 64, 'The complete set of forty.', false],
  ['Tow rope', 42, 'Floats, 15 m, with snap hooks.', true],
].map(([name, price, text, stock]) => ({name, price, text, stock}));

const list = document.getElementById('goods'), query = document.getElementById('query');
const order = document.getElementById('order'), stock = document.getElementById('stock'), toast = document.getElementById('toast');

function show() {
  const words = query.value.trim().toLowerCase();
  const by = {name: (a, b) => a.name.localeCompare(b.name), cheap: (a, b) => a.price - b.price, dear: (a, b) => b.price - a.price}[order.value];
  const found = goods.filter(g => (g.name + ' ' + g.text).toLowerCase().includes(words) && (g.stock || !stock.checked)).sort(by);
  list.replaceChildren(...found.map(g => {
    const li = document.createElement('li'), h = document.createElement('h2'), p = document.createElement('p'), price = document.createElement('p'), b = document.createElement('button');
    h.textContent = g.name;
    p.textContent = g.text;
    price.className = 'price';
    price.textContent = `€${g.price}` + (g.stock ? '' : ' · sold out');
    b.textContent = 'Add to basket';
    b.setAttribute('aria-label', `Add ${g.name} to basket`);
    b.disabled = !g.stock;
    b.addEventListener('click', () => { basket.add({name: g.name, price: g.price}); toast.textContent = `${g.name} is in your basket.`; });
    li.append(h, p, price, b);
    return li;
  }));
  if (found.length === 0) toast.textContent = `Nothing found for “${query.value}”.`;
  else if (words !== '') toast.textContent = `${found.length} found.`;
}
for (const el of [query, order, stock]) el.addEventListener('input', show);
show();
