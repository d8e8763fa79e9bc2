// What the shop offers to agents (WebMCP). Nothing here where the browser has no page tools.
const offer = (tool, options) => document.modelContext?.registerTool(tool, options).catch(e => console.warn(e));
const product = {type: 'string', description: 'the name of a product', enum: goods.map(g => g.name)};
const told = () => ({items: basket.items, total: basket.total});

offer({
  name: 'search_products', title: 'Search the shop', description: 'Finds products by words of their name or description.',
  inputSchema: {type: 'object', properties: {
    words: {type: 'string', description: 'such as rope; all products without it'},
    max_price: {type: 'number', minimum: 0, description: 'in euros'},
    in_stock: {type: 'boolean'},
  }},
  annotations: {readOnlyHint: true},
  execute: ({words = '', max_price = Infinity, in_stock = false}) =>
    goods.filter(g => (g.name + ' ' + g.text).toLowerCase().includes(words.toLowerCase()) && g.price <= max_price && (g.stock || !in_stock)),
});

offer({
  name: 'add_to_basket', title: 'Add to basket', description: 'Puts a product into the basket.',
  inputSchema: {type: 'object', properties: {product, quantity: {type: 'integer', minimum: 1, maximum: 20, default: 1}}, required: ['product']},
  execute: ({product, quantity = 1}) => {
    const found = goods.find(g => g.name === product);
    if (!found) throw new Error(`there is no product ${product}`);
    if (!found.stock) throw new Error(`${product} is sold out`);
    for (let i = 0; i < quantity; i++) basket.add({name: found.name, price: found.price});
    toast.textContent = `${found.name} is in your basket.`;
    return told();
  },
});

offer({
  name: 'show_basket', title: 'Show the basket', description: 'Tells what is in the basket.',
  inputSchema: {type: 'object', properties: {}},
  annotations: {readOnlyHint: true},
  execute: () => ({content: [{type: 'text', text: basket.items.length === 0 ? 'The basket is empty.' : basket.items.map(i => `${i.name}: €${i.price}`).join('\n')}], structuredContent: told()}),
});

// These two are there only while the basket has something in it.
let filled = null;
function follow() {
  if ((basket.items.length > 0) === (filled !== null)) return;
  if (filled) {
    filled.abort();
    filled = null;
    return;
  }
  filled = new AbortController();
  offer({
    name: 'remove_from_basket', description: 'Takes one piece of a product out of the basket.',
    inputSchema: {type: 'object', properties: {product}, required: ['product']},
    execute: ({product}) => {
      if (!basket.remove(product)) throw new Error(`${product} is not in the basket`);
      return told();
    },
  }, {signal: filled.signal});
  offer({
    name: 'empty_basket', title: 'Empty the basket', description: 'Takes everything out of the basket.',
    inputSchema: {type: 'object', properties: {}},
    annotations: {consequentialHint: true, destructiveHint: true},
    execute: () => { basket.clear(); return told(); },
  }, {signal: filled.signal});
}
document.addEventListener('basketchange', follow);
follow();
