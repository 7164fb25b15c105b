function element(tag, text = '') {
  return Object.assign(document.createElement(tag), {textContent: text});
}
byId('title').textContent = sweep.name;
document.title = `Sweep ${sweep.name}`;
const count = status => points.filter(p => p.status === status).length;
byId('facts').textContent =
  `${points.length} of ${sweep.points} points: ` +
  ['ok', 'mismatch', 'failed', 'timeout'].filter(count).map(s => `${count(s)} ${s}`).join(', ') +
  `. Base ${sweep.base}, ` + (machineVariables.some(v => v.name === 'fidelity') ? '' : `fidelity ${sweep.fidelity}, `) + `seed ${sweep.seed}, ` +
  (machineVariables.some(v => v.name === 'rounding') ? '' : `rounding ${sweep.rounding}, `) + 'outputs ' +
  (sweep.check ? 'compared with the interpreter bit for bit' : 'not checked') +
  `. trnsim ${results.versions.trnsim}, ` + (results.versions.verilator ? `Verilator ${results.versions.verilator}, ` : '') + `SystemC ${results.versions.systemc}.`;
byId('yaml').textContent = sweep.yaml;

// Shows the selection in words, for prints and for readers who do not see the controls.
function showSelection() {
  const fixed = machineVariables.filter(v => get(v.name) !== All).map(v => `${v.name} ${get(v.name)}`);
  const work = [get('kernel') === All ? 'all kernels' : get('kernel'), get('shape') === All ? 'all shapes' : get('shape')];
  byId('selection').textContent = `Shown: ${[...work, ...fixed].join('; ')}: ${shown().length} of ${points.length} points` +
    (machineVariables.length ? `. Speed-ups are against ${get('against')}` +
      (points.some(p => machineOf(p) === get('against') && isSweepsBase(p)) ? ', the base of the sweep.' : '.') : '.');
}

const charts = {line: drawLines, heat: drawHeat, pareto: drawPareto};
const rows = {};  // rows of each chart's CSV
function update() {
  ++change;
  document.documentElement.dataset.theme = get('theme');
  showChoice();
  showSelection();
  const two = varyingIn(ofWork()).filter(v => v !== Work).length > 1;
  byId('heat').hidden = !two;
  byId('no-heat').hidden = two;
  for (const [id, drawChart] of Object.entries(charts)) if (!byId(id).hidden) rows[id] = drawChart();
  drawTable();
}
const csvBlob = text => new Blob([text], {type: 'text/csv'});
for (const id of Object.keys(charts)) {
  byId(id).querySelector('.csv').addEventListener('click', () => save(csvBlob(csvOf(rows[id])), `${id}.csv`));
  byId(id).querySelector('.png').addEventListener('click',
    async () => save(await pngOf(byId(id).querySelector('.chart svg')), `${id}.png`));
}
byId('points-csv').addEventListener('click', () => save(csvBlob(csvOf([...byId('points').tBodies[0].rows].map(row => pointOf.get(row))
  .map(point => ({point, columns: Object.fromEntries(metrics.map(m => [withUnit(m), point.metrics[m.name]]))})))), 'points.csv'));

showProblems();
showMeanings();
if (points.length) {
  makeControls();
  makeTable();
  update();
  let width = innerWidth;
  addEventListener('resize', () => {
    if (innerWidth !== width) update();
    width = innerWidth;
  });
  for (const media of [isPrinted, matchMedia('(prefers-color-scheme: dark)')]) media.addEventListener('change', update);
} else {
  byId('all').hidden = true;
}
