// Line, heat and Pareto plots as SVG.
const palette = ['#2563b0', '#d9622b', '#2a8f5c', '#a23b8f', '#b08c1a', '#4aa3b5', '#c23b46', '#6b5fc7', '#7a7f87', '#86592d'];
const box = {left: 90, top: 16, width: 760, height: 340};

function draw(tag, attributes, text) {
  const node = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  if (text !== undefined) node.textContent = text;
  return node;
}
function withTitle(node, text) { node.append(draw('title', {}, text)); return node; }
const describe = point => variables.filter(v => textOf(point, v.name) !== '')
  .map(v => `${v.name}: ${textOf(point, v.name)}`).join('\n') + `\n${point.arguments}\n` +
  metrics.map(m => `${m.name}: ${short(point.metrics[m.name])} ${m.unit}`).join('\n');

// Selects and check boxes that call `change` with their values.
function controls(form, fields, change) {
  const values = () => Object.fromEntries(fields.map(f => {
    const input = form.elements[f.name];
    return [f.name, f.options ? input.value : input.checked];
  }));
  for (const field of fields) {
    const label = document.createElement('label');
    const input = document.createElement(field.options ? 'select' : 'input');
    input.name = field.name;
    if (field.options) {
      for (const option of field.options) input.add(new Option(option, option, false, option === field.value));
      label.append(field.label + ' ', input);
    } else {
      input.type = 'checkbox';
      input.checked = field.value;
      label.append(input, ' ' + field.label);
    }
    form.append(label);
  }
  form.addEventListener('change', () => change(values()));
  change(values());
}

// Maps numbers to [from, to]; `ticks` are round numbers in between.
function numberScale(values, from, to, log) {
  let low = Math.min(...values), high = Math.max(...values);
  log = log && low > 0;
  if (!log && low > 0 && low < 0.5 * high) low = 0;
  if (!log) high += 0.04 * (high - low);
  if (low === high) { low = log ? low / 2 : low - Math.abs(low || 1) / 2; high = log ? high * 2 : high + Math.abs(high || 1) / 2; }
  const f = log ? Math.log10 : x => x;
  const place = x => from + (f(x) - f(low)) / (f(high) - f(low)) * (to - from);
  const ticks = [];
  if (log) {
    const decades = f(high) - f(low), steps = decades > 4 ? [1] : decades > 1.5 ? [1, 3] : [1, 1.5, 2, 3, 5, 7];
    for (let e = Math.floor(f(low)); e <= f(high); ++e) for (const s of steps) ticks.push(s * 10 ** e);
  } else {
    const raw = (high - low) / 6, power = 10 ** Math.floor(Math.log10(raw));
    const step = [1, 2, 5, 10].map(s => s * power).find(s => s >= raw);
    for (let i = Math.ceil(low / step - 1e-9); i * step <= high * (1 + 1e-9); ++i) ticks.push(i * step);
  }
  return {place, ticks: ticks.filter(t => t >= low && t <= high).map(t => ({at: place(t), text: short(t)}))};
}
function textScale(texts, from, to) {
  const gap = (to - from) / texts.length;
  const place = text => from + (texts.indexOf(text) + 0.5) * gap;
  return {place, gap, ticks: texts.map(text => ({at: place(text), text}))};
}

function axes(svg, x, y, xName, yName) {
  const {left, top, width, height} = box, bottom = top + height;
  for (const tick of y.ticks) {
    svg.append(draw('line', {class: 'grid', x1: left, x2: left + width, y1: tick.at, y2: tick.at}));
    svg.append(draw('text', {class: 'tick', x: left - 8, y: tick.at + 4, 'text-anchor': 'end'}, tick.text));
  }
  const every = Math.ceil(x.ticks.length / 14);
  for (const tick of x.ticks.filter((_, i) => i % every === 0)) {
    svg.append(draw('line', {class: 'grid', x1: tick.at, x2: tick.at, y1: top, y2: bottom}));
    svg.append(draw('text', {class: 'tick', x: tick.at, y: bottom + 18, 'text-anchor': 'middle'}, tick.text));
  }
  svg.append(draw('text', {x: left + width / 2, y: bottom + 40, 'text-anchor': 'middle'}, xName));
  svg.append(draw('text', {x: 0, y: 0, 'text-anchor': 'middle', transform: `translate(16 ${top + height / 2}) rotate(-90)`}, yName));
}
function legend(svg, texts, title) {
  svg.append(draw('text', {x: box.left + box.width + 24, y: box.top + 10, 'font-weight': 'bold'}, title));
  texts.slice(0, 16).forEach((text, i) => {
    const y = box.top + 30 + 20 * i;
    svg.append(draw('circle', {cx: box.left + box.width + 30, cy: y - 4, r: 5, fill: palette[i % palette.length]}));
    svg.append(draw('text', {x: box.left + box.width + 42, y}, text));
  });
}
const empty = svg => svg.append(draw('text', {x: 120, y: 60}, 'no points with these'));
const colourOf = (values, text) => palette[Math.max(values.indexOf(text), 0) % palette.length];

function drawLines(o) {
  const svg = byId('line');
  svg.replaceChildren();
  const used = measured.filter(p => textOf(p, o.x) !== '' && p.metrics[o.y] !== undefined);
  if (!used.length) return empty(svg);
  const numeric = used.every(p => numberOf(p, o.x) !== undefined), xs = valuesOf(o.x), series = valuesOf(o.series);
  const x = numeric ? numberScale(used.map(p => numberOf(p, o.x)), box.left, box.left + box.width, o.logx)
    : textScale(xs, box.left, box.left + box.width);
  const y = numberScale(used.map(p => p.metrics[o.y]), box.top + box.height, box.top, o.logy);
  axes(svg, x, y, withUnit(variables.find(v => v.name === o.x)), withUnit(metricOf(o.y)));
  const at = p => [x.place(numeric ? numberOf(p, o.x) : textOf(p, o.x)), y.place(p.metrics[o.y])];
  // A line joins points that differ in x only.
  const key = p => variables.filter(v => v.name !== o.x).map(v => textOf(p, v.name)).join('|');
  const lines = new Map();
  for (const p of used) lines.set(key(p), [...(lines.get(key(p)) ?? []), p]);
  for (const line of lines.values()) {
    line.sort((a, b) => at(a)[0] - at(b)[0]);
    const colour = colourOf(series, textOf(line[0], o.series));
    svg.append(draw('polyline', {points: line.map(p => at(p).join(',')).join(' '), fill: 'none', stroke: colour, 'stroke-width': 1.6, opacity: 0.75}));
    for (const p of line) svg.append(withTitle(draw('circle', {cx: at(p)[0], cy: at(p)[1], r: 3.5, fill: colour}), describe(p)));
  }
  legend(svg, series, o.series);
}

const shade = share => `hsl(212 60% ${95 - 65 * share}%)`;

function drawHeat(o) {
  const svg = byId('heat');
  svg.replaceChildren();
  const xs = valuesOf(o.x), ys = valuesOf(o.y).reverse();
  const cells = new Map();
  for (const p of measured) {
    if (textOf(p, o.x) === '' || textOf(p, o.y) === '' || p.metrics[o.metric] === undefined) continue;
    const key = JSON.stringify([textOf(p, o.x), textOf(p, o.y)]);
    cells.set(key, [...(cells.get(key) ?? []), p.metrics[o.metric]]);
  }
  if (!cells.size) return empty(svg);
  const combine = {mean: v => v.reduce((a, b) => a + b) / v.length, least: v => Math.min(...v), most: v => Math.max(...v)}[o.of];
  const values = new Map([...cells].map(([key, list]) => [key, combine(list)]));
  const low = Math.min(...values.values()), high = Math.max(...values.values());
  const x = textScale(xs, box.left, box.left + box.width), y = textScale(ys, box.top, box.top + box.height);
  axes(svg, x, y, o.x, o.y);
  for (const [key, value] of values) {
    const [xt, yt] = JSON.parse(key), share = high > low ? (value - low) / (high - low) : 0.5;
    const fill = shade(share);
    svg.append(withTitle(draw('rect', {x: x.place(xt) - x.gap / 2 + 1, y: y.place(yt) - y.gap / 2 + 1, width: x.gap - 2, height: y.gap - 2, fill}),
      `${o.x}: ${xt}\n${o.y}: ${yt}\n${o.of} of ${cells.get(key).length}: ${value}`));
    if (x.gap > 44 && y.gap > 14) svg.append(draw('text', {x: x.place(xt), y: y.place(yt) + 4, 'text-anchor': 'middle', style: share > 0.6 ? 'fill: #fff' : ''}, short(value)));
  }
  svg.append(draw('text', {x: box.left + box.width + 24, y: box.top + 10, 'font-weight': 'bold'}, withUnit(metricOf(o.metric))));
  for (let i = 0; i <= 5; ++i) {
    const share = 1 - i / 5, top = box.top + 24 + 22 * i;
    svg.append(draw('rect', {x: box.left + box.width + 24, y: top, width: 22, height: 22, fill: shade(share)}));
    svg.append(draw('text', {x: box.left + box.width + 54, y: top + 15}, short(low + share * (high - low))));
  }
}

function drawPareto(o) {
  const svg = byId('pareto');
  svg.replaceChildren();
  const used = measured.filter(p => p.metrics[o.x] !== undefined && p.metrics[o.y] !== undefined);
  if (!used.length) return empty(svg);
  const x = numberScale(used.map(p => p.metrics[o.x]), box.left, box.left + box.width, o.logx);
  const y = numberScale(used.map(p => p.metrics[o.y]), box.top + box.height, box.top, o.logy);
  const series = valuesOf(o.series);
  axes(svg, x, y, withUnit(metricOf(o.x)), withUnit(metricOf(o.y)));
  // Metrics without a direction count as "less is better".
  const cost = (p, name) => p.metrics[name] * (metricOf(name).better > 0 ? -1 : 1);
  const front = [];
  let best = Infinity;
  for (const p of [...used].sort((a, b) => cost(a, o.x) - cost(b, o.x) || cost(a, o.y) - cost(b, o.y)))
    if (cost(p, o.y) < best) { best = cost(p, o.y); front.push(p); }
  const at = p => [x.place(p.metrics[o.x]), y.place(p.metrics[o.y])];
  svg.append(draw('polyline', {points: front.map(p => at(p).join(',')).join(' '), fill: 'none', stroke: '#1c2330', 'stroke-dasharray': '5 4'}));
  for (const p of used) {
    const chosen = front.includes(p);
    svg.append(withTitle(draw('circle', {cx: at(p)[0], cy: at(p)[1], r: chosen ? 6 : 4, fill: colourOf(series, textOf(p, o.series)),
      opacity: chosen ? 1 : 0.55, stroke: chosen ? '#1c2330' : 'none'}), describe(p)));
  }
  legend(svg, series, o.series);
}
