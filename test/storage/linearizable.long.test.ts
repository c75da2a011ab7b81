import { afterAll, beforeAll, expect, test } from 'bun:test'
import { RANDOM_CASES_MS, runs } from '../support/counts.ts'
import {
  acknowledging,
  committing,
  NO_EVENTS,
  type Pulled,
  pageFits,
  readPulled,
} from '../support/event-oracles.ts'
import {
  contradictionIn,
  type HistoryOptions,
  isLinearizable,
  type Operation,
} from '../support/linearizability.ts'
import { newFolder, type ServerProcess, startProcess } from '../support/process.ts'
import { randomSource } from '../support/random.ts'
import { declare, write } from '../support/records.ts'
import type { Answer } from '../support/service.ts'

/*
 * Clients of one server, each with its own connection, send the same few requests at once. All their responses,
 * successes and refusals, must fit one order of all calls.
 */

const HISTORIES = runs(6, 200)
const MANY_ROWS = 12_000
const BATCH = 500

let folder: ReturnType<typeof newFolder>
let file: string
let server: ServerProcess
let nameCount = 0

/** A name that no other history uses. */
const newName = () => {
  nameCount += 1
  return `Name${nameCount}`
}

const start = async (key?: string) => {
  server = await startProcess(file, { args: ['--log-level', 'warn'], ...(key && { key }) })
}

beforeAll(async () => {
  folder = newFolder()
  file = folder.file('daybook.db')
  await start()
})
afterAll(async () => {
  await server.end()
  folder.remove()
})

type Model<State> = Omit<HistoryOptions<State>, 'seed'>

/** `make` prepares the objects of one history. */
async function expectLinearizable<State>(
  make: (seed: number) => Promise<Model<State>>,
  beside: () => Promise<void> = async () => {},
  histories = HISTORIES,
): Promise<void> {
  for (let seed = 1; seed <= histories; seed++) {
    const model = await make(seed)
    const [contradiction] = await Promise.all([contradictionIn({ ...model, seed }), beside()])
    expect(contradiction).toBe('')
  }
}

/** An operation whose response alone determines the state before it. */
const operation = <State>(
  text: string,
  send: () => Promise<Answer>,
  after: Operation<State>['after'],
): Operation<State> => ({ text, send, after })

const at = (path: string, query: Record<string, string>) => `${path}?${new URLSearchParams(query)}`
const eq = (field: string, value: string) => JSON.stringify([{ field, op: 'eq', value }])

/* Changes on the condition that the object has not changed since. */

interface Versioned {
  readonly text: string
  /** Unknown after a change without a response. */
  readonly version: string | null
}

/** Sends a change on the condition that the object has this version. */
type Patch = (path: string, change: object, version: string) => Promise<Answer>

const ifUnchanged: Patch = (path, change, version) => server.patch(path, { ...change, if_unchanged: version })

/** The same by the entity tag, which only a read returns. */
const ifMatch: Patch = async (path, change, version) => {
  const { headers, body } = await server.get(path)
  const tag = body.record.updated_at === version ? (headers.get('etag') ?? '') : '"stale"'
  const answer = await server.request('PATCH', path, change, { 'If-Match': tag })
  return answer.status === 412 ? { ...answer, status: 409 } : answer
}

/** Reads and conditional changes of one object. */
function conditional(
  path: string,
  change: (text: string) => object,
  read: (body: Answer['body']) => { text: string; version: string },
  first: Versioned,
  patch = ifUnchanged,
): Model<Versioned> {
  const isNow = (state: Versioned, version: string) => state.version === null || state.version === version
  return {
    initial: first,
    client: (random, name) => {
      let known = first.version ?? ''
      let count = 0
      const learn = async (answer: Promise<Answer>) => {
        const { status, body } = await answer
        if (status === 200) known = read(body).version
        return { ...(await answer), status, body }
      }
      return () => {
        if (random(5) < 2)
          return operation(
            'read',
            () => learn(server.get(path)),
            (answer, state) => {
              if (!answer) return state
              const { text, version } = read(answer.body)
              return state.text === text && isNow(state, version) ? { text, version } : undefined
            },
          )
        count += 1
        const text = `${name}.${count}`
        const condition = known
        const send = () => learn(patch(path, change(text), condition))
        return operation(`change to ${text} if ${condition}`, send, (answer, state) => {
          if (answer?.status === 409) return state.version === condition ? undefined : state
          const version = answer ? read(answer.body).version : null
          return isNow(state, condition) ? { text, version } : undefined
        })
      }
    },
  }
}

async function conditionalNote() {
  const { note } = (await server.post('/v1/notes', { title: 'A', content: 'first' })).body
  return conditional(
    `/v1/notes/${note.id}`,
    (content) => ({ content }),
    (body) => ({ text: body.note.content, version: body.note.updated_at }),
    { text: 'first', version: note.updated_at },
  )
}

async function oneRow() {
  const name = newName()
  await declare(server, name, [{ key: 'text', type: 'text' }])
  const [row] = await write(server, name, { text: 'first' })
  return row
}

async function conditionalRow(patch?: Patch) {
  const row = await oneRow()
  return conditional(
    `/v1/records/${row.id}`,
    (text) => ({ data: { text } }),
    (body) => ({ text: body.record.data.text, version: body.record.updated_at }),
    { text: 'first', version: row.updated_at },
    patch,
  )
}

/** Two rows that batches and transactions change together. */
async function pairOfRows(): Promise<Model<string>> {
  const structure = newName()
  await declare(server, structure, [
    { key: 'key', type: 'text', unique: true },
    { key: 'text', type: 'text' },
  ])
  const rows = await write(server, structure, { key: 'a', text: 'first' }, { key: 'b', text: 'first' })
  const batch = (text: string) => {
    const both = ['a', 'b'].map((key) => ({ data: { key, text } }))
    return server.post('/v1/records', { structure, rows: both, on_conflict: 'update' })
  }
  const apply = (text: string) => {
    const change = { kind: 'record', op: 'updated', structure, data: { text } }
    return server.post('/v1/changes/apply', {
      changes: rows.map(({ id }: { id: string }) => ({ ...change, id })),
    })
  }
  const readBoth = () => server.get(at('/v1/records', { structure }))
  return {
    initial: 'first',
    client: (random, name) => {
      let count = 0
      return () => {
        if (random(5) < 2)
          return operation('read both', readBoth, (answer, state) => {
            const texts = answer?.body.records.map(({ data }: { data: { text: string } }) => data.text)
            return !answer || Bun.deepEquals(texts, [state, state]) ? state : undefined
          })
        count += 1
        const text = `${name}.${count}`
        const send = random(2) === 0 ? batch : apply
        return operation(
          `write both ${text}`,
          () => send(text),
          (answer) => (isRefused(answer) ? undefined : text),
        )
      }
    },
  }
}

test('conditional changes of a note', () => expectLinearizable(conditionalNote), RANDOM_CASES_MS)
test('conditional changes of a row', () => expectLinearizable(() => conditionalRow()), RANDOM_CASES_MS)
test('changes of a row by its tag', () => expectLinearizable(() => conditionalRow(ifMatch)), RANDOM_CASES_MS)
test('batches and applied changes of two rows', () => expectLinearizable(pairOfRows), RANDOM_CASES_MS)

test(
  'changes while the server is killed and started again',
  async () => {
    await expectLinearizable(conditionalNote, killOnce(), runs(2, 170))
    await expectLinearizable(() => conditionalRow(), killOnce(), runs(2, 170))
    await expectLinearizable(pairOfRows, killOnce(), runs(2, 170))
  },
  RANDOM_CASES_MS,
)

/** Kills the server during the calls and starts it again. */
function killOnce(): () => Promise<void> {
  const { key = '' } = server
  return async () => {
    await Bun.sleep(30)
    await server.end('SIGKILL')
    await start(key)
  }
}

/* Events that are pulled. */

const isRefused = (answer: Answer | undefined): boolean => answer !== undefined && answer.status >= 300

/** Writes rows, reads their events from any position, and acknowledges events that were read. */
async function pulledEvents(): Promise<Model<Pulled>> {
  const structure = newName()
  await declare(server, structure, [{ key: 'mark', type: 'text' }])
  const subscription = { structure, delivery: 'pull', ordered: true }
  const { webhook } = (await server.post('/v1/webhooks', subscription)).body
  return {
    initial: NO_EVENTS,
    client: (random, name) => {
      const cursors = new Map<string, string>()
      let count = 0
      return () => {
        const known = [...cursors.keys()][random(Math.max(1, cursors.size))]
        const choice = random(5)
        if (choice <= 1) {
          const mark = `${name}.${++count}`
          const body = { structure, data: { mark } }
          return operation(
            `write ${mark}`,
            () => server.post('/v1/records', body),
            (answer, state) => (isRefused(answer) ? undefined : committing(state, mark)),
          )
        }
        if (choice === 2 && known !== undefined) {
          const send = () =>
            server.post(`/v1/webhooks/${webhook.id}/events/ack`, { cursor: cursors.get(known) })
          return operation(`acknowledge ${known}`, send, (answer, state) =>
            isRefused(answer) ? undefined : acknowledging(state, known, answer?.body.pending),
          )
        }
        const [limit, after] = [1 + random(4), random(2) === 0 ? known : undefined]
        let page: Parameters<typeof pageFits>[1] | undefined
        const send = async () => {
          const answer = await readPulled(server, webhook.id, cursors, { limit, after })
          page = answer.page
          return answer
        }
        return operation(`read ${limit} after ${after}`, send, (_answer, state) =>
          !page || pageFits(state, page, limit, after) ? state : undefined,
        )
      }
    },
  }
}

test(
  'pulled events are read in commit order without gaps until they are acknowledged, also through kills',
  async () => {
    await expectLinearizable(pulledEvents)
    await expectLinearizable(pulledEvents, killOnce(), runs(3, 20))
  },
  RANDOM_CASES_MS,
)

/* Rules about the rows of a structure. */

const VALUES = ['a', 'b', 'c']

test(
  'unique values',
  () =>
    expectLinearizable<Record<string, string>>(async () => {
      const structure = newName()
      await declare(server, structure, [{ key: 'value', type: 'text', unique: true }])
      return {
        initial: {},
        client: (random) => {
          const own: string[] = []
          return () => {
            const value = VALUES[random(VALUES.length)] ?? ''
            const choice = random(4)
            const id = choice === 0 ? own.pop() : undefined
            if (id !== undefined)
              return operation(
                `delete ${id}`,
                () => server.delete(`/v1/records/${id}`),
                (answer, state) => {
                  const left = Object.entries(state).filter(([, holder]) => holder !== id)
                  return answer?.status === 200 && left.length < Object.keys(state).length
                    ? Object.fromEntries(left)
                    : undefined
                },
              )
            if (choice <= 1) {
              const path = at('/v1/records', { structure, filter: eq('value', value) })
              return operation(
                `list ${value}`,
                () => server.get(path),
                (answer, state) => (answer?.body.records[0]?.id === state[value] ? state : undefined),
              )
            }
            const send = async () => {
              const answer = await server.post('/v1/records', { structure, data: { value } })
              if (answer.status === 201) own.push(answer.body.records[0].id)
              return answer
            }
            return operation(`write ${value}`, send, (answer, state) => {
              const holder = state[value]
              if (answer?.status !== 201)
                return holder !== undefined && answer?.body.error.includes(holder) ? state : undefined
              return holder === undefined
                ? sorted({ ...state, [value]: answer.body.records[0].id })
                : undefined
            })
          }
        },
      }
    }),
  RANDOM_CASES_MS,
)

/** Returns the same JSON text for equal objects. */
const sorted = <Value>(object: Record<string, Value>): Record<string, Value> =>
  Object.fromEntries(Object.entries(object).sort(([left], [right]) => (left < right ? -1 : 1)))

test(
  'the most rows of a structure',
  () =>
    expectLinearizable<number>(async () => {
      const structure = newName()
      await declare(server, structure, [{ key: 'n', type: 'number' }], { max_rows: 3 })
      return {
        initial: 0,
        client: (random) => {
          const own: string[] = []
          return () => {
            const choice = random(4)
            const id = choice === 0 ? own.pop() : undefined
            if (id !== undefined)
              return operation(
                `delete ${id}`,
                () => server.delete(`/v1/records/${id}`),
                (_answer, count) => count - 1,
              )
            if (choice <= 1) {
              const path = at('/v1/records', { structure, limit: '1' })
              return operation(
                'count',
                () => server.get(path),
                (answer, count) => (answer?.body.total === count ? count : undefined),
              )
            }
            const send = async () => {
              const answer = await server.post('/v1/records', { structure, data: { n: 1 } })
              if (answer.status === 201) own.push(answer.body.records[0].id)
              return answer
            }
            return operation('write', send, (answer, count) => {
              const isFull = answer?.body.code === 'max_rows_reached'
              if (isFull !== (count === 3)) return undefined
              return isFull ? count : count + 1
            })
          }
        },
      }
    }),
  RANDOM_CASES_MS,
)

test(
  'rows that are updated where they exist',
  () =>
    expectLinearizable<Record<string, { id: string; n: number }>>(async () => {
      const structure = newName()
      const fields = [
        { key: 'value', type: 'text', unique: true },
        { key: 'n', type: 'number' },
      ]
      await declare(server, structure, fields)
      return {
        initial: {},
        client: (random) => () => {
          const value = VALUES[random(VALUES.length)] ?? ''
          if (random(3) === 0) {
            const path = at('/v1/records', { structure, filter: eq('value', value) })
            return operation(
              `list ${value}`,
              () => server.get(path),
              (answer, state) => {
                const [row] = answer?.body.records ?? []
                const isSame = row?.id === state[value]?.id && row?.data.n === state[value]?.n
                return isSame ? state : undefined
              },
            )
          }
          const n = random(1_000_000)
          const body = { structure, data: { value, n }, on_conflict: 'update' }
          return operation(
            `write ${value} ${n}`,
            () => server.post('/v1/records', body),
            (answer, state) => {
              const { records, inserted } = answer?.body ?? {}
              const id = records[0].id
              const fits = inserted === 1 ? state[value] === undefined : state[value]?.id === id
              return fits ? sorted({ ...state, [value]: { id, n } }) : undefined
            },
          )
        },
      }
    }),
  RANDOM_CASES_MS,
)

test(
  'idempotency keys',
  () =>
    expectLinearizable<Record<string, { title: string; id: string }>>(async (seed) => ({
      initial: {},
      client: (random) => () => {
        const key = `${seed} ${random(3)}`
        const title = VALUES[random(2)] ?? ''
        const send = () => server.request('POST', '/v1/notes', { title }, { 'Idempotency-Key': key })
        return operation(`create ${title} with ${key}`, send, (answer, state) => {
          const saved = state[key]
          if (answer?.status !== 201) return saved && saved.title !== title ? state : undefined
          const { id } = answer.body.note
          if (answer.headers.has('Idempotent-Replayed'))
            return saved?.title === title && saved.id === id ? state : undefined
          return saved === undefined ? sorted({ ...state, [key]: { title, id } }) : undefined
        })
      },
    })),
  RANDOM_CASES_MS,
)

/* Numbers that are counted, cached, or read in other threads. */

test(
  'the total and the summary of many rows',
  async () => {
    const structure = newName()
    await declare(server, structure, [{ key: 'n', type: 'number' }])
    for (let count = 0; count < MANY_ROWS; count += BATCH)
      await write(server, structure, ...Array.from({ length: BATCH }, () => ({ n: 1 })))
    const positive = JSON.stringify([{ field: 'n', op: 'gt', value: 0 }])
    const total = at('/v1/records', { structure, filter: positive, limit: '1' })
    const summary = at('/v1/records/summary', { structure, field: 'n' })
    await expectLinearizable<{ count: number; sum: number }>(async () => {
      const [{ count, sum }] = (await server.get(summary)).body.buckets
      return {
        initial: { count, sum },
        client: (random) => {
          const own: { id: string; n: number }[] = []
          return () => {
            const choice = random(6)
            const row = choice === 0 ? own.pop() : undefined
            if (row)
              return operation(
                `delete ${row.n}`,
                () => server.delete(`/v1/records/${row.id}`),
                (_answer, state) => ({
                  count: state.count - 1,
                  sum: state.sum - row.n,
                }),
              )
            if (choice <= 1)
              return operation(
                'total',
                () => server.get(total),
                (answer, state) => (answer?.body.total === state.count ? state : undefined),
              )
            if (choice <= 3)
              return operation(
                'summary',
                () => server.get(summary),
                (answer, state) => {
                  const [bucket] = answer?.body.buckets ?? []
                  return bucket.count === state.count && bucket.sum === state.sum ? state : undefined
                },
              )
            const n = 1 + random(1_000)
            const send = async () => {
              const answer = await server.post('/v1/records', { structure, data: { n } })
              own.push({ id: answer.body.records[0].id, n })
              return answer
            }
            return operation(`write ${n}`, send, (_answer, state) => ({
              count: state.count + 1,
              sum: state.sum + n,
            }))
          }
        },
      }
    })
  },
  RANDOM_CASES_MS,
)

test(
  'the totals of a tag and a tree of notes',
  () =>
    expectLinearizable<number>(async () => {
      const word = newName().toLowerCase()
      const filter = { type: 'field', field: 'title', op: 'eq', value: word }
      const tree = { filter: { type: 'group', match: 'all', children: [filter] }, limit: 1 }
      // A tag must exist before it can be queried.
      const { note } = (await server.post('/v1/notes', { title: word, content: word, tags: [word] })).body
      await server.delete(`/v1/notes/${note.id}`)
      const reads = [
        () => server.get(at('/v1/notes', { tag: word, limit: '1' })),
        () => server.post('/v1/notes/query', tree),
      ]
      return {
        initial: 0,
        client: (random) => {
          const own: string[] = []
          return () => {
            const choice = random(6)
            const id = choice === 0 ? own.pop() : undefined
            if (id !== undefined)
              return operation(
                `delete ${id}`,
                () => server.delete(`/v1/notes/${id}`),
                (_answer, count) => count - 1,
              )
            const read = reads[choice]
            if (read)
              return operation(`total ${choice}`, read, (answer, count) =>
                answer?.body.total === count ? count : undefined,
              )
            const send = async () => {
              const answer = await server.post('/v1/notes', { title: word, content: word, tags: [word] })
              own.push(answer.body.note.id)
              return answer
            }
            return operation('create', send, (_answer, count) => count + 1)
          }
        },
      }
    }),
  RANDOM_CASES_MS,
)

/*
 * A search indexes earlier writes, then reads the newest state. It may see a deletion and miss a note created before
 * that deletion, while the search ran.
 */
test(
  'a search counts the notes that were there all the time, and none that was never there while it ran',
  async () => {
    for (let seed = 1; seed <= HISTORIES; seed++) {
      const word = newName().toLowerCase()
      const [created, deleted, searches]: Span[][] = [[], [], []]
      const timed = async (spans: Span[] = [], send: () => Promise<Answer>) => {
        const begin = performance.now()
        const { body } = await send()
        spans.push({ begin, end: performance.now(), total: body.total })
        return body
      }
      const runClient = async (number: number) => {
        const random = randomSource(seed * 7_919 + number * 104_729)
        const own: string[] = []
        for (let count = 0; count < 10; count++) {
          const choice = random(5)
          const id = choice === 0 ? own.pop() : undefined
          if (id !== undefined) await timed(deleted, () => server.delete(`/v1/notes/${id}`))
          else if (choice <= 2)
            await timed(searches, () => server.get(at('/v1/notes', { search: word, limit: '1' })))
          else own.push((await timed(created, () => server.post('/v1/notes', { title: word }))).note.id)
        }
      }
      await Promise.all([0, 1, 2, 3, 4].map(runClient))
      const before = (spans: Span[] = [], { begin }: Span) => spans.filter(({ end }) => end < begin).length
      const begun = (spans: Span[] = [], { end }: Span) => spans.filter(({ begin }) => begin < end).length
      for (const search of searches ?? []) {
        expect(search.total).toBeGreaterThanOrEqual(before(created, search) - begun(deleted, search))
        expect(search.total).toBeLessThanOrEqual(begun(created, search) - before(deleted, search))
      }
    }
  },
  RANDOM_CASES_MS,
)

interface Span {
  readonly begin: number
  readonly end: number
  readonly total: number
}

/* Undo. */

interface Undoable {
  readonly text: string
  /** The text before the last change. */
  readonly before: string
  /** Whether a change was undone: then a text may occur twice. */
  readonly isUndone: boolean
}

test(
  'undo beside changes and reads',
  () =>
    expectLinearizable<Undoable>(async () => {
      const { id } = await oneRow()
      const path = `/v1/records/${id}`
      await server.patch(path, { data: { text: 'second' } })
      return {
        initial: { text: 'second', before: 'first', isUndone: false },
        client: (random, name) => {
          let count = 0
          return () => {
            const choice = random(3)
            if (choice === 0)
              return operation(
                'read',
                () => server.get(path),
                (answer, state) => (answer?.body.record.data.text === state.text ? state : undefined),
              )
            if (choice === 1) {
              let before: string | undefined
              const send = async () => {
                const [newest] = (await server.get('/v1/changes?before=now&limit=1')).body.changes
                before = newest.previous.text
                return server.post('/v1/changes/undo', { transaction: newest.transaction })
              }
              return operation('undo', send, (answer, { text, before: last, isUndone }) => {
                if (answer?.status !== 200)
                  return last !== before || isUndone ? { text, before: last, isUndone } : undefined
                return last === before ? { text: last, before: text, isUndone: true } : undefined
              })
            }
            count += 1
            const text = `${name}.${count}`
            return operation(
              `change to ${text}`,
              () => server.patch(path, { data: { text } }),
              (_answer, state) => ({
                ...state,
                text,
                before: state.text,
              }),
            )
          }
        },
      }
    }),
  RANDOM_CASES_MS,
)

test('the search finds a contradiction, and allows for calls without a response', () => {
  const write1 = { begin: 1, end: 4, text: '', apply: () => 1 }
  const read = (begin: number, value: number) => ({
    begin,
    end: begin + 1,
    text: '',
    apply: (state: number) => (state === value ? state : undefined),
  })
  expect(isLinearizable([write1, read(2, 0), read(5, 1)], 0)).toBe(true)
  expect(isLinearizable([write1, read(5, 0)], 0)).toBe(false)
  expect(isLinearizable([write1, read(2, 1), read(3.5, 0)], 0)).toBe(false)
  const unanswered = { ...write1, end: Number.POSITIVE_INFINITY }
  expect(isLinearizable([unanswered, read(5, 0), read(7, 1)], 0)).toBe(true)
  expect(isLinearizable([unanswered, read(5, 1), read(7, 0)], 0)).toBe(false)
})
