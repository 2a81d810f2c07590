import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { Postings } from '../../../src/sandbox/duplicates.ts';

const change = fc.record({ add: fc.boolean(), key: fc.constantFrom('a', 'b', 'c'), place: fc.nat(20) });

test('postings give the places of a key in order, whatever was added and removed in whatever order', () => {
  fc.assert(
    fc.property(fc.array(change, { maxLength: 60 }), fc.nat(21), fc.nat(21), (changes, first, end) => {
      const postings = new Postings();
      const held = new Map<string, Set<number>>();
      for (const { add, key, place } of changes) {
        const places = held.get(key) ?? new Set();
        held.set(key, places);
        if (add === places.has(place)) continue;
        if (add) {
          places.add(place);
          postings.add(key, place);
        } else {
          places.delete(place);
          postings.remove(key, place);
        }
      }
      for (const key of ['a', 'b', 'c', 'd']) {
        const sorted = [...(held.get(key) ?? [])].toSorted((a, b) => a - b);
        expect([...postings.within(key, first, end)]).toEqual(sorted.filter((place) => place >= first && place < end));
        expect([...postings.downFrom(end, key)]).toEqual(sorted.filter((place) => place < end).toReversed());
      }
    }),
  );
});
