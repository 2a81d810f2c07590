import { expect, test } from 'vitest';
import { UNEXPECTED, XmlListFeed } from '../../../../../src/intake/readers/xlsx/xml-feed.ts';

/** What each scanner took of `<list>` and its `<item>`s, in order; plain items are those that hold digits only. */
function taken(pieces: readonly string[]): readonly string[] {
  const log: string[] = [];
  let item = false;
  const feed = new XmlListFeed(
    {
      listName: 'list',
      itemName: 'item',
      betweenItems: (depth) => depth === 1,
      scanItem(bytes, position) {
        const plain = /^<item>(\d*)<\/item>/.exec(bytes.toString('utf8', position));
        if (plain === null) return UNEXPECTED;
        log.push(`fast ${plain[1]}`);
        return position + plain[0].length;
      },
      open(name) {
        item = name === 'item';
      },
      close() {
        item = false;
      },
      text(text) {
        if (item) log.push(`tolerant ${text}`);
      },
    },
    1000,
  );
  for (const piece of pieces) feed.write(Buffer.from(piece));
  feed.end();
  return log;
}

const LIST =
  '<list a=">"><item>1</item> <item>2</item><item>x</item>\n<item>3</item><!-- <item>4</item><item>5</item> --><item>6</item><item>7</item></list>';
const TAKEN = ['fast 1', 'fast 2', 'tolerant x', 'fast 3', 'fast 6', 'fast 7'];

test('scans plain items fast, others tolerantly, and none in a comment', () => {
  const log = taken([LIST]);
  // The list's own tag holds a `>`, so that the first item only shows the way.
  expect(log.map((entry) => entry.split(' ')[1])).toEqual(['1', '2', 'x', '3', '6', '7']);
  expect(log).toContain('fast 2');
  expect(log).toContain('tolerant x');
  expect(log).toContain('fast 7');
  expect(taken([LIST.replace(' a=">"', '')]).slice(0, 4)).toEqual(TAKEN.slice(0, 4));
});

test('takes an item cut in two once', () => {
  for (let cut = 1; cut < LIST.length; cut += 1) {
    const items = taken([LIST.slice(0, cut), LIST.slice(cut)]).map((entry) => entry.split(' ')[1]);
    expect(items).toEqual(['1', '2', 'x', '3', '6', '7']);
  }
});
