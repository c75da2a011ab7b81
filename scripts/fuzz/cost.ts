/**
 * Searches for legal requests of a read-only key that delay other callers longest per byte sent: random requests, and
 * variants of the worst so far. The service runs in this process. Another key reads a small note repeatedly while a
 * request is answered: its longest wait is the cost of the request.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Dataset, openDataset } from '../bench/dataset.ts'
import { copyOfWorld, type World } from '../bench/stalls/world.ts'
import { Random } from '../lib/random.ts'
import { type CostRequest, CostRequests, type Objects } from './cost-requests.ts'

/** 2,000 notes and 20,000 rows. */
const SIZE = 0.02
/** The size of a request without its target and body: the method, the key and other headers. */
const HEADERS_BYTES = 150
const SHOWN = 10
const PARENTS = 40
const REPORT_EVERY = 1_000

interface Measured {
  readonly request: CostRequest
  readonly bytes: number
  readonly status: number
  /** The longest wait of a concurrent small read by another key. */
  readonly waitMs: number
  readonly ms: number
}

const perByte = ({ waitMs, bytes }: Measured) => waitMs / bytes

/** A longer wait is measured again, because other programs on this machine may have caused it. */
const SHORT_WAIT_MS = 10
const MEASUREMENTS = 3

const PAGING = new Set(['limit', 'offset', 'direction'])

/** Returns the shape of a request. Only the slowest request of each shape is listed, so that the ten slowest differ. */
function shapeOf({ path, parameters }: CostRequest): string {
  const names = Object.keys(parameters).filter((name) => !PAGING.has(name))
  return `${path.replaceAll(/[0-9a-f-]{36}/g, '{id}')} ${names.sort().join(' ')}`
}

const encoded = (value: unknown) =>
  encodeURIComponent(typeof value === 'string' ? value : JSON.stringify(value))

function asHttp({ path, parameters, isPost }: CostRequest): { target: string; body: string | undefined } {
  if (isPost) return { target: path, body: JSON.stringify(parameters) }
  const query = Object.entries(parameters).map(([name, value]) => `${name}=${encoded(value)}`)
  return { target: query.length === 0 ? path : `${path}?${query.join('&')}`, body: undefined }
}

/** Returns the measurement with the shortest wait. */
async function measure(data: Dataset, world: World, request: CostRequest): Promise<Measured> {
  let best = await measureOnce(data, world, request)
  for (let again = 1; again < MEASUREMENTS && best.waitMs > SHORT_WAIT_MS; again++) {
    const next = await measureOnce(data, world, request)
    if (next.waitMs < best.waitMs) best = next
  }
  return best
}

async function measureOnce(data: Dataset, world: World, request: CostRequest): Promise<Measured> {
  const { target, body } = asHttp(request)
  const bytes = HEADERS_BYTES + target.length + (body?.length ?? 0)
  const started = performance.now()
  let status: number | undefined
  const answered = answer(data, world, target, body).then((answeredWith) => {
    status = answeredWith
  })
  let waitMs = 0
  // The first small read arrives together with the request. Each later one arrives when the previous one is answered.
  for (let arrived = started; status === undefined; ) {
    await (await data.fetch(`/v1/notes/${world.smallNote}`)).arrayBuffer()
    const now = performance.now()
    waitMs = Math.max(waitMs, now - arrived)
    arrived = now
    await new Promise((resolve) => setImmediate(resolve))
  }
  await answered
  return { request, bytes, status, waitMs, ms: performance.now() - started }
}

async function answer(data: Dataset, { readKey }: World, target: string, body?: string): Promise<number> {
  const response = await data.fetch(target, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${readKey}` },
    body,
  })
  await response.arrayBuffer()
  return response.status
}

async function objectsOf(data: Dataset, world: World): Promise<Objects> {
  const json = async (path: string) => (await data.fetch(path, read(world))).json()
  const { tags } = (await json('/v1/tags')) as { tags: { id: number }[] }
  const { properties } = (await json('/v1/properties')) as { properties: { id: string }[] }
  return {
    tags: tags.map(({ id }) => id),
    properties: properties.map(({ id }) => id),
    notes: [world.hub, world.smallNote, ...world.bigNotes.slice(0, 3)],
    file: world.file,
    rows: world.rows,
  }
}

const read = ({ readKey }: World) => ({ headers: { authorization: `Bearer ${readKey}` } })

async function slowest(count: number, seed: number, data: Dataset, world: World): Promise<Measured[]> {
  const random = new Random(seed)
  const requests = new CostRequests(random, await objectsOf(data, world))
  const worst = new Map<string, Measured>()
  const refused = new Map<number, number>()
  for (let at = 0; at < count; at++) {
    const parents = [...worst.values()]
      .sort((left, right) => perByte(right) - perByte(left))
      .slice(0, PARENTS)
    const isRandom = parents.length < PARENTS || random.chance(0.3)
    const request = isRandom ? requests.next() : requests.variant(random.pick(parents).request)
    const measured = await measure(data, world, request)
    if (measured.status !== 200) refused.set(measured.status, (refused.get(measured.status) ?? 0) + 1)
    const shape = shapeOf(request)
    const best = worst.get(shape)
    if (!best || perByte(measured) > perByte(best)) worst.set(shape, measured)
    if ((at + 1) % REPORT_EVERY === 0)
      process.stderr.write(`${at + 1} tried; ${progress([...worst.values()])}\n`)
  }
  process.stdout.write(`Not 200: ${JSON.stringify(Object.fromEntries(refused))}\n`)
  return [...worst.values()].sort((left, right) => perByte(right) - perByte(left))
}

/** The slowest requests so far, in case a long search is interrupted. */
const progress = (found: readonly Measured[]): string =>
  [perByte, ({ waitMs }: Measured) => waitMs]
    .map((cost) => found.reduce((worst, other) => (cost(other) > cost(worst) ? other : worst)))
    .map(line)
    .join('\n')

const line = ({ request, bytes, status, waitMs, ms }: Measured): string => {
  const { target, body = '' } = asHttp(request)
  const text = `${target} ${body}`
  const figures = [
    `others wait ${waitMs.toFixed(1)} ms`,
    `answered in ${ms.toFixed(0)} ms`,
    `${bytes} bytes`,
    `status ${status}`,
  ]
  return `${((waitMs * 1_000) / bytes).toFixed(1)} µs a byte: ${figures.join(', ')}\n  ${text.slice(0, 400)}`
}

/** Tries `count` requests and prints the slowest per byte and the slowest overall. */
export async function findCosts(count: number, seed: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'daybook-cost-'))
  try {
    const { file, world } = await copyOfWorld(SIZE, folder)
    const data = await openDataset(file)
    const found = await slowest(count, seed, data, world)
    const byTime = found.toSorted((left, right) => right.waitMs - left.waitMs)
    process.stdout.write(`The slowest for each byte:\n${found.slice(0, SHOWN).map(line).join('\n')}\n\n`)
    process.stdout.write(`The slowest of all:\n${byTime.slice(0, SHOWN).map(line).join('\n')}\n`)
    data.close()
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
