/**
 * Search and filter: rows and cards that do not fit are hidden, and how many are left is told. Without it, the page shows all.
 * What is searched stands in the cards alone, so a search reads them once, when the first letter is typed.
 */
export const PAGE_SCRIPT = String.raw`
(() => {
  const $ = (id) => document.getElementById(id);
  const [find, search, level, status, shown] = ['find', 'search', 'level', 'status', 'shown'].map($);
  const rows = [...document.querySelectorAll('tbody tr')];
  const cards = [...document.querySelectorAll('article')];
  const folds = cards.map((card) => card.querySelectorAll('details.why'));
  const plain = (text) => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase().replace(/[^\p{L}\p{N}]+/gu, ' ').trim();
  const withoutZeros = (text) => text.replace(/(^|[^\p{N}])0+(?=\p{N})/gu, '$1');
  let texts;
  const read = (card) => {
    const text = [...card.querySelectorAll('h3,.who,dd,.why li')].map((part) => plain(part.textContent)).join('\n');
    return [text, withoutZeros(text)];
  };
  // Wherever the letters stand together; with a gap in between from the start of a word on, and for numbers anywhere.
  const finder = (wanted) => {
    const letters = [...wanted.replaceAll(' ', '')];
    const apart = new RegExp((/\p{N}/u.test(wanted) ? '' : '(?:^|[ \n])') + letters.join(' ?'), 'u');
    return (text) => text.includes(wanted) || apart.test(text);
  };
  const either = (wanted) => {
    const [asWritten, bare] = [finder(wanted), finder(withoutZeros(wanted))];
    return ([text, textBare]) => asWritten(text) || bare(textBare);
  };
  const matcher = (query) => {
    const whole = either(plain(query));
    const words = query.split(/\s+/).map(plain).filter(Boolean).map(either);
    return (text) => whole(text) || (words.length > 1 && words.every((word) => word(text)));
  };
  const filter = () => {
    const searching = plain(search.value) !== '';
    if (searching) texts ??= cards.map(read);
    const matches = searching ? matcher(search.value) : () => true;
    let count = 0;
    cards.forEach((card, index) => {
      const fits = (level.value === '' || card.dataset.level === level.value) && (status.value === '' || card.dataset.status === status.value) && matches(texts?.[index]);
      card.hidden = rows[index].hidden = !fits;
      for (const fold of folds[index]) fold.open = fits && searching;
      if (fits) count += 1;
    });
    const all = cards.length;
    shown.textContent = (count === all ? 'All ' + all + ' projects.' : count + ' of ' + all + ' projects.') + (searching && count > 0 ? ' Enter goes to the first.' : '');
  };
  const showAll = () => { search.value = level.value = status.value = ''; filter(); };
  const goTo = (card) => {
    if (card.hidden) showAll();
    for (const fold of card.querySelectorAll('details.why')) fold.open = true;
    card.focus({ preventScroll: true });
    card.scrollIntoView();
  };
  const arrive = () => {
    const card = $(location.hash.slice(1));
    if (card?.tagName === 'ARTICLE') goTo(card);
  };
  let waiting = 0;
  search.addEventListener('input', () => { clearTimeout(waiting); waiting = setTimeout(filter, 120); });
  find.addEventListener('submit', (event) => {
    event.preventDefault();
    clearTimeout(waiting);
    filter();
    const first = cards.find((card) => !card.hidden);
    if (first) { location.hash = first.id; goTo(first); }
  });
  for (const choice of [level, status]) choice.addEventListener('change', filter);
  $('clear').addEventListener('click', () => { showAll(); search.focus(); });
  addEventListener('hashchange', arrive);
  for (const control of find.querySelectorAll('[disabled]')) control.disabled = false;
  // Properties that nothing inherits: the styles of a long page are not reckoned anew.
  new ResizeObserver(() => {
    document.documentElement.style.scrollPaddingTop = find.offsetHeight + 12 + 'px';
    document.querySelector('thead').style.top = find.offsetHeight - 1 + 'px';
  }).observe(find);
  arrive();
})();
`;
