// Saves the shown data as files.
function save(blob, name) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = `${sweep.name}-${name}`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}
const quoted = value => /[",\n\r]/.test(String(value ?? '')) ? `"${String(value).replaceAll('"', '""')}"` : String(value ?? '');

// `rows` are points, each with further columns.
function csvOf(rows) {
  const further = Object.keys(rows[0]?.columns ?? {});
  const lines = [['point', ...results.variables.map(withUnit), 'arguments', 'status', 'reason', ...further]];
  for (const {point, columns} of rows)
    lines.push([point.point, ...results.variables.map(v => numberOf(point, v.name) ?? textOf(point, v.name)), point.arguments, point.status,
      point.reason, ...further.map(name => columns[name])]);
  return lines.map(line => line.map(quoted).join(',') + '\n').join('');
}

// Draws the chart as a picture of twice its size, with the colours of the page, and the description of the
// choice below it.
async function pngOf(svg) {
  const copy = svg.cloneNode(true), [, , width, chartHeight] = svg.getAttribute('viewBox').split(' ').map(Number);
  const height = chartHeight + 24;
  copy.setAttribute('viewBox', `0 0 ${width} ${height}`);
  copy.append(draw('text', {class: 'note', x: 4, y: height - 8}, clipped(`${sweep.name}. ${byId('selection').textContent}`, width - 8)));
  const probe = document.createElement('span'), colours = [];
  document.body.append(probe);
  const resolve = name => {
    probe.style.color = `var(${name})`;
    return getComputedStyle(probe).color;
  };
  for (const [name] of byId('chart-style').textContent.matchAll(/--\w+/g)) colours.push(`${name}: ${resolve(name)}`);
  const page = resolve('--page');
  probe.remove();
  copy.prepend(draw('style', {}, `svg { ${unique(colours).join('; ')} } ${byId('chart-style').textContent}`),
    draw('rect', {width, height, fill: page}));
  copy.querySelector('.focus')?.remove();
  copy.setAttribute('width', 2 * width);
  copy.setAttribute('height', 2 * height);
  const image = new Image();
  image.src = 'data:image/svg+xml,' + encodeURIComponent(new XMLSerializer().serializeToString(copy));
  await image.decode();
  const surface = document.createElement('canvas');
  surface.width = 2 * width;
  surface.height = 2 * height;
  surface.getContext('2d').drawImage(image, 0, 0);
  return new Promise(done => surface.toBlob(done, 'image/png'));
}
