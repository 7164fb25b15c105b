// The results, and functions that page and plots share.
const results = JSON.parse(document.getElementById('results').textContent);
const {metrics, points, sweep} = results;
const byId = id => document.getElementById(id);
const unique = list => [...new Set(list)];

// Shortens a number for axes and tables: 1234567 -> 1.235M.
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

// Work is a kernel with its arguments: figures of different work are neither joined nor averaged. Kernels
// with one name from two files are two kernels.
const files = name => unique(points.filter(p => p.kernel === name).map(p => p.file));
for (const point of points) {
  point.kernelName = files(point.kernel).length > 1 ? `${point.kernel} (${point.file})` : point.kernel;
  const label = point.settings.label?.text;
  point.shape = (label ? `${label}: ` : '') + (point.arguments || 'no arguments');
  point.work = `${point.kernelName}: ${point.shape}`;
}
const Work = {name: 'kernel and shape', unit: '', source: 'kernel', base: '',
  doc: 'kernel with all of its arguments; points of different work are neither joined nor averaged'};
// Points of one kernel that differ only in the number of ranks are one family, which a line over ranks joins.
const RanksName = 'kernel.ranks';
const Family = {...Work, name: 'kernel and shape without ranks'};
// Times of configurations are in fs; the page shows s.
const scaleOf = variable => variable?.unit === 'fs' ? 1e-15 : 1;
const variables = [...results.variables, Work];
const variableOf = name => variables.find(v => v.name === name);
const isOfMachine = variable => variable.source !== 'kernel';
const numberOf = (point, name) => {
  const number = point.settings[name]?.number;
  return number === undefined ? undefined : number * scaleOf(variableOf(name));
};
const textOf = (point, name) => name === Work.name ? point.work
  : name === Family.name ? point.work.replace(/ ranks=\d+/, '') : point.settings[name]?.text ?? '';
const metricOf = name => metrics.find(m => m.name === name);
const unitOf = item => item.unit === 'fs' ? 's' : item.unit;
const withUnit = item => unitOf(item) ? `${item.name} (${unitOf(item)})` : item.name;
const hasFigures = point => point.status === 'ok' || point.status === 'mismatch';

// Returns the values of a variable: numbers sorted, texts in their order of appearance.
function valuesOf(some, name) {
  const seen = new Map();
  for (const point of some) if (textOf(point, name) !== '') seen.set(textOf(point, name), numberOf(point, name));
  const list = [...seen];
  if (list.every(([, number]) => number !== undefined)) list.sort((a, b) => a[1] - b[1]);
  return list.map(([text]) => text);
}
const isNumeric = (some, name) => some.every(p => textOf(p, name) === '' || numberOf(p, name) !== undefined);
const varyingIn = some => variables.filter(v => valuesOf(some, v.name).length > 1);

// Returns a sentence about the values of an axis.
const directions = {'-1': 'less is better', 1: 'more is better'};
const sources = {configuration: 'a key of the configuration', 'sweep file': 'set by the sweep file', kernel: 'of the kernel', sweep: 'of points that differ only in ranks',
  simulation: 'measured in the simulation', estimate: 'an estimate'};
const explain = item => [item.doc, unitOf(item) && `in ${unitOf(item)}`, directions[item.better], sources[item.source]]
  .filter(Boolean).join('; ') + '.';

const describe = point => [`point ${point.point}: ${point.status}`, point.work,
  ...results.variables.filter(v => isOfMachine(v) && textOf(point, v.name) !== '').map(v => `${v.name}: ${textOf(point, v.name)}`),
  ...metrics.filter(m => point.metrics[m.name] !== undefined).map(m => `${m.name}: ${short(point.metrics[m.name])} ${unitOf(m)}`.trim()),
  ...(point.reason ? [point.reason] : [])].join('\n');
