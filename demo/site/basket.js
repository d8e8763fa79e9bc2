const basket = {
  get items() { try { return JSON.parse(sessionStorage.getItem('basket') ?? '[]'); } catch { return []; } },
  add(item) { sessionStorage.setItem('basket', JSON.stringify([...this.items, item])); this.show(); },
  clear() { sessionStorage.removeItem('basket'); this.show(); },
  remove(name) {
    const items = this.items, i = items.findIndex(item => item.name === name);
    if (i < 0) return false;
    items.splice(i, 1);
    sessionStorage.setItem('basket', JSON.stringify(items));
    this.show();
    return true;
  },
  get total() { return this.items.reduce((sum, i) => sum + i.price, 0); },
  show() {
    const n = this.items.length;
    document.getElementById('basket').textContent = n === 0 ? 'Basket empty' : `Basket: ${n} ${n === 1 ? 'item' : 'items'}, €${this.total}`;
    document.dispatchEvent(new Event('basketchange'));
  },
};
basket.show();
