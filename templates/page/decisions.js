// Decisions by project: those on record, and those made on this page, which the browser keeps for its run.
globalThis.openDecisions = (run) => {
  let keeps = true;
  const inBrowser = (work) => {
    try {
      return work(localStorage);
    } catch {
      keeps = false;
      return null;
    }
  };
  const PLACE = 'inspection-batch decisions ' + run;
  const DECIDER = 'inspection-batch by';
  const made = new Map(inBrowser((storage) => Object.entries(JSON.parse(storage.getItem(PLACE) ?? '{}'))) ?? []);
  let decider = inBrowser((storage) => storage.getItem(DECIDER)) ?? '';
  const on = ({ id, facets }) => made.get(id)?.decision ?? facets.decision;
  const noteOn = ({ id }) => made.get(id)?.note ?? '';
  // An entry has a decision only if this person chose one that differs from the one on record: a note takes none over.
  const take = (house, change) => {
    const now = { ...made.get(house.id), ...change };
    // A saved decision may be on record by now: to take it back, the next file must say so.
    if (!now.saved && now.decision === house.facets.decision) delete now.decision;
    if (!now.saved && now.decision === undefined && !now.note) made.delete(house.id);
    else made.set(house.id, now);
    keep();
  };
  const keep = () => inBrowser((storage) => storage.setItem(PLACE, JSON.stringify(Object.fromEntries(made))));
  const askDecider = () => {
    if (decider !== '') return;
    decider = (prompt('Who decides? The name is written next to each decision.') ?? '').trim();
    inBrowser((storage) => storage.setItem(DECIDER, decider));
  };
  const written = ({ id, facets }) => {
    const { decision, saved } = made.get(id);
    return decision === '' && (facets.decision !== '' || saved) ? '(clear)' : (decision ?? '');
  };
  // The form of a results workbook's decisions: the run, then a row for each project. Returns the name of the file.
  const save = (houses) => {
    askDecider();
    const rows = houses
      .filter(({ id }) => made.has(id))
      .map((house) => [house.id, written(house), decider, noteOn(house)]);
    const lines = [['Run', run], ['Project ID', 'Decision', 'By', 'Notes'], ...rows].map((cells) =>
      cells.map((cell) => '"' + cell.replaceAll('"', '""') + '"').join(','),
    );
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob(['\uFEFF' + lines.join('\r\n') + '\r\n'], { type: 'text/csv' }));
    link.download = 'decisions-' + run + '.csv';
    link.click();
    for (const entry of made.values()) entry.saved = true;
    keep();
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
    return link.download;
  };
  return { on, noteOn, take, save, isEmpty: () => made.size === 0, isKept: () => keeps };
};
