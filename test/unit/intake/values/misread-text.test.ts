import { expect, test } from 'vitest';
import { textBeforeMisreading } from '../../../../src/intake/values/plain-text.ts';

test.each(['Siobhán', 'Peñasco', 'Fee of 35 € – call first', 'Søren “Ó” Ñ', '田中', 'à'])(
  'restores %s after its UTF-8 was read as windows-1252',
  (text) => {
    const misread = new TextDecoder('windows-1252').decode(Buffer.from(text));
    expect(misread).not.toBe(text);
    expect(textBeforeMisreading(misread)).toBe(text);
  },
);

test.each(['', 'Tampa', 'Siobhán', 'São Paulo', 'SÃO PAULO', 'Â la carte', 'Ðorđe', '田中 Ã¡', '35 €', '¿Quién?'])(
  'leaves correct text %s alone',
  (text) => {
    expect(textBeforeMisreading(text)).toBeUndefined();
  },
);
