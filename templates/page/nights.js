(() => {
  const search = document.getElementById('search');
  const found = document.getElementById('found');
  const table = document.getElementById('houses');
  const SHOWN_MAX = 100;

  const houses = [...table.tBodies[0].rows].map((row) => ({ row }));
  const { plain, matcher, corrected } = globalThis.openSearch(houses, ({ row }) =>
    [...row.cells].map((cell) => globalThis.searchLine(cell.textContent)),
  );

  function show() {
    const isEmpty = plain(search.value) === '';
    const query = isEmpty ? '' : corrected(search.value);
    const match = isEmpty ? () => undefined : matcher(query);
    let count = 0;
    for (const house of houses) {
      const isFound = match(house) !== undefined;
      if (isFound) count += 1;
      house.row.hidden = !isFound || count > SHOWN_MAX;
    }
    table.hidden = count === 0;
    const all = `${count.toLocaleString('en-US')} ${count === 1 ? 'project' : 'projects'}`;
    const cut = count > SHOWN_MAX ? `, the first ${SHOWN_MAX} shown` : '';
    const instead = query !== search.value && count > 0 ? `, searched for “${query}”` : '';
    const row = count === 0 ? '. A row that was not ordered is in the newest report, under “Not ordered yet”' : '';
    found.textContent = isEmpty ? '' : all + cut + instead + row;
    history.replaceState(null, '', isEmpty ? location.pathname : `#${encodeURIComponent(search.value)}`);
  }

  search.disabled = false;
  search.value = decodeURIComponent(location.hash.slice(1));
  search.addEventListener('input', show);
  document.addEventListener('keydown', (event) => {
    if (event.key !== '/' || event.target === search) return;
    event.preventDefault();
    search.focus();
  });
  if (search.value !== '') show();
})();
