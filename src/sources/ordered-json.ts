/** An object as a map: those of the language put keys that are numbers first. */
export type Ordered = Map<string, Ordered> | Ordered[] | string | number | boolean | null

const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[[\]{},:]|[^\s[\]{},:"]+/g

/** Reads the tokens of a text that is known to be JSON. */
function parse(tokens: Iterator<string>, token = String(tokens.next().value)): Ordered {
  if (token === '[') {
    const list: Ordered[] = []
    for (let next = tokens.next().value; next !== ']'; next = tokens.next().value)
      if (next !== ',') list.push(parse(tokens, next))
    return list
  }
  if (token !== '{') return JSON.parse(token) as Ordered
  const members = new Map<string, Ordered>()
  for (let next = tokens.next().value; next !== '}'; next = tokens.next().value) {
    if (next === ',') continue
    tokens.next()
    members.set(JSON.parse(next), parse(tokens))
  }
  return members
}

function write(value: Ordered): string {
  if (Array.isArray(value)) return `[${value.map(write).join(',')}]`
  if (!(value instanceof Map)) return JSON.stringify(value)
  return `{${[...value].map(([key, member]) => `${JSON.stringify(key)}:${write(member)}`).join(',')}}`
}

/** Takes a JSON text apart; undefined for one that holds more than can be taken apart. */
export function readOrdered(text: string): Ordered | undefined {
  try {
    return parse((text.match(TOKEN) ?? []).values())
  } catch {
    return undefined
  }
}

/** The value at these keys, as compact JSON whose keys are in the order in which they came. */
export function orderedJson(whole: Ordered, keys: readonly string[]): string {
  let value: Ordered | undefined = whole
  for (const key of keys) value = value instanceof Map ? value.get(key) : (value as Ordered[])[Number(key)]
  return write(value ?? null)
}

/** Whether the language would change the order of some keys of a JSON text. */
export const hasNumberKeys = (text: string): boolean => /"\d+"\s*:/.test(text)
