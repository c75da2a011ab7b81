import type { Random } from '../lib/random.ts'
import { isObject } from './known-objects.ts'
import { aHostileText } from './texts.ts'

const ODD_NUMBERS = [0, -1, 1.5, 1e308, -1e308, 5e-324, 2 ** 53, 2 ** 53 + 2, -(2 ** 63), 1e21, 2147483648]

/** Returns a random value of any type, regardless of the schema. */
export function hostileValue(random: Random, depth = 2): unknown {
  const kind = random.below(depth > 0 ? 8 : 5)
  if (kind < 3) return aHostileText(random)
  if (kind === 3) return random.pick(ODD_NUMBERS)
  if (kind === 4) return random.pick([null, true, false])
  if (kind === 5) return random.list(4, () => hostileValue(random, depth - 1))
  if (kind === 6)
    return Array.from({ length: random.pick([51, 101, 501]) }, () => aHostileText(random).slice(0, 9))
  return Object.fromEntries(random.list(3, () => [aHostileText(random), hostileValue(random, depth - 1)]))
}

/** Replaces, removes or adds something at one position of a value. */
export function mutate(random: Random, value: unknown): unknown {
  if (Array.isArray(value) && value.length > 0 && random.chance(0.8)) {
    const at = random.below(value.length)
    return random.chance(0.15) ? [...value, ...value] : value.with(at, mutate(random, value[at]))
  }
  if (!isObject(value) || random.chance(0.05)) return hostileValue(random)
  const names = Object.keys(value)
  const name = names.length > 0 && random.chance(0.85) ? random.pick(names) : aHostileText(random)
  if (random.chance(0.15))
    return Object.fromEntries(Object.entries(value).filter(([other]) => other !== name))
  // Built with `fromEntries`, because "__proto__" in an object literal would not become an ordinary member.
  return Object.fromEntries([...Object.entries(value), [name, mutate(random, value[name])]])
}

const LITERALS = [
  ...[
    '',
    '{',
    '[',
    '"',
    'nul',
    '{"a":}',
    '{"title":"\\ud800"}',
    '{"__proto__":{"title":"x"}}',
    '\u0000',
    '[[[[',
  ],
  ...[
    '{}{}',
    '{"title":"x"}\u0000',
    '{"title":"x",}',
    "{'title':'x'}",
    '\ufeff{}',
    '{"title":1e999}',
    '01',
    '-',
  ],
]

const OVER_BODY_LIMIT = 10 * 1024 * 1024 + 1

const withFirstMemberTwice = (text: string) =>
  text.replace(/^\{("[^"\\]*"):.*(?=\}$)/s, (members, name) => `${members},${name}:[]`)

/** Returns a body: mostly valid JSON, otherwise text that only a hostile client sends. */
export function hostileText(random: Random, value: unknown): string {
  const text = JSON.stringify(value) ?? '{}'
  switch (random.below(12)) {
    case 0:
      return random.pick(LITERALS)
    case 1:
      return text.slice(0, random.below(text.length))
    case 2:
      return withFirstMemberTwice(text)
    case 3:
      return '['.repeat(random.pick([100, 20_000]))
    case 4:
      return text.replace(/:.*/s, `:${'['.repeat(9_000)}${']'.repeat(9_000)}}`)
    case 5:
      return random.chance(0.02) ? `{"title":"${'x'.repeat(OVER_BODY_LIMIT)}"}` : text.replaceAll('"', "'")
    default:
      return text
  }
}
