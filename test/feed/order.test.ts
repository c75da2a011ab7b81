import { afterAll, beforeAll, expect, test } from 'bun:test'
import { RANDOM_CASES_MS, runs } from '../support/counts.ts'
import { daybook, newFolder, type ServerProcess, startProcess } from '../support/process.ts'
import { declare } from '../support/records.ts'

const WRITERS = 64
const WRITES = runs(5, 100)
const COMMANDS = runs(2, 20)
const LINES = 20
const READERS = 4
const CHANGES = WRITERS * WRITES + COMMANDS * LINES

let folder: ReturnType<typeof newFolder>
let server: ServerProcess

beforeAll(async () => {
  folder = newFolder()
  server = await startProcess(folder.file('order.db'))
  await declare(server, 'Rows', [{ key: 'n', type: 'number' }])
})
afterAll(async () => {
  await server.end()
  folder.remove()
})

/** Adds rows to the same file from another process. */
async function addBeside(): Promise<void> {
  const input = Array.from({ length: LINES }, (_, n) => `{"n":${n}}\n`).join('')
  for (let at = 0; at < COMMANDS; at++) {
    const { exitCode, err } = await daybook(
      ['records', 'add', 'Rows', '-', '--db', folder.file('order.db')],
      {
        input,
      },
    )
    expect([exitCode, err]).toEqual([0, expect.any(String)])
  }
}

/** Reads page after page without a pause, until `isAtEnd` of the last page; returns the cursors of the changes. */
async function read(
  after: string,
  limit: number,
  isAtEnd: (cursor: string, changes: number) => boolean,
): Promise<string[]> {
  const seen: string[] = []
  for (let cursor = after; ; ) {
    const { status, body } = await server.get(`/v1/changes?after=${cursor}&limit=${limit}`)
    expect(status).toBe(200)
    seen.push(...body.changes.map((change: { cursor: string }) => change.cursor))
    cursor = body.cursor
    if (isAtEnd(cursor, body.changes.length)) return seen
  }
}

test(
  'no change appears before an issued cursor, beside 64 writers and another process',
  async () => {
    const { cursor: start } = (await server.get('/v1/changes?after=now')).body
    let end: string | undefined
    const reading = Array.from({ length: READERS }, (_, at) =>
      read(start, 1 + at * 30, (cursor) => cursor === end),
    )
    const writing = Array.from({ length: WRITERS }, async (_, writer) => {
      for (let n = 0; n < WRITES; n++)
        expect((await server.post('/v1/records', { structure: 'Rows', data: { n: writer } })).status).toBe(
          201,
        )
    })
    await Promise.all([...writing, addBeside()])
    // Writes of another process may become visible a moment later.
    let all: string[] = []
    while (all.length < CHANGES) all = await read(start, 1_000, (_, changes) => changes === 0)
    end = all.at(-1)
    const seen = await Promise.all(reading)
    expect([new Set(all).size, all.length]).toEqual([CHANGES, CHANGES])
    for (const cursors of seen) expect(cursors).toEqual(all)
  },
  RANDOM_CASES_MS,
)
