// The search over the houses of a page: finds their lines, marks words, and corrects a query that finds nothing.
// Search: case, accents, punctuation and leading zeros make no difference.
const plain = (text) =>
  text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
const withoutZeros = (text) => text.replace(/(?<!\p{N})0+(?=\p{N})/gu, '');
// A line of a house: `no dog` in a note is no dog. A line apart, such as a note or an age, must have all words itself.
const DENIED = /\b(?:no|not|without|never) \p{L}+/gu;
const DENYING = /\b(?:no|not|without|never)\b/;
// A house is worse if it is worse than before: what a report says of a visit long ago is found by more of its words.
const TURNS = /\b(?:worse|better)\b/g;
globalThis.searchLine = (value, label = '', isApart = false) => {
  const line = plain(value);
  const said = label === 'Note' ? line.replace(DENIED, '') : label === 'Changed' ? line : line.replace(TURNS, '');
  return {
    text: label === '' ? value : label + ': ' + value,
    label: plain(label),
    line,
    said,
    bare: withoutZeros(said),
    isApart,
  };
};
const isNear = (a, b) => {
  let same = 0;
  while (same < a.length && a[same] === b[same]) same += 1;
  return [
    [1, 1],
    [0, 1],
    [1, 0],
  ].some(([inA, inB]) => a.slice(same + inA) === b.slice(same + inB));
};
// Names of one thing.
const CALLED = [
  ['unfenced', 'without a fence', 'no fence'],
  ['empty', 'unoccupied', 'vacant'],
  ['railing', 'rails', 'handrails'],
  ['electric', 'breaker', 'electrical panel'],
  ['leaking', 'leaks', 'leak'],
  ['mold', 'mildew'],
  ['cracked', 'cracks'],
  ['wiring', 'electrical'],
  ['puppy', 'dogs', 'dog'],
  ['late', 'past due', 'overdue'],
];
// `roof older than 20`, `coverage over 500,000`: what is compared, by each name of it, and the number. An `old roof` has
// the highest age in the reports.
const OVER = /\b(?:older|over|above|exceeding|more than|greater than|at least)\b|\d\+|\d ?(?:years?|yrs?) old\b/;
const OLD_ROOF = /^(?:(?:the )?old(?:er|est)?|aged|aging) roofs?$/;
const BETWEEN =
  /\b(?:older|over|above|exceeding|more|greater|than|at|least|old|age|years?|yrs?|is|are|of|with|the|an?)\b|[^\p{L} ]/gu;
// `20 year roof` and `roof 20 years` mean a roof older than that.
const YEARS = /\d[- ]?(?:years?|yrs?)\b/;
const asAge = (query) => {
  const words = query.toLowerCase();
  const [years, other] = words.match(/\d+/g) ?? [];
  if (!YEARS.test(words) || OVER.test(words) || other !== undefined) return query;
  const subject = plain(words.replace(BETWEEN, ' '));
  return KNOWN.some(({ names, isAge }) => isAge && names.test(subject))
    ? subject + ' older than ' + years + ' years'
    : query;
};
const compares = (query) => {
  const words = query
    .toLowerCase()
    .replace(/(?<=\d),(?=\d{3})/g, '')
    .trim();
  if (OLD_ROOF.test(words)) return { subject: 'roof' };
  const numbers = words.match(/\d+/g) ?? [];
  if (numbers.length !== 1 || !OVER.test(words)) return undefined;
  return { subject: plain(words.replace(BETWEEN, ' ')), least: Number(numbers[0]) };
};
// Of `5 - 10 years`, 5 and 10.
const rangeIn = (text) => {
  const [from, to = /\+|more|over/i.test(text) ? Infinity : from] = (text.match(/\d+/g) ?? []).map(Number);
  return /less|under/i.test(text) ? [0, from] : [from, to];
};
const ageIn = (text) => rangeIn(text).map((year) => new Date().getFullYear() - year);
const KNOWN = [
  { names: /^roofs?$/, label: 'roof age', rangeOf: rangeIn, isAge: true },
  { names: /^(?:house|home|building|dwelling|propert)(?:s|y|ies)?$/, label: 'year built', rangeOf: ageIn, isAge: true },
  { names: /^(?:dwelling )?coverage(?: a)?$/, label: 'coverage a b c', rangeOf: (_, { amount }) => [amount, amount] },
];
const marked = (text, query) => {
  const wanted = query
    .split(/\s+/)
    .filter(Boolean)
    .map((word) =>
      [...word]
        .map((letter) => letter.replace(/[^\p{L}\p{N}]/u, ''))
        .filter(Boolean)
        .join('[^\\p{L}\\p{N}]?'),
    )
    .filter(Boolean);
  const pieces = wanted.length === 0 ? [text] : text.split(new RegExp('(' + wanted.join('|') + ')', 'giu'));
  return pieces.map((piece, index) => (index % 2 === 0 ? piece : markOf(piece)));
};
const markOf = (text) => {
  const mark = document.createElement('mark');
  mark.textContent = text;
  return mark;
};

const letters = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };
const textIn = (markup) => markup.replace(/<[^>]*>/g, '').replace(/&([a-z]+|#39);/g, (_, name) => letters[name]);
const LINE = /(?:<dt>([^<]*)<\/dt>)?<(?:h3|li|dd|p class="soft who")((?: [^>]*)?)>(.*?)<\/(?:h3|li|dd|p)>/gs;
// Reasons first: a house is shown for them rather than for its address or a name.
const readLines = (markup) =>
  [...markup.matchAll(LINE)]
    .map(([element, label = '', attributes, inside]) => ({
      ...globalThis.searchLine(textIn(inside), textIn(label), attributes.includes('apart')),
      isReason: element.startsWith('<li'),
    }))
    .toSorted((a, b) => b.isReason - a.isReason);

// Finds the letters in a row anywhere; with gaps, from the start of a word, and for numbers anywhere.
const finder = (wanted) => {
  const apart = new RegExp(
    (/\p{N}/u.test(wanted) ? '' : '(?:^|[ \n])') + [...wanted.replaceAll(' ', '')].join(' ?'),
    'u',
  );
  return (text) => text.includes(wanted) || apart.test(text);
};
const either = (wanted) => {
  const [asWritten, bare] = [finder(wanted), finder(withoutZeros(wanted))];
  return (one) => asWritten(one.said) || bare(one.bare);
};

// `linesIn` gives the lines of a house; by default they are read from its markup.
globalThis.openSearch = (houses, linesIn = ({ markup }) => readLines(markup)) => {
  const linesOf = (house) => (house.lines ??= linesIn(house));
  // A short word matches whole words only if it is followed by another or if there are any: `no fence` does not find
  // `non-renew`, nor `dog` Dogwood Lane. A longer word that is whole in any reason is found inside words of reasons only:
  // `tarp` does not find Tarpon Road.
  const finderOf = (word, index, words) => {
    if (!/^\p{L}+$/u.test(word)) return either(word);
    const whole = new RegExp('(?:^| )' + word + '(?:e?s|ed|ing)?(?: |$)', 'u');
    const isWhole = ({ said }) => whole.test(said);
    if (word.length > 3) {
      const inside = either(word);
      if (!houses.some((house) => linesOf(house).some((one) => one.isReason && isWhole(one)))) return inside;
      return (one) => isWhole(one) || (one.isReason && inside(one));
    }
    const isLast = index === words.length - 1;
    return isLast && !houses.some((house) => linesOf(house).some(isWhole)) ? either(word) : isWhole;
  };
  // If no house has a word: what else it is called, or a word of the houses that differs in one letter.
  let vocabulary;
  const isFound = (query) => houses.some(matcher(query));
  const meant = (word) => {
    const names = CALLED.filter((each) => each.includes(plain(word))).flat();
    vocabulary ??= new Set(houses.flatMap(linesOf).flatMap(({ line }) => line.split(' ')));
    const near = plain(word).length < 5 ? [] : [...vocabulary].filter((other) => isNear(plain(word), other));
    return [...names.filter((name) => isFound(name)), ...near][0] ?? word;
  };
  // A number is never corrected: its neighbor is another house.
  const corrected = (asked) => {
    const query = asAge(asked);
    if (compares(query) !== undefined || isFound(query)) return query;
    const whole = CALLED.find((each) => each.includes(plain(query)))?.find(isFound);
    return (
      whole ??
      query
        .split(/\s+/)
        .map((word) => (word === '' || /\d/.test(word) || isFound(word) ? word : meant(word)))
        .join(' ')
    );
  };
  // What the reports say of a number that is asked for: a house matches if all of its range is as high.
  const comparison = (query) => {
    const asked = compares(query);
    if (asked === undefined) return undefined;
    const known = KNOWN.find(({ names }) => names.test(asked.subject));
    if (known === undefined) {
      const phrase = finder(plain(query));
      const none = 'The reports have no value for “' + asked.subject + '” that can be compared.';
      return { match: (house) => linesOf(house).find(({ line }) => phrase(line)), says: none };
    }
    const values = new Map();
    for (const house of houses) {
      const line = house.facets?.replaced ? undefined : linesOf(house).find(({ label }) => label === known.label);
      const [from, to] = line === undefined ? [] : known.rangeOf(line.text, house);
      if (from >= 0) values.set(house, { line, from, to, said: line.text.replace(/^.*: /, '') });
    }
    const highest = [...values.values()].reduce((a, b) => (a.from >= b.from ? a : b), { from: 0, said: '' });
    const { least = highest.from } = asked;
    const unsure = [...values.values()].filter(({ from, to }) => from < least && to > least);
    const said = [...new Set(unsure.map((one) => one.said))].join('”, “');
    const says =
      values.size === 0
        ? 'No report here has a value for it.'
        : unsure.length > 0
          ? 'For ' + unsure.length + ' it is not known exactly: their reports say “' + said + '”.'
          : highest.from < least || asked.least === undefined
            ? 'The highest value in these reports is “' + highest.said + '”.'
            : '';
    return { match: (house) => (values.get(house)?.from >= least ? values.get(house).line : undefined), says };
  };
  // Returns the line that matches, if any: the words together, then in one line with its label, then each in any line.
  const matcher = (query) => {
    const compared = comparison(query);
    if (compared !== undefined) return compared.match;
    const phrase = finder(plain(query));
    const words = query.split(/\s+/).map(plain).filter(Boolean);
    const finders = words.map(finderOf);
    const whole = words.length === 1 ? finders[0] : either(plain(query));
    const inLine = (one) =>
      one.label !== '' &&
      // `no fence` is not `Without a fence: No`.
      !(DENYING.test(one.label) && words.some((word) => DENYING.test(word) && !one.label.split(' ').includes(word))) &&
      finders.some((word) => word(one)) &&
      finders.every((word, index) => word(one) || one.label.split(' ').includes(words[index]));
    return (house) => {
      const lines = linesOf(house);
      const together =
        lines.find(words.length < 2 ? whole : (one) => whole(one) || phrase(one.line)) ?? lines.find(inLine);
      if (together !== undefined || words.length < 2) return together;
      const joined = lines.filter((one) => !one.isApart);
      return finders.every((word) => joined.some(word)) ? joined.find(finders[0]) : undefined;
    };
  };
  return { plain, matcher, comparison, marked, markOf, corrected };
};
