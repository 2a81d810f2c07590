// The folded lists, such as the rows not ordered: the search finds the words of a row and of its list's heading, but no
// advice. A query that is a list's name finds that list alone.
const ADVICE = new Set(['Why it is late', 'What can be done', 'What to do']);
const TILES = { 'back-head': ' rows to fix' };
globalThis.openLists = () => {
  // A phone number is not broken at its hyphens.
  for (const cell of document.querySelectorAll('.plain td[data-label="Agent"]'))
    cell.innerHTML = cell.innerHTML.replace(/\d{3}-\d{3}-\d{4}/g, (phone) => `<span class="whole">${phone}</span>`);
  const number = (count) => count.toLocaleString('en-US');
  const lists = [...document.querySelectorAll('.folded .plain')].map((table) => {
    const folded = table.closest('.folded');
    const section = folded.parentElement;
    const { id, textContent } = section.querySelector('h2');
    const heading = textContent + (TILES[id] ?? '');
    const rows = [...table.tBodies[0].rows].map((row) => ({ row }));
    const searched = ({ cells }) => [...cells].filter(({ dataset }) => !ADVICE.has(dataset.label));
    const textOf = ({ row }) => [heading, ...searched(row).map((cell) => cell.textContent)].join(' ');
    const { plain, matcher } = globalThis.openSearch(rows, (row) => [globalThis.searchLine(textOf(row))]);
    const summary = folded.querySelector('summary');
    const isNamed = (query) => query.length > 3 && (' ' + plain(heading) + ' ').includes(' ' + plain(query) + ' ');
    return { folded, section, rows, matcher, isNamed, summary, title: summary.textContent };
  });
  // Returns how many rows of the lists match; without a query, all are shown.
  const searchLists = (query) => {
    let sum = 0;
    const isAny = lists.some(({ isNamed }) => isNamed(query));
    for (const { section, rows, matcher, isNamed, summary, title } of lists) {
      const match = query === '' ? () => true : isAny ? () => isNamed(query) : matcher(query);
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
