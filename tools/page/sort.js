// Makes tables sortable by their headings: numbers before texts, missing values last. `key(row, column)` is
// the value by which a row of the table's body is sorted.
function makeSortable(table, key) {
  const isMissing = value => value === undefined || value === '';
  function compare(a, b) {
    const x = Number(a), y = Number(b);
    if (Number.isNaN(x) !== Number.isNaN(y)) return Number.isNaN(x) - Number.isNaN(y);
    return Number.isNaN(x) ? String(a).localeCompare(String(b)) : x - y;
  }
  const headings = [...table.tHead.rows[0].cells];
  headings.forEach((heading, column) => {
    heading.scope = 'col';
    heading.setAttribute('aria-sort', 'none');
    const button = document.createElement('button');
    button.type = 'button';
    button.append(...heading.childNodes);
    heading.append(button);
    button.addEventListener('click', () => {
      const sign = heading.getAttribute('aria-sort') === 'ascending' ? -1 : 1;
      for (const other of headings) other.setAttribute('aria-sort', 'none');
      heading.setAttribute('aria-sort', sign < 0 ? 'descending' : 'ascending');
      const rows = [...table.tBodies[0].rows].map(row => [key(row, column), row]);
      rows.sort(([a], [b]) => isMissing(a) || isMissing(b) ? isMissing(a) - isMissing(b) : sign * compare(a, b));
      table.tBodies[0].append(...rows.map(([, row]) => row));
    });
  });
}
