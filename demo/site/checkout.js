const form = document.getElementById('order'), review = document.getElementById('review'), terms = document.getElementById('terms');
const box = document.getElementById('confirm'), toast = document.getElementById('toast');

function check() {
  const filled = form.elements.name.value.trim() !== '' && form.elements.email.validity.valid && form.elements.country.value !== '';
  review.disabled = !(filled && terms.checked);
}
form.addEventListener('input', check);
form.addEventListener('reset', () => queueMicrotask(check));
form.addEventListener('submit', e => {
  e.preventDefault();
  const country = form.elements.country;
  document.getElementById('summary').textContent =
    `${form.elements.name.value}, to ${country.selectedOptions[0].textContent} (${country.selectedOptions[0].parentElement.label}), ${basket.items.length} ${basket.items.length === 1 ? "item" : "items"}, €${basket.total}.`;
  box.showModal();
});
document.getElementById('cancel').addEventListener('click', () => box.close());
document.getElementById('place').addEventListener('click', () => {
  box.close();
  toast.textContent = `Order HS-${1000 + basket.items.length} is placed. Thank you, ${form.elements.name.value}!`;
  basket.clear();
});
