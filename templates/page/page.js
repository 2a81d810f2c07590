(() => {
  const $ = (id) => document.getElementById(id);
  const all = (selector, from = document) => [...from.querySelectorAll(selector)];
  const [find, search, shown, chips, empty, title, more, walk, viewer] = [
    'find',
    'search',
    'shown',
    'chips',
    'empty',
    'projects',
    'more',
    'walk',
    'viewer',
  ].map($);
  const body = $('rows');
  const selects = all('[data-filter]');
  const buttons = all('button[data-facet]');
  const [STEP, MORE] = [more.dataset.first, more.dataset.step].map(Number);

  // The houses: a row, its section, and what it is filtered by.
  const houses = all('tr', body).map((row) => {
    const section = $(row.querySelector('a').getAttribute('href').slice(1));
    return {
      row,
      section,
      id: section.id.slice(1),
      // Markup that the page was written with, its texts escaped: it is made into elements when the house is opened.
      markup: section.firstChild.textContent,
      facets: JSON.parse(row.dataset.f),
      why: row.querySelector('.why'),
      reason: row.querySelector('.why').textContent,
      amount: Number(row.querySelector('[data-label="Coverage A"]').dataset.sort),
    };
  });

  const { plain, matcher, comparison, marked, markOf, corrected } = globalThis.openSearch(houses);

  const isCurrent = ({ facets }) => facets.replaced !== 'yes';
  const { lists, searchLists } = globalThis.openLists();

  // What is chosen: a value for each facet, from the lists, the tiles and the bars alike.
  const chosen = new Map();
  const fits = (house) =>
    [...chosen].every(([facet, value]) => {
      const held =
        facet === 'decided' ? (decisions.on(house) !== '' ? 'yes' : isOpen(house) ? 'no' : '') : house.facets[facet];
      if (facet === 'due') return held !== '' && held <= value;
      return Array.isArray(held) ? held.includes(value) : held === value;
    });
  const choose = (facet, value) => {
    if (value === '') chosen.delete(facet);
    else chosen.set(facet, value);
    showChosen();
    remember('pushState');
  };
  const showChosen = () => {
    for (const select of selects) select.value = chosen.get(select.dataset.filter) ?? '';
    for (const button of buttons)
      button.setAttribute('aria-pressed', String(chosen.get(button.dataset.facet) === button.dataset.value));
    chips.replaceChildren(...[...chosen].map(chip));
    update();
  };
  // The search and the filters are in the address, so that a reload, Back and a bookmark restore them.
  const queryNow = () => {
    const query = String(new URLSearchParams([...chosen, ...(search.value === '' ? [] : [['q', search.value]])]));
    return query === '' ? '' : '?' + query;
  };
  let remembered = location.search;
  const remember = (how) => {
    const query = queryNow();
    if (query === location.search) return;
    try {
      history[how](null, '', location.pathname + query + location.hash);
      remembered = location.search;
    } catch {
      // Some browsers forbid it for a file: the filters work anyway.
    }
  };
  const recall = () => {
    const asked = new URLSearchParams(location.search);
    search.value = asked.get('q') ?? '';
    chosen.clear();
    for (const control of [...selects, ...buttons]) {
      const facet = control.dataset.filter ?? control.dataset.facet;
      if (asked.get(facet)) chosen.set(facet, asked.get(facet));
    }
    showChosen();
  };
  const inWords = (facet, value) =>
    ({
      decided: value === 'no' ? 'Undecided' : 'Decided',
      fresh: 'New',
      changed: { worse: 'Worse than before', better: 'Better than before' }[value],
      tonight: 'New: ' + value,
      due: 'Due by ' + value,
      roof: 'Roof condition: ' + value,
      roofAge: 'Roof: ' + value,
    })[facet] ?? value;
  const chip = ([facet, value]) => {
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = inWords(facet, value) + ' ×';
    button.setAttribute('aria-label', 'Drop the filter ' + inWords(facet, value));
    button.addEventListener('click', () => {
      choose(facet, '');
      search.focus();
    });
    return button;
  };
  // Why a house is shown: the line that the search found, else what the filter asks for, before the house's own reason.
  const whyShown = (house, line, query) => {
    if (line !== undefined) {
      const text = line.label === 'changed' ? line.text + ': ' + house.facets.change : line.text;
      return isCurrent(house) ? marked(text, query) : [house.reason, ' ', ...marked(text, query)];
    }
    const words = [...chosen].flatMap(([facet, value]) =>
      facet === 'changed' ? [house.facets.change] : ['hazard', 'roof'].includes(facet) ? [inWords(facet, value)] : [],
    );
    const asked = words.join(' · ');
    const reason = chosen.has('action') ? markOf(house.reason) : house.reason;
    if (asked === '') return [reason];
    return plain(asked).includes(plain(house.reason)) ? [markOf(asked)] : [markOf(asked), ' · ', reason];
  };
  let found = houses;
  let limit = STEP;
  const number = (count) => count.toLocaleString('en-US');
  const update = () => {
    const searching = plain(search.value) !== '';
    const query = searching ? corrected(search.value) : search.value;
    const match = searching ? matcher(query) : () => undefined;
    const { says = '' } = comparison(query) ?? {};
    const inLists = searchLists(searching ? search.value : '') || searchLists(searching ? query : '');
    let onlyFiltered = 0;
    found = houses.filter((house) => {
      const line = match(house);
      if (searching && line === undefined) return false;
      if (!fits(house)) {
        onlyFiltered += 1;
        return false;
      }
      house.why.replaceChildren(...whyShown(house, line, query));
      return true;
    });
    limit = STEP;
    const count = found.length;
    const coverage = found.reduce((sum, { amount, facets }) => sum + (facets.replaced ? 0 : amount), 0);
    shown.textContent =
      (count === houses.length ? 'All ' + number(count) : number(count) + ' of ' + number(houses.length)) +
      ' projects' +
      (coverage > 0 ? ', coverage A $' + number(coverage) : '') +
      '.' +
      (says === '' || count === 0 ? '' : ' ' + says) +
      (query !== search.value && count > 0 ? ' Searched for “' + query + '”.' : '') +
      (searching && count > 0 ? ' Enter opens the first.' : '');
    empty.hidden = count > 0;
    empty.querySelector('a').hash = encodeURIComponent(search.value.trim());
    empty.firstChild.textContent = !searching
      ? 'No house fits these filters.'
      : onlyFiltered > 0
        ? 'No house fits both the search and the filters. Without the filters there ' +
          (onlyFiltered === 1 ? 'is 1.' : 'are ' + number(onlyFiltered) + '.')
        : 'No house matches “' +
          search.value.trim() +
          (inLists > 0
            ? '”, but the lists above do.'
            : says !== ''
              ? '”. ' + says
              : '”. Try one word, or a part of a policy number, name or address.');
    for (const { folded: list, section } of lists)
      if (searching)
        list.open = section.classList.contains('found') && (count === 0 || section.firstChild.id === addressed());
    document.body.classList.toggle('narrowed', count < houses.length);
    title.textContent = [
      count === houses.length ? 'All projects' : number(count) + ' of ' + number(houses.length) + ' projects',
      ...[...chosen].map(([facet, value]) => inWords(facet, value)),
      ...(searching ? ['“' + query.trim() + '”'] : []),
    ].join(', ');
    // Show the hits, which are below the search.
    if (document.body.classList.toggle('searching', searching) && scrollY > find.offsetTop)
      (lists.find(({ section }) => section.classList.contains('found'))?.section ?? title).scrollIntoView();
    paint();
  };
  // Only rows that are shown are laid out: the others wait for a click, or for the printer.
  const paint = () => {
    const places = new Map(found.map((house, index) => [house, index]));
    for (const house of houses) {
      const place = places.get(house);
      house.row.hidden = place === undefined;
      house.row.classList.toggle('later', place >= limit);
    }
    const left = found.length - limit;
    more.hidden = left <= 0;
    if (left > 0) more.textContent = 'Show ' + number(Math.min(left, MORE)) + ' more of ' + number(left);
  };

  // Sorting: by what a cell is sorted by, else by its text; numbers as numbers.
  let isSorted = false;
  const sorters = all('thead button[data-column]');
  const keyOf = (house, column) => {
    const cell = house.row.children[column];
    const key = cell.dataset.sort ?? cell.textContent;
    return key !== '' && !Number.isNaN(Number(key)) ? Number(key) : key.toLowerCase();
  };
  const sortBy = (button) => {
    const head = button.closest('th');
    const column = Number(button.dataset.column);
    const isDown =
      head.getAttribute('aria-sort') === 'ascending' ||
      (head.getAttribute('aria-sort') === null && button.dataset.first === 'down');
    for (const other of sorters) other.closest('th').removeAttribute('aria-sort');
    head.setAttribute('aria-sort', isDown ? 'descending' : 'ascending');
    const keys = new Map(houses.map((house) => [house, keyOf(house, column)]));
    const compare = (a, b) => {
      if (a === '' || b === '') return (a === '') - (b === '');
      const order = typeof a === 'number' && typeof b === 'number' ? a - b : String(a).localeCompare(String(b));
      return isDown ? -order : order;
    };
    isSorted = true;
    houses.sort((a, b) => isCurrent(b) - isCurrent(a) || compare(keys.get(a), keys.get(b)));
    body.append(...houses.map(({ row }) => row));
    update();
  };

  // One house at a time: its address in the page is #p and its number, and the browser shows what is addressed.
  const addressed = () => {
    try {
      return decodeURIComponent(location.hash.slice(1));
    } catch {
      return '';
    }
  };
  const opened = () => houses.find(({ section }) => section.id === addressed());
  // The projects that a text names: to the house on the page, else to the search of all nights.
  const ANOTHER = 'Another inspection';
  const linkTo = (id) =>
    $('p' + id) === null
      ? '<a href="../index.html#' + id + '">' + id + '</a> (in all nights)'
      : '<a href="#p' + id + '">' + id + '</a>';
  const linkProjects = (texts) => {
    for (const text of texts)
      text.innerHTML = text.innerHTML.replace(/(\bproject )(\d+)/gi, (_named, word, id) => word + linkTo(id));
  };
  linkProjects(all('.leaders .action'));
  const unpack = ({ section, markup }) => {
    if (section.firstChild.nodeName !== 'NOSCRIPT') return;
    section.innerHTML = markup;
    linkProjects(all('dt', section).flatMap((term) => (term.textContent === ANOTHER ? term.nextElementSibling : [])));
  };
  const goTo = (house) => {
    location.hash = house.section.id;
    arrive();
  };
  // Unless the reader searches, filters or sorts, those to decide first come first.
  const listWith = (house) => {
    const list = house === undefined || found.includes(house) ? found : houses;
    return isSorted || list.length < houses.length ? list : [...new Set([...first, ...list])];
  };
  const nextTo = (one, list, { dataset }) => list[list.indexOf(one) + Number(dataset.step)];
  const walkers = all('button[data-step]', walk);
  for (const button of walkers)
    button.addEventListener('click', () => goTo(nextTo(opened(), listWith(opened()), button)));
  let current;
  const arrive = () => {
    const house = opened();
    current = house;
    walk.hidden = house === undefined;
    const [, absent] = /^p(\d+)$/.exec(house === undefined ? addressed() : '') ?? [];
    if (absent !== undefined) {
      $('choose').innerHTML = 'Project ' + linkTo(absent) + ' is not in this delivery.';
      $('house-head').scrollIntoView();
    }
    if (house === undefined) return;
    unpack(house);
    const list = listWith(house);
    walk.querySelector('span').textContent = number(list.indexOf(house) + 1) + ' of ' + number(list.length);
    showDecision(house);
    note.value = decisions.noteOn(house);
    for (const button of walkers) button.disabled = nextTo(house, list, button) === undefined;
    house.section.focus({ preventScroll: true });
    walk.scrollIntoView();
  };

  // Decisions: marked on the rows, counted, and made on the house that is open.
  const decide = $('decide');
  const { note } = decide.elements;
  const choices = all('button', decide);
  const [count, save, help] = ['count', 'save', 'help'].map($);
  const decisions = globalThis.openDecisions(decide.dataset.run);
  const isOpen = (house) => decisions.on(house) === '' && house.facets.undecidable !== 'yes';
  const showDecision = (house) => {
    const decision = decisions.on(house);
    if (house === current)
      for (const button of choices) button.setAttribute('aria-pressed', String(button.dataset.decision === decision));
    let shownThere = house.row.querySelector('.decided');
    if (shownThere === null && decision === '') return;
    if (shownThere === null) {
      shownThere = document.createElement('span');
      shownThere.className = 'decided';
      house.row.cells[0].append(' ', shownThere);
    }
    shownThere.textContent = decision;
  };
  const countDecisions = () => {
    const left = houses.filter((house) => house.facets.level !== '' && isOpen(house)).length;
    const decided = houses.filter((house) => decisions.on(house) !== '').length;
    count.textContent =
      (decided === 0 ? '' : number(decided) + ' decided; of those that need a look, ' + number(left) + ' undecided.') +
      (decisions.isEmpty() || decisions.isKept()
        ? ''
        : ' This browser keeps nothing for this page: save before you leave it.');
    save.hidden = decisions.isEmpty();
  };
  const take = (house, change) => {
    decisions.take(house, change);
    showDecision(house);
    countDecisions();
  };
  const toggle = (house, { dataset: { decision } }) =>
    take(house, { decision: decisions.on(house) === decision ? '' : decision });
  for (const button of choices) button.addEventListener('click', () => toggle(opened(), button));
  note.addEventListener('input', () => take(opened(), { note: note.value.replace(/\s+/g, ' ').trim() }));
  decide.addEventListener('submit', (event) => {
    event.preventDefault();
    opened().section.focus({ preventScroll: true });
  });
  save.addEventListener('click', () => {
    count.textContent = 'Saved as ' + decisions.save(houses) + ': drop it in the inbox.';
  });
  document.addEventListener('keydown', (event) => {
    const { key, target } = event;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const house = opened();
    if (target === note && key === 'Escape') {
      event.preventDefault();
      house.section.focus({ preventScroll: true });
    }
    if (target.closest('input,select,textarea,dialog')) return;
    const choice = choices[Number(key) - 1];
    if (key === '/') search.focus();
    else if (key === '?') help.showModal();
    else if (key === 'j' || key === 'k') {
      const next =
        house === undefined
          ? listWith()[0]
          : nextTo(house, listWith(house), { dataset: { step: key === 'j' ? 1 : -1 } });
      if (next !== undefined) goTo(next);
    } else if (house === undefined) return;
    else if (key === 'n') note.focus();
    else if (choice !== undefined) toggle(house, choice);
    else return;
    event.preventDefault();
  });
  const first = all('#risk-head ~ .leaders h3 a')
    .flatMap(({ hash }) => houses.find(({ section }) => '#' + section.id === hash) ?? [])
    .filter(isOpen);
  // The undecided first.
  if (houses.some((house) => decisions.on(house) !== '')) {
    houses.sort((a, b) => isCurrent(b) - isCurrent(a) || (decisions.on(a) !== '') - (decisions.on(b) !== ''));
    body.append(...houses.map(({ row }) => row));
    paint();
  }
  for (const house of houses) showDecision(house);

  for (const button of all('[data-copy]'))
    button.addEventListener('click', () => {
      getSelection().selectAllChildren(button.parentElement.querySelector('q'));
      // Pages opened from a file have no other clipboard in some browsers.
      if (document.execCommand('copy')) button.textContent = 'Copied';
    });

  // Photos in large, one house's at a time.
  let viewed;
  const show = (photo, strip, name) => {
    viewed = { photo, strip, name };
    const [image, caption] = [viewer.querySelector('img'), viewer.querySelector('a')];
    image.src = caption.href = photo.href;
    image.alt = photo.textContent;
    caption.textContent = name + ': ' + photo.textContent;
    for (const button of steps) button.disabled = nextTo(photo, strip, button) === undefined;
    if (!viewer.open) viewer.showModal();
  };
  const steps = all('button[data-step]', viewer);
  for (const button of steps)
    button.addEventListener('click', () => show(nextTo(viewed.photo, viewed.strip, button), viewed.strip, viewed.name));
  document.addEventListener('click', (event) => {
    const photo = event.target.closest('a.photo,a.see');
    if (photo === null || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    const id = (photo.closest('article') ?? $(photo.parentElement.querySelector('a[href^="#p"]').hash.slice(1))).id;
    const house = houses.find(({ section }) => section.id === id);
    unpack(house);
    const pair = photo.closest('figure');
    const strip = all('a.photo', pair ?? house.section.querySelector('.strip'));
    show(
      strip.find(({ href }) => href === photo.href) ?? photo,
      strip,
      house.section.querySelector('h3').firstChild.textContent.trim(),
    );
  });
  viewer.addEventListener('keydown', (event) => {
    const step = { ArrowLeft: '-1', ArrowRight: '1' }[event.key];
    if (step !== undefined) viewer.querySelector('[data-step="' + step + '"]').click();
  });
  $('close').addEventListener('click', () => viewer.close());
  viewer.addEventListener('click', (event) => {
    if (event.target === viewer) viewer.close();
  });

  const clear = () => {
    search.value = '';
    chosen.clear();
    choose('level', '');
  };
  let waiting = 0;
  search.addEventListener('input', () => {
    remember('replaceState');
    clearTimeout(waiting);
    waiting = setTimeout(update, 120);
  });
  find.addEventListener('submit', (event) => {
    event.preventDefault();
    clearTimeout(waiting);
    update();
    remember('replaceState');
    if (found.length === 0) return;
    if (opened() === found[0]) arrive();
    else goTo(found[0]);
  });
  for (const select of selects) select.addEventListener('change', () => choose(select.dataset.filter, select.value));
  for (const button of buttons) {
    button.addEventListener('click', () => {
      choose(button.dataset.facet, button.getAttribute('aria-pressed') === 'true' ? '' : button.dataset.value);
      $('projects').scrollIntoView();
    });
  }
  for (const button of sorters) button.addEventListener('click', () => sortBy(button));
  more.addEventListener('click', () => {
    limit += MORE;
    paint();
  });
  $('clear').addEventListener('click', () => {
    clear();
    search.focus();
  });
  $('unfilter').addEventListener('click', () => {
    const query = search.value;
    clear();
    search.value = query;
    update();
    if (found.length === 0) clear();
  });
  $('filters').addEventListener('click', () =>
    $('filters').setAttribute('aria-expanded', String(find.classList.toggle('open'))),
  );
  for (const link of all('a[href$="-head"],a[href="#glossary"]'))
    link.addEventListener('click', () =>
      $(link.hash.slice(1)).parentElement.querySelector('details')?.setAttribute('open', ''),
    );
  addEventListener('hashchange', () => {
    if (opened() !== current) arrive();
  });
  addEventListener('popstate', () => {
    // A link within the page is a step of the browser's too, and leaves the filters alone.
    if (location.search === remembered) return;
    remembered = location.search;
    recall();
  });
  for (const control of all('[disabled]')) if (!control.closest('#walk,#viewer')) control.disabled = false;
  // A property that nothing inherits: so the styles of a long page are not computed again.
  new ResizeObserver(() => {
    document.documentElement.style.scrollPaddingTop = find.offsetHeight + 12 + 'px';
    document.querySelector('#table thead').style.top = find.offsetHeight - 1 + 'px';
  }).observe(find);
  if (location.search !== '') recall();
  countDecisions();
  arrive();
  // The browser itself goes to the house, and hides its buttons behind the search. Moves no cursor: somebody may be
  // writing a note by now.
  addEventListener('load', () => setTimeout(() => walk.scrollIntoView()));
})();
