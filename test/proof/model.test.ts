import { expect, test } from 'vitest';
import { lookAtEveryHistory } from '../model/every-history.ts';
import { LATENESS, OURS, QUARANTINE, SEARCH_DELAY, type Protocol, type Variant } from '../model/protocol.ts';

const base: Variant = { key: false, rival: false, lateness: LATENESS, searchDelay: SEARCH_DELAY };
const VARIANTS: Readonly<Record<string, Variant>> = {
  'no key: only time stands': base,
  'a key as well': { ...base, key: true },
  'somebody else has the key': { ...base, key: true, rival: true },
  'answers come at once, searches late': { ...base, lateness: 0, searchDelay: LATENESS + SEARCH_DELAY },
  'answers come late, searches at once': { ...base, lateness: LATENESS + SEARCH_DELAY, searchDelay: 0 },
};

test.each(Object.entries(VARIANTS))('lookAtEveryHistory finds no double and no loss: %s', (_name, variant) => {
  // Every history of the protocol, with two crashes and three attempts.
  const { wrong, states, happened } = lookAtEveryHistory(variant, OURS);
  expect(wrong).toBeNull();
  expect(states).toBeGreaterThan(1000);
  expect([...happened]).toEqual(
    expect.arrayContaining(['killed', 'recovered', 'a request is lost', 'the client gives up waiting', 'in doubt']),
  );
  // What somebody else's project stands in the way of is never made, and so never adopted.
  expect(happened.has('adopted')).toBe(!variant.rival);
  expect(happened.has('searched, not found: free to be sent again')).toBe(true);
});

test('lookAtEveryHistory finds no double with the key and a short quarantine', () => {
  const { wrong } = lookAtEveryHistory({ ...base, key: true, lateness: QUARANTINE + 1 }, OURS);
  expect(wrong).toBeNull();
});

const ANTI_PROTOCOLS: Readonly<Record<string, readonly [Partial<Protocol>, Variant, string]>> = {
  'retry on timeout': [{ retryOnTimeout: true }, base, 'doubled'],
  'intent after answer': [{ intentAfterAnswer: true }, base, 'doubled'],
  'quarantine too short': [{ quarantine: QUARANTINE - 2 }, base, 'doubled'],
  'quarantine from the intent': [{ quarantineFromIntent: true }, base, 'doubled'],
  '409 as somebody else’s': [
    { conflictIsSomebodyElses: true },
    { ...base, key: true, lateness: QUARANTINE + 1 },
    'orphaned',
  ],
  'no key and no quarantine': [{ sendsKey: false, quarantine: 0 }, { ...base, key: true }, 'doubled'],
  'repeat without search': [{ searchesBeforeRepeat: false }, base, 'doubled'],
};

test.each(Object.entries(ANTI_PROTOCOLS))(
  'lookAtEveryHistory finds the planted flaw: %s',
  (_name, [change, variant, expected]) => {
    const { wrong } = lookAtEveryHistory(variant, { ...OURS, ...change });
    expect(wrong).toMatchObject({ what: expected, history: expect.arrayContaining(['sent']) });
  },
);
