import { expect, test } from 'vitest';
import { composeCorrectionsMail, composeNightMail, composeTroubleMail } from '../../../src/notify/compose-mail.ts';
import { renderHtmlMail, renderPlainMail } from '../../../src/notify/render-mail.ts';

const SENDER = { host: 'batch-1', root: '/srv/inspections' };
const AT = new Date(2026, 10, 22, 2, 10).getTime();
const NIGHT = {
  run: '2026-11-22T020000Z-4f2a91c0',
  at: AT,
  folder: 'deliveries/2026-11-22T020000Z-4f2a91c0',
  ordered: 12,
  returned: 9,
  collected: 8,
  canceled: 1,
  closedOut: 2,
  wentBack: 3,
  high: 4,
  overdue: 5,
  outstanding: 61,
};

test('composeNightMail has nine counts, the same in text and HTML', () => {
  const letter = composeNightMail(NIGHT, SENDER);
  const figures = letter.parts.find(({ kind }) => kind === 'figures');
  expect(figures?.kind === 'figures' && figures.lines).toHaveLength(9);
  expect(letter.subject).toBe('Inspections, Sunday, November 22: 8 new reports, 4 rated High');
  const text = renderPlainMail(letter);
  const page = renderHtmlMail(letter);
  for (const words of [
    'New reports rated High',
    'Overdue',
    'Canceled by the service',
    'Open report.html in deliveries/2026-11-22T020000Z-4f2a91c0',
  ]) {
    expect(text).toContain(words);
    expect(page).toContain(words);
  }
  expect(text).toContain('Newly ordered              12');
});

const HOUSE = {
  projectId: '101',
  property: '12 Oak <b>, MA',
  insuredName: 'Ann Lee',
  why: 'non-renew, because vacant',
};

test('composeNightMail links the riskiest houses on the page', () => {
  const letter = composeNightMail({ ...NIGHT, riskiest: [HOUSE] }, SENDER, 'https://files.example.com/inspections/');
  const link = `https://files.example.com/inspections/${NIGHT.run}/report.html#p101`;
  expect(renderPlainMail(letter)).toContain(
    `- 12 Oak <b>, MA: Ann Lee (project 101). non-renew, because vacant\n  ${link}`,
  );
  expect(renderHtmlMail(letter)).toContain(`<a href="${link}">12 Oak &lt;b&gt;, MA</a>`);
});

test('composeNightMail shows underwriters no path of the server', () => {
  const letter = composeNightMail({ ...NIGHT, riskiest: [HOUSE] }, SENDER);
  expect(renderPlainMail(letter)).not.toContain('/srv');
  const page = renderHtmlMail(letter);
  expect(page).toContain(`<a href="file:///srv/inspections/deliveries/${NIGHT.run}/report.html#p101">`);
  expect(page.replaceAll(/<[^>]*>/g, '')).not.toContain('/srv');
});

test('composeNightMail says what to decide', () => {
  const text = renderPlainMail(composeNightMail({ ...NIGHT, undecided: 2, held: 1 }, SENDER));
  expect(text).toContain('- 2 inspections rated High are undecided\n- 1 order held until a person decides\n');
});

test.each([
  ['longestOverdue', 'Overdue, the first 1 of 5:'],
  ['closeouts', 'Canceled or not inspected (the page says what to do), the first 1 of 3:'],
] as const)('composeNightMail links the houses of %s', (list, title) => {
  const text = renderPlainMail(composeNightMail({ ...NIGHT, [list]: [{ ...HOUSE, why: 'No access.' }] }, SENDER));
  expect(text).toContain(`${title}\n- 12 Oak <b>, MA: Ann Lee (project 101). No access.\n`);
});

test('composeNightMail counts what happened without a new report', () => {
  const quiet = { ...NIGHT, collected: 0, returned: 0, canceled: 0, closedOut: 0, wentBack: 1, ordered: 143 };
  expect(composeNightMail(quiet, SENDER).heading).toMatch(/; 143 newly ordered, 1 row .*\.$/);
});

test('composeNightMail gives the number of reports one name', () => {
  const text = renderPlainMail(composeNightMail({ ...NIGHT, returned: NIGHT.collected }, SENDER));
  expect(text).toMatch(/^New reports {2,}8$/m);
  expect(text).not.toContain('returned');
});

test('composeNightMail leaves out counts of 0', () => {
  const text = renderPlainMail(composeNightMail({ ...NIGHT, canceled: 0, closedOut: 0 }, SENDER));
  expect(text).not.toMatch(/Canceled|Closed out|^To decide:?$/m);
});

test("renderHtmlMail loads nothing and keeps a sender's text as text", () => {
  const nasty = '<img src=https://x.example/a.png onerror=alert(1)>\u202Egpj.exe\r\nBcc: all@example.com';
  const rows = [
    {
      fileId: 1,
      file: `${nasty}.csv`,
      sender: nasty,
      rows: 1,
      corrections: `corrections/${nasty}.xlsx`,
      since: AT,
      pastDue: 0,
    },
  ];
  const letter = composeCorrectionsMail(rows, [nasty], new Set());
  const page = renderHtmlMail(letter);
  expect(page).not.toMatch(/<(?:img|script|link|iframe)|url\(|src="|href="/);
  expect(page).toContain('&lt;img src=https://x.example/a.png onerror=alert(1)&gt;\\u202egpj.exe');
  expect(renderPlainMail(letter)).not.toContain('\u202E');
  expect(renderPlainMail(letter)).not.toMatch(/^Bcc/m);
});

test('composeCorrectionsMail names one file, counts several, and mentions the attachment', () => {
  const row = {
    fileId: 1,
    file: 'smith-agency/orders.csv',
    sender: 'smith-agency',
    rows: 1,
    corrections: 'corrections/smith-agency/orders - to fix.xlsx',
    since: AT,
    pastDue: 0,
  };
  const one = composeCorrectionsMail([row], [], new Set([row.corrections]));
  expect(one.subject).toMatch(/^1 row .* orders\.csv$/);
  expect(renderPlainMail(one)).toContain('Workbook     orders - to fix.xlsx (attached)');
  const several = composeCorrectionsMail(
    [row, { ...row, fileId: 2, file: 'smith-agency/more.csv', rows: 3 }],
    [],
    new Set(),
  );
  expect(several.subject).toMatch(/^4 rows .* 2 files$/);
  expect(renderPlainMail(several)).toContain('Workbook     corrections/smith-agency/orders - to fix.xlsx');
});

test('composeCorrectionsMail names each row with what is wrong', () => {
  const problem = (message: string, field: string | null, severity = 'error') => ({ message, field, severity });
  const problems = [
    problem('ZIP code (L2): "1" is wrong.', 'zipcode'),
    problem('Twice.', null),
    problem('City: odd.', 'city', 'warning'),
  ];
  const open = { record: { place: { rowNumber: 2 } }, summary: { insuredName: 'Ann Lee' }, problems };
  const letter = composeCorrectionsMail([], [], new Set(), false, [open, { ...open, problems: [] }] as never);
  expect(renderPlainMail(letter)).toMatch(/\n- Ann Lee: .*"1" is.*; Twice\.\n- Ann Lee: see/);
});

test('composeCorrectionsMail counts a file with two workbooks once, and says each workbook', () => {
  const row = {
    fileId: 1,
    file: 'orders.csv',
    sender: '',
    rows: 1,
    corrections: 'corrections/1.xlsx',
    since: AT,
    pastDue: 0,
  };
  const again = { ...row, corrections: 'corrections/2.xlsx' };
  const letter = composeCorrectionsMail([row, again, { ...row, fileId: 2, file: 'more.csv' }], [], new Set());
  expect(letter.subject).toMatch(/^3 rows .* 2 files$/);
  expect(renderPlainMail(letter)).toContain('Open each workbook:');
});

test('composeCorrectionsMail says how many rows are past due', () => {
  const row = { fileId: 1, file: 'orders.csv', sender: '', rows: 3, corrections: null, since: AT, pastDue: 2 };
  expect(renderPlainMail(composeCorrectionsMail([row], [], new Set()))).toMatch(/Rows to fix +3, 2 past due/);
});

test('composeNightMail names the agents of rows past due that were not ordered', () => {
  const pastDueRows = [{ name: 'Broussard', count: 4 }];
  expect(renderPlainMail(composeNightMail({ ...NIGHT, pastDueRows }, SENDER))).toMatch(
    /not ordered.*\n- Broussard: 4 rows/,
  );
});

test('composeCorrectionsMail speaks of one workbook, however many rows it has', () => {
  const row = {
    fileId: 1,
    file: 'orders.csv',
    sender: '',
    rows: 3,
    corrections: 'corrections/1.xlsx',
    since: AT,
    pastDue: 0,
  };
  expect(renderPlainMail(composeCorrectionsMail([row], [], new Set()))).toContain('Open the workbook:');
});

test('composeTroubleMail gives the exit code, its meaning, the reason, and the log', () => {
  const trouble = { run: NIGHT.run, at: AT, exitCode: 4, lines: ['The service is away: no answer.'] };
  const letter = composeTroubleMail([trouble], SENDER);
  expect(letter.subject).toBe('inspection-batch on batch-1: exit code 4');
  const text = renderPlainMail(letter);
  for (const words of ['Work is left.', 'The service is away: no answer.', `logs/${NIGHT.run}.jsonl`])
    expect(text).toContain(words);
  const more = composeTroubleMail([trouble, { ...trouble, lines: ['The start ping did not get through.'] }], SENDER);
  expect(more.subject).toBe(letter.subject);
  expect(more.parts.at(-1)).toMatchObject({ items: [...trouble.lines, expect.stringMatching(/\bstart ping\b/)] });
  expect(composeTroubleMail([trouble, { ...trouble, run: 'another', exitCode: 2 }], SENDER).subject).toBe(
    'inspection-batch on batch-1: exit code 2, 4, 2 runs',
  );
});

test('composeTroubleMail names exit code 0 next to that of another run', () => {
  const trouble = { run: NIGHT.run, at: AT, exitCode: 0, lines: ['A fault.'] };
  const letter = composeTroubleMail([trouble, { ...trouble, run: 'another', exitCode: 4 }], SENDER);
  expect(letter.subject).toBe('inspection-batch on batch-1: exit code 0, 4, 2 runs');
});

test('composeTroubleMail says which run each next step is for', () => {
  const trouble = { run: NIGHT.run, at: AT, exitCode: 1, lines: ['A fault.'] };
  const letter = composeTroubleMail([trouble, { ...trouble, run: 'another', exitCode: 4 }], SENDER);
  const steps = letter.parts.flatMap((part) => (part.kind === 'paragraph' ? [part.text] : []));
  expect(steps).toEqual([expect.stringMatching(/^Exit code 1: /), expect.stringMatching(/^Exit code 4: /)]);
});
