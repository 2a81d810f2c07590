// The folded lists, such as the rows not ordered: the search finds the words of a row and of its list's heading.
globalThis.openLists = () => {
  const number = (count) => count.toLocaleString('en-US');
  const lists = [...document.querySelectorAll('.folded .plain')].map((table) => {
    const folded = table.closest('.folded');
    const section = folded.parentElement;
    const heading = section.querySelector('h2').textContent;
    const rows = [...table.tBodies[0].rows].map((row) => ({ row }));
    const textOf = ({ row }) => [heading, ...[...row.cells].map((cell) => cell.textContent)].join(' ');
    const { matcher } = globalThis.openSearch(rows, (row) => [globalThis.searchLine(textOf(row))]);
    const summary = folded.querySelector('summary');
    return { folded, section, rows, matcher, summary, title: summary.textContent };
  });
  // Returns how many rows of the lists match; without a query, all are shown.
  const searchLists = (query) => {
    let sum = 0;
    for (const { section, rows, matcher, summary, title } of lists) {
      const match = query === '' ? () => true : matcher(query);
      const hits = rows.filter((row) => !(row.row.hidden = !match(row))).length;
      const isFound = query !== '' && hits > 0;
      section.classList.toggle('found', isFound);
      summary.textContent = isFound ? number(hits) + ' of ' + title : title;
      sum += hits;
    }
    return query === '' ? 0 : sum;
  };
  return { lists, searchLists };
};
(() => {
  // What is folded on the screen is open on paper.
  let folded = [];
  addEventListener('beforeprint', () => {
    folded = document.querySelectorAll('main .folded:not([open])');
    for (const list of folded) list.open = true;
  });
  addEventListener('afterprint', () => {
    for (const list of folded) list.open = false;
  });
})();
