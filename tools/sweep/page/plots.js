// Lines, heat map, Pareto front. Each function returns the shown data as rows for its CSV: the points with
// their drawn values.
const noted = items => items.map(([axis, item]) => `${axis} is ${item.name}: ${explain(item)}`).join(' ');
function missingNote(some, count) {
  const failed = some.filter(p => !hasFigures(p)).length, without = some.length - failed - count;
  return (failed ? ` ${failed} of ${some.length} points failed.` : '') +
    (without ? ` ${without} of ${some.length} points have no such figure${bases().size ? '' : ', as the base did not run'}.` : '');
}
const baseNote = show => show === Ratio ? ` Base: ${get('against')}, for each kernel and shape its own.` : '';

// Finds settings that follow from another one, like those of a zip.
const follows = (some, name, from) => {
  const seen = new Map();
  return some.every(p => {
    const before = seen.get(textOf(p, from));
    seen.set(textOf(p, from), textOf(p, name));
    return before === undefined || before === textOf(p, name);
  });
};

function drawLines() {
  const x = variableOf(get('line.x')), y = metricOf(get('line.y')), show = get('line.show'), facet = get('line.facet');
  const some = shown().filter(p => textOf(p, x.name) !== ''), value = p => figure(p, y, show);
  const used = some.filter(p => value(p) !== undefined), series = get('line.series'), styles = stylesOf(some, series);
  // A line joins only points of the same work that differ in x and in settings that follow from x. A line over
  // ranks joins those of one family.
  const apart = [x.name === RanksName ? Family : Work, ...machineVariables.filter(v => v.name !== x.name && !follows(some, v.name, x.name))];
  const key = p => JSON.stringify(apart.map(v => textOf(p, v.name)));
  const numeric = isNumeric(some, x.name), ofX = p => numeric ? numberOf(p, x.name) : textOf(p, x.name);
  const joined = !apart.some(v => v === Work && x.source === 'kernel');
  chart('line', {
    panels: used.length ? panelsOf(some, facet) : [], legend: legendOf(variableOf(series), styles, some),
    xName: withUnit(x), yName: figureName(y, show),
    xAxis: (from, to) => numeric ? numberScale(some.map(ofX), from, to, get('line.logx'), 70) : textScale(valuesOf(some, x.name), from, to),
    yAxis: (from, to) => numberScale([...used.map(value), ...(show === Ratio ? [1] : [])], from, to, get('line.logy'), 36),
    caption: noted([['x', x], ['y', y]]) + baseNote(show) + missingNote(some, used.length) +
      (joined ? '' : ' Points of different kernels or shapes are not joined.'),
    label: `${figureName(y, show)} over ${x.name}, ${used.length} points`,
    fill(panel, across, up, box, add, put) {
      const at = p => across.place(ofX(p)), lines = new Map();
      if (show === Ratio) put(draw('line', {class: 'base', x1: 0, x2: box.width, y1: up.place(1), y2: up.place(1)}));
      for (const p of some.filter(p => panelOf(p, facet) === panel)) lines.set(key(p), [...(lines.get(key(p)) ?? []), p]);
      for (const line of lines.values()) {
        line.sort((a, b) => at(a) - at(b));
        // The line is interrupted at a point without a figure.
        const parts = [[]];
        for (const p of line) value(p) === undefined ? parts.push([]) : parts.at(-1).push(`${at(p)},${up.place(value(p))}`);
        for (const part of parts.filter(part => part.length > 1))
          put(draw('polyline', {class: 'join', points: part.join(' '), stroke: styles.of(line[0]).colour}));
      }
      for (const p of [...lines.values()].flat()) {
        if (value(p) !== undefined) addPoint(p, styles.of(p), at(p), up.place(value(p)), 4, add, put);
        else if (!hasFigures(p)) add(draw('path', {class: 'wrong failed', d: cross(at(p), box.height - 7, 5)}), describe(p), around(at(p), box.height - 7, 8));
      }
    },
  });
  return some.map(p => ({point: p, columns: {[figureName(y, show)]: value(p)}}));
}

function drawHeat() {
  const x = variableOf(get('heat.x')), y = variableOf(get('heat.y')), metric = metricOf(get('heat.metric')), show = get('heat.show');
  const facet = get('heat.facet'), some = shown().filter(p => textOf(p, x.name) !== '' && textOf(p, y.name) !== '');
  const value = p => figure(p, metric, show), used = some.filter(p => value(p) !== undefined);
  const place = p => JSON.stringify([panelOf(p, facet), textOf(p, x.name), textOf(p, y.name)]);
  // A cell never combines different work: if it would, each kernel and shape has its own panels.
  const works = new Map();
  for (const p of some) works.set(place(p), (works.get(place(p)) ?? new Set()).add(p.work));
  const split = [...works.values()].some(set => set.size > 1);
  const panelName = (ofFacet, work) => [ofFacet, split ? work : ''].filter(Boolean).join(', ');
  const panel = p => panelName(panelOf(p, facet), p.work);
  const names = new Set(some.map(panel));
  const ordered = panelsOf(some, facet).flatMap(f => (split ? valuesOf(some, Work.name) : ['']).map(work => panelName(f, work)));
  const cells = new Map();
  for (const p of some) {
    const key = JSON.stringify([panel(p), textOf(p, x.name), textOf(p, y.name)]);
    cells.set(key, [...(cells.get(key) ?? []), p]);
  }
  const combine = {mean: v => v.reduce((a, b) => a + b) / v.length, least: v => Math.min(...v), most: v => Math.max(...v)}[get('heat.of')];
  const shownOf = new Map([...cells].map(([key, list]) => {
    const figures = list.map(value).filter(v => v !== undefined);
    return [key, figures.length ? combine(figures) : undefined];
  }));
  const all = [...shownOf.values()].filter(v => v !== undefined), low = Math.min(...all), high = Math.max(...all);
  const most = Math.max(0, ...[...cells.values()].map(list => list.length));
  const textIn = v => short(+v.toPrecision(3)), widest = Math.max(0, ...all.map(v => widthOf(textIn(v))));
  const share = v => high > low ? (v - low) / (high - low) : 0.5;
  const ofCell = most > 1 ? `${get('heat.of')} of up to ${most} points` : '';
  chart('heat', {
    panels: used.length ? ordered.filter(name => names.has(name)) : [],
    legend: [...(all.length ? [0, 0.25, 0.5, 0.75, 1] : []).map(s => ({text: short(low + s * (high - low)),
      mark: (cx, cy) => draw('rect', {x: cx - 7, y: cy - 7, width: 14, height: 14, fill: rgb(rampAt(s))})})),
    ...legendOf(undefined, {list: []}, some)],
    xName: x.name, yName: [y.name, 'cells: ' + figureName(metric, show), ofCell].filter(Boolean).join('; '),
    xAxis: (from, to) => textScale(valuesOf(some, x.name), from, to),
    yAxis: (from, to) => textScale(valuesOf(some, y.name), from, to),
    caption: noted([['x', x], ['y', y], ['A cell', metric]]) + baseNote(show) + missingNote(some, used.length),
    label: `${figureName(metric, show)} by ${x.name} and ${y.name}, ${cells.size} cells`,
    fill(name, across, up, box, add, put) {
      for (const [key, list] of cells) {
        const [inPanel, xText, yText] = JSON.parse(key);
        if (inPanel !== name) continue;
        const cell = {x: across.place(xText) - across.gap / 2 + 1, y: up.place(yText) + up.gap / 2 + 1,
          width: Math.max(1, across.gap - 2), height: Math.max(1, -up.gap - 2)};
        const v = shownOf.get(key), text = list.length === 1 ? describe(list[0]) : `${x.name}: ${xText}\n${y.name}: ${yText}\n` +
          `${get('heat.of')} of ${list.filter(p => value(p) !== undefined).length} points: ${short(v) || 'no figure'}`;
        const fill = v === undefined ? 'none' : rgb(rampAt(share(v)));
        add(draw('rect', {...cell, fill, class: v === undefined ? 'missing' : 'cell', 'pointer-events': 'all'}), text, cell);
        const cx = across.place(xText), cy = up.place(yText);
        if (list.some(p => !hasFigures(p))) put(draw('path', {class: 'wrong', d: cross(cell.x + cell.width - 8, cell.y + 8, 4)}));
        if (list.some(p => p.status === 'mismatch')) put(draw('path', {class: 'wrong', d: shapes.circle(cell.x + cell.width - 8, cell.y + 8, 5)}));
        if (v !== undefined && across.gap > widest + 4 && -up.gap > 16)
          put(draw('text', {x: cx, y: cy + 4, 'text-anchor': 'middle', 'pointer-events': 'none',
            class: luminance(rampAt(share(v))) > 0.5 ? 'dark' : 'light'}, textIn(v)));
      }
    },
  });
  return some.map(p => ({point: p, columns: {[figureName(metric, show)]: value(p)}}));
}

function drawPareto() {
  const x = metricOf(get('pareto.x')), y = metricOf(get('pareto.y')), facet = get('pareto.facet'), series = get('pareto.series');
  const some = shown(), used = some.filter(p => hasFigures(p) && p.metrics[x.name] !== undefined && p.metrics[y.name] !== undefined);
  const styles = stylesOf(some, series);
  // Metrics without a direction count as "less is better". Each kernel and shape has its own front.
  const cost = (p, metric) => p.metrics[metric.name] * (metric.better > 0 ? -1 : 1);
  const fronts = new Map(unique(used.map(p => p.work)).map(work => {
    const front = [], sorted = used.filter(p => p.work === work).sort((a, b) => cost(a, x) - cost(b, x) || cost(a, y) - cost(b, y));
    for (const p of sorted) if (!front.length || cost(p, y) < cost(front.at(-1), y)) front.push(p);
    return [work, front];
  }));
  const chosenOnes = new Set([...fronts.values()].flat());
  chart('pareto', {
    panels: used.length ? panelsOf(some, facet) : [],
    legend: [...legendOf(variableOf(series), styles, used),
      {text: 'no other is better in both', mark: (cx, cy) => draw('path', {class: 'ring', d: shapes.circle(cx, cy, 6)})}],
    xName: withUnit(x), yName: withUnit(y),
    xAxis: (from, to) => numberScale(used.map(p => p.metrics[x.name]), from, to, get('pareto.logx'), 70),
    yAxis: (from, to) => numberScale(used.map(p => p.metrics[y.name]), from, to, get('pareto.logy'), 36),
    caption: noted([['x', x], ['y', y]]) + ' The dashed line joins points of a kernel and shape that no other beats in both.' +
      missingNote(some, used.length),
    label: `${y.name} against ${x.name}, ${used.length} points, ${chosenOnes.size} that no other beats in both`,
    fill(panel, across, up, box, add, put) {
      const at = p => [across.place(p.metrics[x.name]), up.place(p.metrics[y.name])];
      const inPanel = p => panelOf(p, facet) === panel;
      for (const front of fronts.values())
        put(draw('polyline', {class: 'front', points: front.filter(inPanel).map(p => at(p).join(',')).join(' ')}));
      for (const p of used.filter(inPanel)) {
        addPoint(p, styles.of(p), ...at(p), 4, add, put);
        if (chosenOnes.has(p)) put(draw('path', {class: 'ring', d: shapes.circle(...at(p), 7)}));
      }
    },
  });
  return used.map(p => ({point: p, columns: {[withUnit(x)]: p.metrics[x.name], [withUnit(y)]: p.metrics[y.name], front: chosenOnes.has(p)}}));
}
