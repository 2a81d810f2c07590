import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readOrderFile } from '../../../src/intake/read-orders.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const HEADERS = [
  'Policy #',
  'Address',
  'City',
  'ST',
  'Zip',
  'Service',
  'Policy Type',
  'House Type',
  'Named Insured',
  'Insured Phone',
  'Insured Email',
];

function bytesIn(encoding: string, text: string): Buffer {
  const decoder = new TextDecoder(encoding);
  const codes = new Map(Array.from({ length: 256 }, (_, byte) => [decoder.decode(Uint8Array.of(byte)), byte]));
  return Buffer.from(
    Array.from(text, (character) => {
      const code = codes.get(character);
      if (code === undefined) throw new Error(`${encoding} has no ${character}`);
      return code;
    }),
  );
}

async function read(content: Buffer) {
  await using folder = await temporaryFolder();
  const path = join(folder.path, 'orders.csv');
  await writeFile(path, content);
  await using reading = await readOrderFile(path, 'orders.csv', { headers: {}, today: '2026-10-15' });
  const outcomes = await Array.fromAsync(reading.rows());
  return {
    came: outcomes.map((outcome) =>
      outcome.kind === 'order' ? outcome.payload.insuredName : outcome.problems.map(({ rule }) => rule).join(' '),
    ),
    notes: reading.notes,
  };
}

function table(names: readonly string[], end: string): string {
  const rows = names.map((name, place) => [
    `HO-${String(place)}`,
    `${String(100 + place)} Oak Ridge Ln`,
    'Tampa',
    'FL',
    '33609',
    '4-Point',
    'Homeowners Insurance',
    'Residential Condo',
    name,
    '813-555-0142',
    'm@example.com',
  ]);
  return [HEADERS, ...rows].map((row) => row.join(',') + end).join('');
}

const NAMES = [
  'José Peña',
  'Jesús Muñoz',
  'Raúl Núñez',
  'María García',
  'Bert Schröder',
  'Eva Müller',
  'Pat O’Brien',
  'Siobhán Kelly',
  'Björn Söhne',
  'François Noël',
  'Zoë Renée',
  'Hélène Lebœuf',
  'Etta D’Angelo',
  'João Simões',
  'Åsa Ångström',
  'Étienne Beyoncé',
  'PEÑA, JOSÉ',
  'Ana Saint–Clair',
  'Max Straße',
];

test.each(['\r\n', '\n', '\r'])('reads Mac Roman with line ends %j and says so', async (end) => {
  const { came, notes } = await read(
    bytesIn(
      'macintosh',
      table(
        NAMES.filter((name) => !name.includes(',')),
        end,
      ),
    ),
  );
  expect(came).toEqual(NAMES.filter((name) => !name.includes(',')));
  expect(notes).toContainEqual({ code: 'text-format', text: expect.stringContaining('Mac Roman') });
});

test.each(NAMES.filter((name) => !name.includes(',')))(
  'reads or rejects %s in Mac Roman and windows-1252',
  async (name) => {
    for (const encoding of ['macintosh', 'windows-1252']) {
      const [came = ''] = (await read(bytesIn(encoding, table([name], '\r')))).came;
      expect([name, 'letters-unknown']).toContain(came);
    }
    // Where lines end as everywhere, windows-1252 is what nearly everybody writes.
    expect((await read(bytesIn('windows-1252', table([name], '\r\n')))).came).toEqual([name]);
  },
);

test('reads windows-1252 with its special signs', async () => {
  const signs = ['José “Pepe” Ruiz', 'Smith’s Café – Bar', 'Ana Möller €', '1800 ft² Šárka', 'Čapek'.replace('Č', 'Š')];
  const { came, notes } = await read(bytesIn('windows-1252', table(signs, '\r\n')));
  expect(came).toEqual(signs);
  expect(notes).toContainEqual({ code: 'text-format', text: expect.stringContaining('windows-1252') });
});

test.each([
  ['of old DOS programs', Buffer.from([0x4a, 0x6f, 0x73, 0x82, 0x20, 0x50, 0x65, 0xa4, 0x61])],
  ['of Central Europe', Buffer.from([0x50, 0x61, 0x77, 0x65, 0xb3, 0x20, 0x4e, 0x6f, 0x77, 0x61, 0x6b])],
])('rejects letters %s and sends the other rows', async (_, name) => {
  const [before = '', after = ''] = table(['NAME', 'Dana Whitlock'], '\n').split('NAME');
  const { came } = await read(Buffer.concat([Buffer.from(before), name, Buffer.from(after)]));
  expect(came).toEqual(['letters-unknown', 'Dana Whitlock']);
});
