export interface Redactor {
  /** Also percent-encoded and in base64. */
  registerSecret(secret: string): void;
  redact(text: string): string;
}

const TEXT_LENGTH_MAX = 4000;

/** Only as whole words: a password `a` must not remove every a. */
const SECRET_LENGTH_ANYWHERE = 4;

const NAMES_OF_SECRETS =
  '(?:access_token|refresh_token|id_token|client_secret|password|passwd|secret|signature|authorization)';

const PATTERNS: readonly (readonly [RegExp, (found: string, kept: string) => string])[] = [
  [/\b(Bearer|Basic)\s+[\w.~+/=-]+/gi, (_, kept) => `${kept} [redacted]`],
  [/(?<=:\/\/)[^\s/@"'<>]{1,300}@/g, () => '[redacted]@'],
  [/(?<=[\w\]]\/[^\s"'<>?]{0,2000})\?[^\s"'<>]+|[?#][\w.~%-]+=[^\s"'<>]*/g, () => '?[redacted]'],
  [
    new RegExp(`(\\b${NAMES_OF_SECRETS}["']?\\s*[=:]\\s*["']?)(?!Bearer|Basic)[^\\s"'&,;}]+`, 'gi'),
    (_, kept) => `${kept}[redacted]`,
  ],
  [/[\p{L}\p{N}._%+'-]{1,64}@[\p{L}\p{N}.-]{1,255}\.\p{L}{2,}/gu, () => '[e-mail]'],
];

export function createRedactor(): Redactor {
  const secrets = new Set<string>();
  let known: RegExp | null = null;
  return {
    registerSecret(secret) {
      if (secret === '') return;
      for (const form of [
        secret,
        encodeURIComponent(secret.toWellFormed()),
        JSON.stringify(secret).slice(1, -1),
        Buffer.from(secret).toString('base64'),
      ])
        secrets.add(form);
      // Longest first: a secret may contain another.
      known = new RegExp(
        [...secrets]
          .toSorted((a, b) => b.length - a.length)
          .map(secretPattern)
          .join('|'),
        'g',
      );
    },
    redact(text) {
      // Before cutting: half a secret would not be recognized.
      let clean = known === null ? text : text.replaceAll(known, '[redacted]');
      if (clean.length > TEXT_LENGTH_MAX) clean = `${clean.slice(0, TEXT_LENGTH_MAX)}…`;
      for (const [pattern, instead] of PATTERNS)
        clean = clean.replaceAll(pattern, (found: string, kept: string) => instead(found, kept));
      return clean;
    },
  };
}

function secretPattern(secret: string) {
  const literal = secret.replaceAll(/[\\^$.*+?()[\]{}|]/g, (sign) => `\\${sign}`);
  return secret.length < SECRET_LENGTH_ANYWHERE ? String.raw`(?<!\w)${literal}(?!\w)` : literal;
}
