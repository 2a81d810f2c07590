(() => {
  const search = document.getElementById('search');
  const found = document.getElementById('found');
  const table = document.getElementById('houses');
  const SHOWN_MAX = 100;

  // Case, accents and punctuation make no difference.
  const plain = (text) =>
    text
      .normalize('NFKD')
      .replace(/\p{M}/gu, '')
      .toLowerCase()
      .replace(/[^\p{L}\p{N}]+/gu, ' ')
      .trim();
  const houses = [...table.tBodies[0].rows].map((row) => ({
    row,
    text: ` ${[...row.cells].map((cell) => plain(cell.textContent)).join(' ')}`,
  }));

  function show() {
    const words = plain(search.value).split(' ').filter(Boolean);
    let count = 0;
    for (const { row, text } of houses) {
      const isFound = words.length > 0 && words.every((word) => text.includes(` ${word}`));
      if (isFound) count += 1;
      row.hidden = !isFound || count > SHOWN_MAX;
    }
    table.hidden = count === 0;
    found.textContent =
      words.length === 0
        ? ''
        : `${count.toLocaleString('en-US')} ${count === 1 ? 'house' : 'houses'}${count > SHOWN_MAX ? `, the first ${SHOWN_MAX} shown` : ''}`;
    history.replaceState(null, '', words.length === 0 ? location.pathname : `#${encodeURIComponent(search.value)}`);
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
