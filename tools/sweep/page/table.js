// The table of the chosen points, the table of the failed ones, and the meanings of all columns.
const columns = [
  {name: 'point', get: p => p.point},
  ...results.variables.map(v => ({name: v.name, get: p => numberOf(p, v.name) ?? textOf(p, v.name), show: p => textOf(p, v.name)})),
  {name: 'arguments', get: p => p.arguments},
  {name: 'status', get: p => p.status},
  ...(points.some(p => p.recordings) ? [{name: 'recordings', get: p => Object.keys(p.recordings ?? {}).join(' '), fill: links}] : []),
  ...metrics.map(m => ({name: withUnit(m), get: p => p.metrics[m.name], show: p => short(p.metrics[m.name])})),
  ...(points.some(p => p.reason) ? [{name: 'reason', get: p => p.reason}] : []),
];

// Adds links to the recordings of a point, which lie beside the page.
function links(cell, point) {
  for (const [name, file] of Object.entries(point.recordings ?? {})) {
    const link = document.createElement('a');
    link.href = file;
    link.textContent = name;
    cell.append(link, ' ');
  }
}
const pointOf = new Map();  // point of each row of the table
function drawTable() {
  pointOf.clear();
  byId('points').tBodies[0].replaceChildren(...shown().map(point => {
    const row = document.createElement('tr');
    pointOf.set(row, point);
    row.className = point.status;
    for (const column of columns) {
      const value = column.get(point), cell = row.insertCell();
      if (column.fill) column.fill(cell, point);
      else cell.textContent = column.show ? column.show(point) : value ?? '';
      if (typeof value === 'number') cell.className = 'number';
    }
    return row;
  }));
  for (const heading of byId('points').tHead.rows[0].cells) heading.setAttribute('aria-sort', 'none');
}
function makeTable() {
  const row = byId('points').tHead.insertRow();
  for (const column of columns) row.append(Object.assign(document.createElement('th'), {textContent: column.name}));
  makeSortable(byId('points'), (row, column) => columns[column].get(pointOf.get(row)));
}

function showProblems() {
  const bad = points.filter(p => p.status !== 'ok'), missing = sweep.points - points.length;
  byId('problems').hidden = !bad.length && !missing;
  if (missing) byId('problems').append(element('p', `${missing} of ${sweep.points} points have no result: the sweep was ended before its end.`));
  if (!bad.length) return;
  byId('problems').append(element('p', `${bad.length} of ${points.length} points are not ok:`));
  const reasons = new Map(), list = element('ul');
  for (const p of bad) reasons.set(`${p.status}: ${p.reason}`, [...(reasons.get(`${p.status}: ${p.reason}`) ?? []), p]);
  for (const [reason, some] of reasons) {
    const item = element('li', `${some.length === 1 ? 'one point' : `${some.length} points`} ${reason}`);
    const which = element('details');
    which.append(element('summary', some.length === 1 ? 'which' : `which, the first is point ${some[0].point}`),
      ...some.map(p => element('div', [`point ${p.point}: ${p.work}`, ...machineVariables.map(v => `${v.name} ${textOf(p, v.name)}`)].join(', '))));
    item.append(which);
    list.append(item);
  }
  byId('problems').append(list);
}
function showMeanings() {
  for (const item of [...results.variables, ...metrics])
    byId('meanings').append(element('dt', item.name), element('dd', explain(item)));
}
