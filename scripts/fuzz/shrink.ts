import { isObject } from './known-objects.ts'
import type { FuzzRequest } from './requests.ts'

const MAX_TRIES = 300

/** Yields every value that is one step smaller: without one member or item, or with one member or item reduced. */
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

function* smallerRequests(request: FuzzRequest): Generator<FuzzRequest> {
  const { target, headers, body } = request
  const [path = '', query = ''] = target.split(/\?(.*)/s)
  const pairs = query === '' ? [] : query.split('&')
  for (const at of pairs.keys()) {
    const rest = pairs.toSpliced(at, 1).join('&')
    yield { ...request, target: rest === '' ? path : `${path}?${rest}` }
  }
  for (const name of Object.keys(headers)) {
    const { [name]: _, ...rest } = headers
    if (name !== 'authorization') yield { ...request, headers: rest }
  }
  if (body === undefined) return
  for (const less of smallerBodies(body)) yield { ...request, body: less }
}

/** Returns the smallest request found for which `fails` is still true. */
export async function shrink(
  request: FuzzRequest,
  fails: (smaller: FuzzRequest) => Promise<boolean>,
): Promise<FuzzRequest> {
  let smallest = request
  let tries = 0
  for (;;) {
    let found: FuzzRequest | undefined
    for (const candidate of smallerRequests(smallest)) {
      if (tries++ >= MAX_TRIES) return smallest
      if (!(await fails(candidate))) continue
      found = candidate
      break
    }
    if (!found) return smallest
    smallest = found
  }
}
