// The other name of this machine is another site to the browser.
const other = new URL('question.html', location.href);
other.hostname = location.hostname === '127.0.0.1' ? 'localhost' : '127.0.0.1';
document.getElementById('other').src = other.href;

document.getElementById('call').addEventListener('submit', e => {
  e.preventDefault();
  const form = new FormData(e.target), text = `We call ${form.get('name')} in the ${form.get('when')}.`;
  document.getElementById('toast').textContent = text;
  if (e.agentInvoked) e.respondWith(Promise.resolve(text));
});
