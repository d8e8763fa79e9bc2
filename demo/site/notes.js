const editor = document.getElementById('editor'), toast = document.getElementById('toast');
for (const b of document.querySelectorAll('[data-do]')) {
  b.addEventListener('mousedown', e => e.preventDefault());
  b.addEventListener('click', () => document.execCommand(b.dataset.do));
}
document.getElementById('save').addEventListener('click', () => {
  document.getElementById('saved').textContent = editor.innerText;
  toast.textContent = 'Note saved.';
});
document.getElementById('clear').addEventListener('click', () => {
  if (confirm('Clear the whole note?')) {
    editor.replaceChildren();
    toast.textContent = 'Note cleared.';
  }
});
