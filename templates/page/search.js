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

// `linesIn` gives the lines of a house; by default they are read from its markup.
globalThis.openSearch = (houses, linesIn = ({ markup }) => readLines(markup)) => {
  const linesOf = (house) => (house.lines ??= linesIn(house));
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
  const corrected = (query) => {
    if (isFound(query)) return query;
    const whole = CALLED.find((each) => each.includes(plain(query)))?.find(isFound);
    return (
      whole ??
      query
        .split(/\s+/)
        .map((word) => (word === '' || /\d/.test(word) || isFound(word) ? word : meant(word)))
        .join(' ')
    );
  };
  // Returns the line that matches, if any: the words together, then in one line with its label, then each in any line.
  const matcher = (query) => {
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
  return { plain, matcher, marked, markOf, corrected };
};
