// The choice of the reader is in the controls. The parts that differ from the start of the page are also in
// the address after '#', so that a link leads to the same view.
const All = '(all)';
let chosen = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));

const option = (value, text = value) => ({value, text});
const optionsOf = list => list.map(value => option(value));

// Every control in its form's order, with its options (none for a check box) and its initial value, both for
// the present choice.
const controls = new Map();
function addControl(form, name, label, options, first) {
  const id = `control ${name}`, wrapper = document.createElement('label');
  const input = document.createElement(options ? 'select' : 'input');
  input.name = name;
  input.id = id;
  wrapper.htmlFor = id;
  if (!options) input.type = 'checkbox';
  wrapper.append(...(options ? [label + ' ', input] : [input, ' ' + label]));
  byId(form).append(wrapper);
  controls.set(name, {input, wrapper, options, first});
  input.addEventListener('change', () => {
    chosen[name] = options ? input.value : String(input.checked);
    update();
  });
}
// Values that depend on the choice are computed once after each change.
let change = 0;
function onceAChange(find) {
  let at = -1, value;
  return () => {
    if (at !== change) [value, at] = [find(), change];
    return value;
  };
}
const values = onceAChange(() => new Map());
function get(name) {
  if (!values().has(name)) {
    const {options, first} = controls.get(name);
    if (options) {
      const list = options();
      values().set(name, (list.find(o => o.value === chosen[name]) ?? {value: first ? first() : list[0]?.value}).value);
    } else {
      values().set(name, (chosen[name] ?? String(first())) === 'true');
    }
  }
  return values().get(name);
}
// Shows the choice; a control with only one option is hidden.
function showChoice() {
  const address = new URLSearchParams();
  for (const [name, {input, wrapper, options, first}] of controls) {
    const value = get(name);
    if (String(value) !== String(first ? first() : options()[0]?.value)) address.set(name, value);
    if (!options) {
      input.checked = value;
      continue;
    }
    const list = options();
    const same = list.length === input.length && list.every((o, i) => o.value === input[i].value && o.text === input[i].text);
    if (!same) input.replaceChildren(...list.map(o => new Option(o.text, o.value)));
    input.value = value;
    wrapper.hidden = list.length < 2;
  }
  history.replaceState(null, '', '#' + address);
}
addEventListener('hashchange', () => {
  chosen = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
  update();
});

// The points of the chosen work, and those of them with the chosen settings.
const ofKernel = onceAChange(() => points.filter(p => get('kernel') === All || p.kernelName === get('kernel')));
const ofWork = onceAChange(() => ofKernel().filter(p => get('shape') === All || p.shape === get('shape')));
const machineVariables = varyingIn(points).filter(isOfMachine);
const shown = onceAChange(
  () => ofWork().filter(p => machineVariables.every(v => get(v.name) === All || get(v.name) === textOf(p, v.name))));

// The base of a speed-up is a machine; each point is compared with the point of the same work on it.
const machineOf = point => machineVariables.map(v => `${v.name} ${textOf(point, v.name)}`).join(', ') || 'the only machine';
const isSweepsBase = point => machineVariables.every(v => textOf(point, v.name) === v.base);
const bases = onceAChange(() => new Map(ofWork().filter(p => machineOf(p) === get('against')).map(p => [p.work, p])));
const baseOf = point => bases().get(point.work);
const ratio = (point, metric) => {
  const value = point.metrics[metric.name], base = baseOf(point)?.metrics[metric.name];
  const [over, under] = metric.better < 0 ? [base, value] : [value, base];
  return over === undefined || !under ? undefined : over / under;
};
// The value of a metric that an axis shows: the figure, or its improvement over the base.
const Ratio = 'speed-up';
const figure = (point, metric, show) => !hasFigures(point) ? undefined : show === Ratio ? ratio(point, metric) : point.metrics[metric.name];
const figureName = (metric, show) => show !== Ratio ? withUnit(metric)
  : metric.better ? `${metric.name}: times better than the base` : `${metric.name}: ratio to the base`;

function makeControls() {
  const firstKernel = () => points[0]?.kernelName;
  const withAll = list => list.length > 1 ? [...optionsOf(list), option(All, 'all')] : optionsOf(list);
  addControl('choose', 'kernel', 'kernel', () => withAll(unique(points.map(p => p.kernelName))), firstKernel);
  // If only the work varies, a single shape is a single point; a sweep over ranks is about all of them.
  const scales = onceAChange(() => valuesOf(ofKernel(), RanksName).length > 1);
  addControl('choose', 'shape', 'shape', () => withAll(unique(ofKernel().map(p => p.shape))),
    () => unique(ofKernel().map(p => p.shape)).length > 1 && (get('kernel') === All || !machineVariables.length || scales()) ? All : ofKernel()[0]?.shape);
  for (const variable of machineVariables)
    addControl('choose', variable.name, variable.name, () => [option(All, 'all'), ...optionsOf(valuesOf(ofWork(), variable.name))], () => All);
  addControl('choose', 'against', 'speed-up against', () => unique(ofWork().map(machineOf)).map(m => option(m)),
    () => machineOf(ofWork().find(isSweepsBase) ?? ofWork()[0]));

  const varying = onceAChange(() => varyingIn(ofWork()).map(v => v.name));
  const axes = () => optionsOf(varying().length ? varying() : results.variables.map(v => v.name));
  const named = () => optionsOf(metrics.map(m => m.name));
  const other = (...names) => varying().find(name => !names.includes(name));
  const none = option('', 'none');
  const shows = () => machineVariables.length ? [option('figure'), option(Ratio)] : [option('figure')];
  const facets = (...names) => [none, ...axes().filter(o => varying().includes(o.value) && !names.includes(o.value))];

  // Cycles of different clocks are not compared.
  const firstMetric = () => (!sweep.one_clock && metricOf('time') ? metricOf('time') : metrics[0]).name;
  const firstNumber = () => scales() && varying().includes(RanksName) ? RanksName : varying().find(name => isOfMachine(variableOf(name)) && isNumeric(ofWork(), name)) ?? axes()[0].value;
  addControl('line-form', 'line.x', 'x', axes, firstNumber);
  addControl('line-form', 'line.y', 'y', named, () => scales() && metricOf('speed_up') ? 'speed_up' : firstMetric());
  addControl('line-form', 'line.show', 'show', shows);
  addControl('line-form', 'line.series', 'colour', () => [none, ...axes()], () => other(get('line.x')) ?? '');
  addControl('line-form', 'line.facet', 'a panel for each', () => facets(get('line.x'), get('line.series')),
    () => other(get('line.x'), get('line.series'), Work.name) ?? '');
  addControl('line-form', 'line.logx', 'log x', null, () => false);
  addControl('line-form', 'line.logy', 'log y', null, () => false);

  addControl('heat-form', 'heat.x', 'x', axes, firstNumber);
  addControl('heat-form', 'heat.y', 'y', axes, () => other(get('heat.x')) ?? axes()[0].value);
  addControl('heat-form', 'heat.metric', 'metric', named, firstMetric);
  addControl('heat-form', 'heat.show', 'show', shows);
  addControl('heat-form', 'heat.of', 'of several points', () => optionsOf(['least', 'mean', 'most']));
  addControl('heat-form', 'heat.facet', 'a panel for each', () => facets(get('heat.x'), get('heat.y')),
    () => other(get('heat.x'), get('heat.y'), Work.name) ?? '');

  addControl('pareto-form', 'pareto.x', 'x', named, firstMetric);
  addControl('pareto-form', 'pareto.y', 'y', named,
    () => metrics.findLast(m => m.better !== 0 && m.name !== get('pareto.x'))?.name ?? metrics.at(-1).name);
  addControl('pareto-form', 'pareto.series', 'colour', () => [none, ...axes()],
    () => varying().find(name => valuesOf(ofWork(), name).length <= 7) ?? axes()[0].value);
  addControl('pareto-form', 'pareto.facet', 'a panel for each', () => facets(get('pareto.series')), () => '');
  addControl('pareto-form', 'pareto.logx', 'log x', null, () => false);
  addControl('pareto-form', 'pareto.logy', 'log y', null, () => false);

  addControl('theme-form', 'theme', 'colours', () => [option('', 'as the system'), option('light'), option('dark')]);
}
