// Common parts of all charts: panels side by side with axes, a legend, marks with a description, in an SVG as
// wide as the page.
function draw(tag, attributes, text) {
  const node = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  if (text !== undefined) node.textContent = text;
  return node;
}
const canvas = document.createElement('canvas').getContext('2d');
function widthOf(text) {
  canvas.font = '12px system-ui, sans-serif';
  return canvas.measureText(text).width;
}
function clipped(text, width) {
  if (widthOf(text) <= width) return text;
  let end = text.length;
  while (end > 1 && widthOf(text.slice(0, end) + '…') > width) --end;
  return text.slice(0, end) + '…';
}

const isPrinted = matchMedia('print');
const isDark = () => !isPrinted.matches && (document.documentElement.dataset.theme
  ? document.documentElement.dataset.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches);

// Colours that people with any kind of colour vision can tell apart, and shapes for readers and printers
// without colour. If a variable has numbers, more values than there are colours, it gets a scale from dark
// blue to yellow.
const hues = {light: ['#0068a8', '#c44e00', '#007a55', '#a8488a', '#8a6a00', '#4a4fb5', '#5b6470'],
  dark: ['#4fb3f0', '#ff8f4a', '#3fd0a0', '#e99ccb', '#f0c84a', '#a5a8ff', '#b9c2ce']};
const ramp = [[0, 34, 78], [42, 63, 109], [87, 92, 109], [125, 124, 120], [165, 156, 116], [210, 193, 95], [254, 232, 56]];
function rampAt(share) {
  const at = Math.min(Math.max(share, 0), 1) * (ramp.length - 1), low = Math.min(Math.floor(at), ramp.length - 2);
  return ramp[low].map((c, i) => Math.round(c + (ramp[low + 1][i] - c) * (at - low)));
}
const rgb = colour => `rgb(${colour.join(' ')})`;
const luminance = colour => (0.299 * colour[0] + 0.587 * colour[1] + 0.114 * colour[2]) / 255;
const shapes = {
  circle: (x, y, r) => `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0Z`,
  square: (x, y, r) => `M${x - 0.9 * r} ${y - 0.9 * r}h${1.8 * r}v${1.8 * r}h${-1.8 * r}Z`,
  triangle: (x, y, r) => `M${x} ${y - 1.2 * r}l${1.1 * r} ${2 * r}h${-2.2 * r}Z`,
  diamond: (x, y, r) => `M${x} ${y - 1.3 * r}l${1.2 * r} ${1.3 * r}l${-1.2 * r} ${1.3 * r}l${-1.2 * r} ${-1.3 * r}Z`,
  nabla: (x, y, r) => `M${x} ${y + 1.2 * r}l${1.1 * r} ${-2 * r}h${-2.2 * r}Z`,
  plus: (x, y, r) => `M${x - 0.4 * r} ${y - 1.2 * r}h${0.8 * r}v${0.8 * r}h${0.8 * r}v${0.8 * r}h${-0.8 * r}v${0.8 * r}h${-0.8 * r}v${-0.8 * r}h${-0.8 * r}v${-0.8 * r}h${0.8 * r}Z`,
  hourglass: (x, y, r) => `M${x - r} ${y - 1.1 * r}h${2 * r}l${-2 * r} ${2.2 * r}h${2 * r}Z`,
  bar: (x, y, r) => `M${x - 0.45 * r} ${y - 1.3 * r}h${0.9 * r}v${2.6 * r}h${-0.9 * r}Z`,
};
const shapeNames = Object.keys(shapes);
const cross = (x, y, r) => `M${x - r} ${y - r}l${2 * r} ${2 * r}M${x - r} ${y + r}l${2 * r} ${-2 * r}`;

// Returns the style of the marks for each value of a variable; without a variable all are alike.
function stylesOf(some, name) {
  const texts = name ? valuesOf(some, name) : [''];
  const colours = isDark() ? hues.dark : hues.light;
  const scaled = texts.length > colours.length && isNumeric(some, name);
  const share = i => (isDark() ? 0.35 + 0.65 * i / (texts.length - 1) : 0.82 * i / (texts.length - 1));
  const styles = texts.map((text, i) =>
    ({text, colour: scaled ? rgb(rampAt(share(i))) : colours[i % colours.length], shape: shapeNames[i % shapeNames.length]}));
  return {list: name ? styles : [], of: point => styles.find(s => s.text === (name ? textOf(point, name) : '')) ?? styles[0]};
}

// Maps numbers to [from, to]; `ticks` are round numbers in between.
function numberScale(numbers, from, to, log, gap) {
  let low = Infinity, high = -Infinity;
  for (const number of numbers) [low, high] = [Math.min(low, number), Math.max(high, number)];
  log = log && low > 0;
  if (!log && low > 0 && low < 0.5 * high) low = 0;
  if (!log) [low, high] = [low && low - 0.04 * (high - low), high + 0.04 * (high - low)];
  if (low === high) [low, high] = log ? [low / 2, high * 2] : [low - Math.abs(low || 1) / 2, high + Math.abs(high || 1) / 2];
  const f = log ? Math.log10 : x => x;
  const place = x => from + (f(x) - f(low)) / (f(high) - f(low)) * (to - from);
  const ticks = [];
  if (log) {
    const decades = f(high) - f(low), steps = decades > 4 ? [1] : decades > 1.5 ? [1, 3] : [1, 1.5, 2, 3, 5, 7];
    for (let e = Math.floor(f(low)); e <= f(high); ++e) for (const s of steps) ticks.push(+`${s}e${e}`);
  } else {
    const raw = (high - low) / Math.max(2, Math.abs(to - from) / gap), power = 10 ** Math.floor(Math.log10(raw));
    const least = numbers.every(Number.isInteger) ? 1 : 0;
    const step = Math.max(least, [1, 2, 5, 10].map(s => s * power).find(s => s >= raw));
    for (let i = Math.ceil(low / step - 1e-9); i * step <= high * (1 + 1e-9); ++i) ticks.push(i * step);
  }
  return {place, ticks: ticks.filter(t => t >= low && t <= high).map(t => ({at: place(t), text: short(t)}))};
}
function textScale(texts, from, to) {
  const gap = (to - from) / texts.length;
  const place = text => from + (texts.indexOf(text) + 0.5) * gap;
  return {place, gap, ticks: texts.map(text => ({at: place(text), text}))};
}

// Draws a chart in the figure with this id. `panels` are their names; `legend` has {text, mark(x, y)}, where
// mark draws it; `xAxis(from, to)` and `yAxis(from, to)` return scales. `fill(panel, x, y, box, add, put)`
// draws a panel: put(node) adds a node, add(node, text, place) adds a mark with its description.
function chart(id, {panels, legend, xName, yName, xAxis, yAxis, fill, caption, label}) {
  const figureNode = byId(id), host = figureNode.querySelector('.chart'), said = figureNode.querySelector('output');
  const width = Math.max(280, host.clientWidth || 1000);
  const svg = draw('svg', {width, role: 'img', tabindex: 0, 'aria-label': `${label}. Arrow keys go from mark to mark.`});
  const marks = [];
  figureNode.querySelector('figcaption').textContent = caption;
  said.textContent = '';
  host.replaceChildren(svg);
  if (!panels.length) {
    svg.setAttribute('viewBox', `0 0 ${width} 60`);
    svg.setAttribute('height', 60);
    svg.append(draw('text', {class: 'note', x: 8, y: 34}, 'No point that is chosen has figures for these axes.'));
    return;
  }
  let x = 4, y = 16;
  for (const {text, mark} of legend) {
    const name = clipped(text, width - 40), space = 20 + widthOf(name) + 16;
    if (x + space > width && x > 4) [x, y] = [4, y + 20];
    if (mark) svg.append(mark(x + 7, y - 4));
    svg.append(draw('text', {x: x + (mark ? 18 : 0), y, class: mark ? '' : 'name'}, name));
    x += space - (mark ? 0 : 12);
  }
  let top = (legend.length ? y + 14 : 4) + 14;
  svg.append(draw('text', {x: 4, y: top, class: 'name'}, clipped(yName, width - 8)));
  top += 10;
  const columns = Math.min(panels.length, Math.max(1, Math.floor(width / 300)));
  const panelWidth = width / columns, title = panels.length > 1 || panels[0] ? 20 : 0;
  const inner = panels.length > 1 ? 190 : Math.min(360, Math.max(230, width * 0.36));
  const panelHeight = title + inner + 46;
  panels.forEach((panel, index) => {
    const axis = yAxis(inner, 0);
    const left = Math.min(120, 14 + Math.max(...axis.ticks.map(t => widthOf(t.text))));
    const box = {width: panelWidth - left - 16, height: inner};
    const group = draw('g', {class: 'panel',
      transform: `translate(${(index % columns) * panelWidth + left} ${top + Math.floor(index / columns) * panelHeight + title})`});
    if (title) group.append(draw('text', {x: 0, y: -7, class: 'name'}, clipped(panel, box.width)));
    const across = xAxis(0, box.width);
    for (const tick of axis.ticks) {
      if (!axis.gap) group.append(draw('line', {class: 'grid', x1: 0, x2: box.width, y1: tick.at, y2: tick.at}));
      group.append(draw('text', {class: 'tick', x: -7, y: tick.at + 4, 'text-anchor': 'end'}, clipped(tick.text, left - 8)));
    }
    let free = -left;
    for (const tick of across.ticks) {
      const half = widthOf(tick.text) / 2, at = Math.min(tick.at, box.width + 14 - half);
      if (!across.gap) group.append(draw('line', {class: 'grid', x1: tick.at, x2: tick.at, y1: 0, y2: box.height}));
      if (at - half < free) continue;
      group.append(draw('text', {class: 'tick', x: at, y: box.height + 17, 'text-anchor': 'middle'}, tick.text));
      free = at + half + 8;
    }
    group.append(draw('rect', {class: 'frame', width: box.width, height: box.height}));
    group.append(draw('text', {x: box.width / 2, y: box.height + 36, 'text-anchor': 'middle'}, clipped(xName, panelWidth - 8)));
    svg.append(group);
    fill(panel, across, axis, box, (node, text, place) => {
      node.classList.add('mark');
      node.append(draw('title', {}, text));
      node.addEventListener('click', () => show(marks.findIndex(m => m.node === node)));
      group.append(node);
      marks.push({node, text, place, group});
    }, node => group.append(node));
  });
  const height = top + Math.ceil(panels.length / columns) * panelHeight;
  svg.setAttribute('viewBox', `0 0 ${width} ${height}`);
  svg.setAttribute('height', height);

  let at = -1, ring;
  function show(index) {
    at = index;
    said.textContent = marks[at].text.replaceAll('\n', ' · ');
    ring?.remove();
    ring = draw('rect', {class: 'focus', ...marks[at].place, rx: 4});
    marks[at].group.append(ring);
  }
  svg.addEventListener('keydown', event => {
    const step = {ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1}[event.key];
    if (!step || !marks.length) return;
    event.preventDefault();
    show((at + step + marks.length + (at < 0 && step < 0 ? 1 : 0)) % marks.length);
  });
}

// Draws the marks of points: a shape in a colour, with a description.
const around = (x, y, r) => ({x: x - r, y: y - r, width: 2 * r, height: 2 * r});
const markAt = (style, x, y, r) => draw('path', {d: shapes[style.shape](x, y, r), fill: style.colour});
function addPoint(point, style, x, y, r, add, put) {
  add(markAt(style, x, y, r), describe(point), around(x, y, r + 5));
  if (point.status === 'mismatch') put(draw('path', {class: 'wrong', d: shapes.circle(x, y, r + 4)}));
}
const legendOf = (variable, styles, some) => [
  ...(styles.list.length ? [{text: withUnit(variable)}] : []),
  ...styles.list.map(style => ({text: style.text, mark: (x, y) => markAt(style, x, y, 5)})),
  ...(some.some(p => p.status === 'mismatch')
    ? [{text: 'wrong outputs', mark: (x, y) => draw('path', {class: 'wrong', d: shapes.circle(x, y, 6)})}] : []),
  ...(some.some(p => !hasFigures(p)) ? [{text: 'failed, no figures', mark: (x, y) => draw('path', {class: 'wrong', d: cross(x, y, 5)})}] : []),
];
// Returns the panels by a variable: their names, and whether a point is in a panel.
const panelsOf = (some, name) => name ? valuesOf(some, name).map(text => `${name} ${text}`) : [''];
const panelOf = (point, name) => name ? `${name} ${textOf(point, name)}` : '';
