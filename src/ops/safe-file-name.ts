/** UTF-8. File systems take 255; the rest is for a number, an ending and `.partial`. */
const NAME_BYTES_MAX = 150;
const ENDING_BYTES_MAX = 20;

const WINDOWS_DEVICE = /^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?=\.|$)/i;

/**
 * One part of a path on every system and in a link: letters and digits of any script, and ` . _ - ( ) + ,`; anything
 * else becomes a hyphen. Never begins with a dot, hyphen or space, ends with a dot or space, or is empty (`unnamed`);
 * at most 150 bytes, ending kept. Different names may give the same result.
 */
export function safeFileName(name: string) {
  const allowed = name
    .normalize('NFC')
    .replaceAll(/[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, '')
    .replaceAll(/\s+/gu, ' ')
    .replaceAll(/[^\p{L}\p{M}\p{N} ._()+,-]+/gu, '-');
  const shortened = trimEnds(shorten(trimEnds(allowed).replace(WINDOWS_DEVICE, (device) => `_${device}`)));
  return shortened === '' ? 'unnamed' : shortened;
}

/** A leading combining mark would join the character before the name. */
function trimEnds(name: string) {
  return name.replace(/^[-. \p{M}]+/u, '').replace(/(?<![. ])[. ]+$/u, '');
}

function shorten(name: string) {
  if (Buffer.byteLength(name) <= NAME_BYTES_MAX) return name;
  const dot = name.lastIndexOf('.');
  const ending = dot > 0 && Buffer.byteLength(name.slice(dot)) <= ENDING_BYTES_MAX ? name.slice(dot) : '';
  const stem = cutToBytes(name.slice(0, name.length - ending.length), NAME_BYTES_MAX - Buffer.byteLength(ending));
  return stem.replace(/(?<![. ])[. ]+$/u, '') + ending;
}

export function cutToBytes(text: string, bytesMax: number) {
  let bytes = 0;
  let cut = '';
  for (const character of text) {
    bytes += Buffer.byteLength(character);
    if (bytes > bytesMax) break;
    cut += character;
  }
  return cut;
}
