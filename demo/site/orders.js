const names = ['Ann Berg', 'Carl Dahl', 'Eva Friis', 'Gus Holm', 'Ida Juhl'], ports = ['Bergen', 'Kiel', 'Oban', 'Skagen'], states = ['Paid', 'Sent', 'Open'];
document.getElementById('rows').append(...Array.from({length: 1000}, (_, i) => {
  const day = new Date(Date.UTC(2026, 0, 4) + i * 7 * 3600e3);
  const tr = document.createElement('tr');
  for (const text of [`HS-${1001 + i}`, day.toISOString().slice(0, 10), names[i % 5], ports[i % 4], `€${12 + (i * 37) % 400}`, states[i % 3]]) {
    tr.insertCell().textContent = text;
  }
  return tr;
}));

document.getElementById('lookup').addEventListener('submit', e => {
  e.preventDefault();
  const number = new FormData(e.target).get('order'), row = [...document.getElementById('rows').rows].find(r => r.cells[0].textContent === number);
  const [, date, customer, port, total, state] = row ? Array.from(row.cells, c => c.textContent) : [];
  document.getElementById('toast').textContent = row ? `${number}: ${state}, ${total}, to ${customer} in ${port}.` : `There is no order ${number}.`;
  if (e.agentInvoked) e.respondWith(Promise.resolve(row ? {order: number, date, customer, port, total, state} : {error: `there is no order ${number}`}));
});
