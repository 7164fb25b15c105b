// The results, and what page and plots share.
const results = JSON.parse(document.getElementById('results').textContent);
const variables = results.variables, metrics = results.metrics, points = results.points;
const measured = points.filter(p => p.status === 'ok' || p.status === 'mismatch');
const byId = id => document.getElementById(id);

const numberOf = (point, name) => point.settings[name]?.number;
const textOf = (point, name) => point.settings[name]?.text ?? '';
const metricOf = name => metrics.find(m => m.name === name);
const withUnit = item => item.unit ? `${item.name} (${item.unit})` : item.name;

// 1234567 -> 1.235M, for axes and tables
function short(value) {
  if (value === undefined) return '';
  const size = Math.abs(value);
  if (size !== 0 && size < 1e-3) {
    const units = [[1e-3, 'm'], [1e-6, 'µ'], [1e-9, 'n'], [1e-12, 'p']];
    const [scale, unit] = units.find(([s]) => size >= s) ?? units[3];
    return +(value / scale).toPrecision(4) + unit;
  }
  for (const [scale, unit] of [[1e12, 'T'], [1e9, 'G'], [1e6, 'M'], [1e4, 'k']])
    if (size >= scale) return +(value / (unit === 'k' ? 1e3 : scale)).toPrecision(4) + unit;
  return String(+value.toPrecision(4));
}

// The values of a variable, numbers in order, texts as they come.
function valuesOf(name) {
  const seen = new Map();
  for (const point of measured) if (textOf(point, name) !== '') seen.set(textOf(point, name), numberOf(point, name));
  const list = [...seen];
  if (list.every(([, number]) => number !== undefined)) list.sort((a, b) => a[1] - b[1]);
  return list.map(([text]) => text);
}

// Variables that differ between the points; all of them when none does.
const varying = variables.filter(v => valuesOf(v.name).length > 1);
const choices = (varying.length ? varying : variables).map(v => v.name);

byId('title').textContent = results.sweep.name;
document.title = `Sweep ${results.sweep.name}`;
const count = status => points.filter(p => p.status === status).length;
byId('facts').textContent =
  `${points.length} of ${results.sweep.points} points: ` +
  ['ok', 'mismatch', 'failed', 'timeout'].filter(count).map(s => `${count(s)} ${s}`).join(', ') +
  `. Base ${results.sweep.base}, fidelity ${results.sweep.fidelity}, seed ${results.sweep.seed}, ` +
  (varying.some(v => v.name === 'rounding') ? '' : `rounding ${results.sweep.rounding}, `) + 'outputs ' +
  (results.sweep.check ? 'compared with the interpreter bit for bit' : 'not checked') +
  `. trnsim ${results.versions.trnsim}, Verilator ${results.versions.verilator}, SystemC ${results.versions.systemc}.`;
byId('yaml').textContent = results.sweep.yaml;
