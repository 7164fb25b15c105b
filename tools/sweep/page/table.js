// The table and what is drawn first.
const columns = [
  {name: 'point', get: p => p.point},
  ...variables.map(v => ({name: v.name, get: p => numberOf(p, v.name) ?? textOf(p, v.name), show: p => textOf(p, v.name)})),
  {name: 'arguments', get: p => p.arguments},
  {name: 'status', get: p => p.status},
  ...metrics.map(m => ({name: withUnit(m), get: p => p.metrics[m.name], show: p => short(p.metrics[m.name])})),
  {name: 'reason', get: p => p.reason},
];
if (points.some(p => p.recordings))
  columns.splice(columns.findIndex(c => c.name === 'status') + 1, 0,
    {name: 'recordings', get: p => Object.keys(p.recordings ?? {}).join(' '), fill: links});
let sorted = {column: 0, down: false};

// Links to what was recorded of a point, beside the page.
function links(cell, point) {
  for (const [name, file] of Object.entries(point.recordings ?? {})) {
    const link = document.createElement('a');
    link.href = file;
    link.textContent = name;
    cell.append(link, ' ');
  }
}
function compare(a, b) {
  if (a === b) return 0;
  if (a === undefined) return 1;
  if (b === undefined) return -1;
  return typeof a === 'number' && typeof b === 'number' ? a - b : String(a).localeCompare(String(b));
}
function drawTable() {
  const {get} = columns[sorted.column];
  const rows = [...points].sort((a, b) => compare(get(a), get(b)) * (sorted.down ? -1 : 1));
  byId('points').tBodies[0].replaceChildren(...rows.map(point => {
    const row = document.createElement('tr');
    row.className = point.status;
    for (const column of columns) {
      const value = column.get(point), cell = row.insertCell();
      if (column.fill) column.fill(cell, point);
      else cell.textContent = column.show ? column.show(point) : value ?? '';
      if (typeof value === 'number') cell.className = 'number';
    }
    return row;
  }));
  [...byId('points').tHead.rows[0].cells].forEach((cell, i) =>
    cell.setAttribute('aria-sort', i !== sorted.column ? 'none' : sorted.down ? 'descending' : 'ascending'));
}
const heading = byId('points').tHead.insertRow();
columns.forEach((column, index) => {
  const cell = document.createElement('th');
  cell.textContent = column.name;
  cell.addEventListener('click', () => {
    sorted = {column: index, down: sorted.column === index && !sorted.down};
    drawTable();
  });
  heading.append(cell);
});
drawTable();

const names = metrics.map(m => m.name);
controls(byId('line-form'), [
  {name: 'x', label: 'x', options: choices, value: choices[0]},
  {name: 'y', label: 'y', options: names, value: names[0]},
  {name: 'series', label: 'colour', options: choices, value: choices[1] ?? choices[0]},
  {name: 'logx', label: 'log x', value: false}, {name: 'logy', label: 'log y', value: false},
], drawLines);
controls(byId('heat-form'), [
  {name: 'x', label: 'x', options: choices, value: choices[0]},
  {name: 'y', label: 'y', options: choices, value: choices[1] ?? choices[0]},
  {name: 'metric', label: 'metric', options: names, value: names[0]},
  {name: 'of', label: 'of several', options: ['mean', 'least', 'most'], value: 'mean'},
], drawHeat);
controls(byId('pareto-form'), [
  {name: 'x', label: 'x', options: names, value: names[0]},
  {name: 'y', label: 'y', options: names, value: names.findLast(n => metricOf(n).better !== 0) ?? names[0]},
  {name: 'series', label: 'colour', options: choices, value: choices[0]},
  {name: 'logx', label: 'log x', value: false}, {name: 'logy', label: 'log y', value: false},
], drawPareto);
