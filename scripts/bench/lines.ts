import { median } from './measure.ts'
import { counted, type Goal, milliseconds, perSecond, type Row, rowOf } from './results.ts'
import { measureRate, processorTime, type Server, untilAtRest } from './servers.ts'

/*
 * Benchmarks of single requests, on data in its state after some time of use. Each declares its request; daybook and
 * the floor (`processes/floor.ts`) answer the same requests alternately. The measure is the processor time of a
 * request, until the last response and until the server is idle again. It depends least on other programs of the
 * machine. These can only add to it, so the minimum of several rounds counts.
 */

export interface Line {
  readonly what: string
  readonly clients: number
  /** The goal for the total processor time, in milliseconds. */
  readonly goal: Goal
  readonly minPerSecond?: number
  /** Returns the request with this number. */
  readonly request: (variant: Variant, at: number) => string
  /** The number of requests in a round. The default of 5,000 is more than the bench sends. */
  readonly requests?: number
  /** Whether each round repeats the requests of the previous one. */
  readonly isRepeated?: boolean
}

/** A server, and its objects that requests refer to. */
export interface Variant {
  readonly server: Server
  readonly key: string
  readonly rows: readonly string[]
  readonly notes: readonly string[]
}

/** The load generator replaces this with a different number of as many digits each time. */
export const NUMBER = '#########'

/** Returns the text of a request, with the body as JSON. */
export function requestText({ key }: Variant, method: string, path: string, body?: object): string {
  const text = body === undefined ? '' : JSON.stringify(body).replaceAll(`"${NUMBER}"`, NUMBER)
  const headers = [
    'Host: localhost',
    `Authorization: Bearer ${key}`,
    `Content-Length: ${Buffer.byteLength(text)}`,
  ]
  return [`${method} ${path} HTTP/1.1`, ...headers, '', text].join('\r\n')
}

interface Measured {
  readonly perSecond: number
  readonly beforeResponse: number
  readonly inAll: number
}

const ROUNDS = 3
const SECONDS = 1
const REQUESTS = 5_000

async function measure(variant: Variant, line: Line, round: number): Promise<Measured> {
  const { requests: length = REQUESTS } = line
  const from = line.isRepeated ? 0 : round * length
  const requests = Array.from({ length }, (_, at) => line.request(variant, from + at))
  const { server } = variant
  const before = processorTime(server)
  const { perSecond, count } = await measureRate(server, requests, line.clients, SECONDS)
  const responded = processorTime(server)
  await untilAtRest(server)
  return {
    perSecond,
    beforeResponse: (responded - before) / count,
    inAll: (processorTime(server) - before) / count,
  }
}

const least = (rounds: readonly Measured[], value: (one: Measured) => number) =>
  Math.min(...rounds.map(value))

function costOf(rounds: readonly Measured[]) {
  const inAll = least(rounds, (one) => one.inAll)
  const before = milliseconds(least(rounds, (one) => one.beforeResponse))
  const rate = median(rounds.map((one) => one.perSecond))
  return { inAll, rate, text: `${milliseconds(inAll)}, ${before} before the response, ${perSecond(rate)}` }
}

function compared(line: Line, ours: readonly Measured[], raw: readonly Measured[]): Row {
  const { what, clients, goal, minPerSecond } = line
  const [daybook, floor] = [costOf(ours), costOf(raw)]
  const row = rowOf({
    what: `${what}, ${counted(clients, 'client')}`,
    show: milliseconds,
    daybook: daybook.inAll,
    floor: floor.inAll,
    goal,
    text: { daybook: daybook.text, floor: floor.text },
  })
  if (minPerSecond === undefined) return row
  const met = row.met === true && daybook.rate >= minPerSecond
  return { ...row, goal: `${row.goal}, ≥ ${perSecond(minPerSecond)}`, met }
}

/** The first round is a warm-up and does not count. */
export async function measureLines(lines: readonly Line[], daybook: Variant, floor: Variant): Promise<Row[]> {
  const rows: Row[] = []
  for (const line of lines) {
    const [ours, raw]: [Measured[], Measured[]] = [[], []]
    for (let round = 0; round <= ROUNDS; round++) {
      ours.push(await measure(daybook, line, round))
      raw.push(await measure(floor, line, round))
    }
    rows.push(compared(line, ours.slice(1), raw.slice(1)))
  }
  return rows
}

export const LINES_REMARK =
  'Processor time of the server for a request, in all (until the server is at rest) and before the response, the least of three rounds, and the median rate. The floor is a bare `Bun.serve` with raw `bun:sqlite`, FULL, that answers the same requests on the same data, with five indexes and a text index. The ratio is that of the processor time in all.'
