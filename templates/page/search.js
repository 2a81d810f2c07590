// The search over the houses of a page: finds lines of their markup, marks words, and corrects a query that finds nothing.
// Search: case, accents, punctuation and leading zeros make no difference.
const plain = (text) =>
  text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
const withoutZeros = (text) => text.replace(/(?<!\p{N})0+(?=\p{N})/gu, '');
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

globalThis.openSearch = (houses) => {
  const letters = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };
  const read = (markup) =>
    [...markup.matchAll(/<(h3|li|dd|p class="soft who")(?: [^>]*)?>(.*?)<\/(?:h3|li|dd|p)>/gs)].map(([, , inside]) => {
      const text = inside.replace(/<[^>]*>/g, '').replace(/&([a-z]+|#39);/g, (_, name) => letters[name]);
      const line = plain(text);
      return { text, line, bare: withoutZeros(line) };
    });
  const linesOf = (house) => (house.lines ??= read(house.markup));
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
    return (one) => asWritten(one.line) || bare(one.bare);
  };
  // A short word that is followed by another matches whole words only: `no fence` does not find `non-renew`.
  const finderOf = (word, index, words) => {
    if (index === words.length - 1 || !/^\p{L}{1,3}$/u.test(word)) return either(word);
    const alone = new RegExp('(?:^| )' + word + '(?: |$)', 'u');
    return ({ line }) => alone.test(line);
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
  const corrected = (query) => {
    if (isFound(query)) return query;
    const whole = CALLED.find((each) => each.includes(plain(query)))?.find(isFound);
    return (
      whole ??
      query
        .split(/\s+/)
        .map((word) => (word === '' || isFound(word) ? word : meant(word)))
        .join(' ')
    );
  };
  // Returns the line that matches, if any: first the words together, then each alone, in any line.
  const matcher = (query) => {
    const whole = either(plain(query));
    const words = query.split(/\s+/).map(plain).filter(Boolean).map(finderOf);
    return (house) => {
      const lines = linesOf(house);
      const together = lines.find(whole);
      if (together !== undefined || words.length < 2) return together;
      return words.every((word) => lines.some(word)) ? lines.find(words[0]) : undefined;
    };
  };
  return { plain, matcher, marked, markOf, corrected };
};
