// Shows the tests of a state that contain all given words; the address after '#' keeps both.
const table = document.getElementById('tests'), body = table.tBodies[0], form = document.getElementById('filter');
const find = document.getElementById('find'), total = document.getElementById('count');

function filter() {
  const words = find.value.toLowerCase().split(/\s+/), state = form.elements.state.value;
  let count = 0;
  for (const row of body.rows) {
    const is = state === 'all' || (state === 'failed' ? !['pass', 'not run'].includes(row.dataset.state) : row.dataset.state === state);
    row.hidden = !is || !words.every(word => row.textContent.toLowerCase().includes(word));
    count += !row.hidden;
  }
  total.textContent = `${count} of ${body.rows.length} tests`;
}
function read() {
  const address = new URLSearchParams(location.hash.slice(1));
  if (location.hash && !address.has('state') && !address.has('find')) return;  // leads to a failure
  find.value = address.get('find') ?? '';
  const wanted = [...form.elements.state].find(input => input.value === address.get('state'));
  (wanted ?? form.elements.state[0]).checked = true;
}
form.addEventListener('input', () => {
  const address = new URLSearchParams({state: form.elements.state.value});
  if (find.value) address.set('find', find.value);
  history.replaceState(null, '', '#' + address);
  filter();
});
form.addEventListener('submit', event => event.preventDefault());
addEventListener('hashchange', () => {
  read();
  filter();
});
makeSortable(table, (row, column) => row.cells[column].dataset.value ?? row.cells[column].textContent);
read();
filter();
