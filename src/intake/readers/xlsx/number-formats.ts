/** What a cell's style makes of a number. */
export interface NumberFormat {
  /** The format's code; undefined for General and for the built-in date formats that differ by language. */
  readonly code: string | undefined;
  /** `date` and `time` show a moment, `time` without a day; `number` is everything else, durations such as `[h]:mm` included. */
  readonly shows: 'number' | 'date' | 'time';
  /** True where its font strikes the cell through. */
  readonly struck?: true;
}

/** The built-in formats that every language shares, by id. */
const BUILT_IN_CODES: Readonly<Record<number, string>> = {
  1: '0', 2: '0.00', 3: '#,##0', 4: '#,##0.00',
  5: '$#,##0;-$#,##0', 6: '$#,##0;[Red]-$#,##0', 7: '$#,##0.00;-$#,##0.00', 8: '$#,##0.00;[Red]-$#,##0.00',
  9: '0%', 10: '0.00%', 11: '0.00E+00', 12: '# ?/?', 13: '# ??/??',
  14: 'm/d/yyyy', 15: 'd-mmm-yy', 16: 'd-mmm', 17: 'mmm-yy', 18: 'h:mm AM/PM', 19: 'h:mm:ss AM/PM', 20: 'h:mm', 21: 'h:mm:ss', 22: 'm/d/yyyy h:mm',
  37: '#,##0;-#,##0', 38: '#,##0;[Red]-#,##0', 39: '#,##0.00;-#,##0.00', 40: '#,##0.00;[Red]-#,##0.00',
  41: '_-* #,##0_-;-* #,##0_-;_-* "-"_-;_-@_-', 42: '_-$* #,##0_-;-$* #,##0_-;_-$* "-"_-;_-@_-',
  43: '_-* #,##0.00_-;-* #,##0.00_-;_-* "-"??_-;_-@_-', 44: '_-$* #,##0.00_-;-$* #,##0.00_-;_-$* "-"??_-;_-@_-',
  45: 'mm:ss', 46: '[h]:mm:ss', 47: 'mm:ss.0', 48: '##0.0E+0', 49: '@',
};

export const GENERAL: NumberFormat = { code: undefined, shows: 'number' };

/** A built-in format by its id. Ids that stand for nothing known are General, as in Excel. */
export function builtInFormat(id: number): NumberFormat {
  const code = BUILT_IN_CODES[id];
  if (code !== undefined) return formatOfCode(code);
  // East Asian dates; their codes differ by the language of the Excel that wrote them.
  if ((id >= 27 && id <= 36) || (id >= 50 && id <= 58)) return { code: undefined, shows: 'date' };
  return GENERAL;
}

/** A format by its code, such as `yyyy-mm-dd;@`. */
export function formatOfCode(code: string): NumberFormat {
  // The first section is the one for positive numbers, and every date is one.
  const section = withoutLiterals(code).split(';', 1)[0] ?? '';
  if (/^(?:general|standard)?$/i.test(section.trim())) return /[;"\\[]/.test(code) ? { code, shows: 'number' } : GENERAL;
  return { code, shows: whatSectionShows(section) };
}

/** Quoted text, `\x` (a literal), `_x` (a space as wide as x), `*x` (a fill), and brackets other than elapsed time. */
function withoutLiterals(code: string): string {
  return code.replace(/"[^"]*"?|[\\_*][\s\S]?|\[(?!(?:h+|m+|s+)\])[^\]]*\]?/gi, '');
}

function whatSectionShows(section: string): NumberFormat['shows'] {
  if (/\[(?:h+|m+|s+)\]/i.test(section)) return 'number';
  const letters = section.replace(/general|standard/gi, '').replace(/E[+-]/gi, '');
  // A digit's place beside a letter, as in `CHF 0.00`, means that the letter is a careless literal. Fractions of seconds are the exception.
  if (/[#?0]/.test(letters.replace(/s\.0+/gi, 's'))) return 'number';
  if (/[ydgeb]/i.test(letters) || /m{3,}/i.test(letters)) return 'date';
  if (/[hs]|a\/p|am\/pm/i.test(letters)) return 'time';
  return /m/i.test(letters) ? 'date' : 'number';
}
