import type { Random } from '../lib/random.ts'

/** Texts that often break programs. */
const HOSTILE: readonly string[] = [
  ...['', ' ', '0', '-0', '-1', '1e400', '9007199254740993', 'null', 'true', 'NaN', '0x10', '٣'],
  ...['__proto__', 'constructor', 'toString', 'hasOwnProperty', '__defineGetter__', 'length'],
  ...['%', '%00', '%zz', '%ff', '%ed%a0%80', '%F0%9F%8D%B5', '..', '.', '/', '//', '#', '?', '&', '=', '+'],
  ...['[]', '{}', '\\', '"', "'", '*', '-', '(', ')', '^', ':', ',', ';', '\t', '\n', '\r\n', '\u0000'],
  ...["' OR 1=1 --", "'; DROP TABLE notes; --", '?1', '$1', ':name', '@x', '`id`', 'id"', '\\x00'],
  ...[
    'NEAR(a b)',
    'AND',
    'OR NOT',
    'title:x',
    '"a',
    'a"*',
    '"" OR ""',
    '^a',
    'a + b',
    '{title body}: a',
    '-',
  ],
  ...['🍵', '👩‍👩‍👧', 'ß', 'İ', 'ı', 'ﬁ', 'é', 'é', '中文', '図書', 'ก่ก', 'שלום', '\u202e', '\ufeff'],
  ...['\ud800', '\udc00x', 'a\ud83d', '\u2028', '\u0085', 'a\u0300\u0301\u0302'],
  ...['[[', ']]', '[[]]', '[[a|b]]', '![[a]]', '[[file:x|y]]', '```', '`[[a]]`', '# Head', '<mark>', '&lt;'],
  ...['2026-02-30', '2024-02-29', '0000-01-01', '9999-12-31', '-000001-01-01', '+275760-09-13T00:00:00.001Z'],
  ...[
    '2026-11-21T09:30:00.000Z',
    '2026-11-21T24:00:00Z',
    '2026-11-21T09:30:00+25:00',
    '1969-12-31T23:59:59Z',
  ],
  ...['24:00', '23:59:60', '7:5', 'Europe/Berlin', 'Etc/GMT+14', 'UTC+1', '../../etc/passwd', 'file:///'],
  ...[
    '01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60',
    '00000000-0000-0000-0000-000000000000',
    '*',
    '1.0',
    '1-0',
    '7-',
  ],
]

/** Few words, so that names collide and searches succeed. */
const WORDS: readonly string[] = [
  ...[
    'tea',
    'work',
    'Ada',
    'engine',
    'Zürich',
    'straße',
    'open',
    'later',
    '図書館',
    'ภาษาไทย',
    '한국어',
    'идея',
  ],
  ...['paper', 'ink', 'home', 'garden', 'Émile', 'log', 'x1', 'alpha', 'beta', 'gamma'],
]

export const aWord = (random: Random) => random.pick(WORDS)

export function aPhrase(random: Random, most = 6): string {
  return Array.from({ length: random.between(1, most) }, () => aWord(random)).join(' ')
}

export function aHostileText(random: Random): string {
  if (random.chance(0.7)) return random.pick(HOSTILE)
  if (random.chance(0.05))
    return random.pick(['a', '図', '🍵', '"', '[[', '\\']).repeat(random.pick([101, 501, 501, 20_000]))
  return Array.from({ length: random.between(1, 4) }, () =>
    random.chance(0.5) ? random.pick(HOSTILE) : String.fromCharCode(random.below(0x10000)),
  ).join('')
}

export const aDate = (random: Random) =>
  random.pick([
    '2026-11-21',
    '2026-11-01',
    '2024-02-29',
    '1970-01-01',
    '9999-12-31',
    '0001-01-01',
    '2025-12-31',
  ])

export const anInstant = (random: Random) =>
  random.pick(['2026-11-21T09:30:00Z', '2026-11-21T09:30:00.5+02:00', '2024-02-29T23:59:59.999-12:00'])
