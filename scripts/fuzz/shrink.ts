import { isObject } from './objects.ts'
import type { Sent } from './requests.ts'

const TRIES = 300

/** Every value that is one step smaller: a member or item less, or one of them smaller. */
function* smaller(value: unknown): Generator<unknown> {
  if (typeof value === 'string' && value.length > 1) {
    yield value.slice(0, value.length >> 1)
    yield value.slice(value.length >> 1)
  }
  if (Array.isArray(value)) {
    yield value.slice(0, value.length >> 1)
    for (const at of value.keys()) yield value.toSpliced(at, 1)
    for (const [at, item] of value.entries()) for (const less of smaller(item)) yield value.with(at, less)
  }
  if (!isObject(value)) return
  const members = Object.entries(value)
  for (const at of members.keys()) yield Object.fromEntries(members.toSpliced(at, 1))
  for (const [at, [name, item]] of members.entries()) {
    for (const less of smaller(item)) yield Object.fromEntries(members.with(at, [name, less]))
  }
}

function* smallerBodies(body: string): Generator<string> {
  try {
    for (const value of smaller(JSON.parse(body))) yield JSON.stringify(value)
  } catch {
    yield body.slice(0, body.length >> 1)
  }
}

function* smallerRequests(sent: Sent): Generator<Sent> {
  const { target, headers, body } = sent
  const [path = '', query = ''] = target.split(/\?(.*)/s)
  const pairs = query === '' ? [] : query.split('&')
  for (const at of pairs.keys()) {
    const rest = pairs.toSpliced(at, 1).join('&')
    yield { ...sent, target: rest === '' ? path : `${path}?${rest}` }
  }
  for (const name of Object.keys(headers)) {
    const { [name]: _, ...rest } = headers
    if (name !== 'authorization') yield { ...sent, headers: rest }
  }
  if (body === undefined) return
  for (const less of smallerBodies(body)) yield { ...sent, body: less }
}

/** The smallest request found that still breaks the same promise. */
export async function shrink(sent: Sent, breaks: (smaller: Sent) => Promise<boolean>): Promise<Sent> {
  let smallest = sent
  let tries = 0
  for (;;) {
    let found: Sent | undefined
    for (const candidate of smallerRequests(smallest)) {
      if (tries++ >= TRIES) return smallest
      if (!(await breaks(candidate))) continue
      found = candidate
      break
    }
    if (!found) return smallest
    smallest = found
  }
}
