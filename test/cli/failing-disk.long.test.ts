import { afterEach, beforeEach, expect, test } from 'bun:test'
import { pullableDisk } from '../support/disks.ts'
import { daybook, newFolder, type ServerProcess, startProcess } from '../support/process.ts'

const FAILING =
  'The disk of this server fails (an I/O error); nothing was written. The operator must check the disk.'
const STOPS =
  'The disk of this server failed, so it refuses writes and is shutting down. The operator must check the disk and start the server again.'
const UNCERTAIN =
  'The disk of this server failed while this was saved, so it may be lost. Read it again before you send it again.'
/** Messages about another cause, or advice that would lose the data on the disk. */
const WRONG = /damaged:|malformed|restore|replaced|removed|shutting down|full/i

const tried = pullableDisk()
tried?.remove()

let server: ServerProcess
let folder: ReturnType<typeof newFolder>

beforeEach(() => {
  folder = newFolder()
})

afterEach(async () => {
  await server.end('SIGKILL')
  folder.remove()
})

const note = (title: string) => server.post('/v1/notes', { title, content: 'word '.repeat(500) })

/** Writes and reads until the server is gone, while the disk fails. */
async function useUntilExit(fail: () => void) {
  const acknowledged: string[] = []
  const sentences = new Set<string>()
  let isGone = false
  let hasFailed = false
  const use = async (who: number): Promise<void> => {
    for (let count = 0; !isGone; count++) {
      const title = `${who} ${count}`
      const requests = [note(title), server.get('/v1/notes?search=word&limit=200'), server.get('/healthz')]
      const responses = await Promise.all(requests).catch(() => [])
      if (responses[0]?.status === 201) acknowledged.push(title)
      for (const { status, body } of responses) if (status >= 400) sentences.add(`${status} ${body.error}`)
      if (acknowledged.length < 100 || hasFailed) continue
      hasFailed = true
      fail()
    }
  }
  const users = [1, 2, 3].map(use)
  const exitCode = await server.exited
  isGone = true
  await Promise.all(users)
  return { acknowledged, sentences: [...sentences], exitCode }
}

async function expectMessages(fail: () => void): Promise<string[]> {
  const { acknowledged, sentences, exitCode } = await useUntilExit(fail)
  expect(exitCode).toBe(1)
  expect(sentences).not.toBeEmpty()
  for (const sentence of sentences)
    expect([FAILING, STOPS, UNCERTAIN].map((said) => `503 ${said}`)).toContain(sentence)
  const log = server.err().slice(server.err().indexOf('"started"'))
  expect(log).not.toMatch(WRONG)
  expect(log).toMatch(/all writes are refused.*"error":"EIO/)
  expect(log).toMatch(
    /\nThe disk of the database .* failed \(EIO.*\); nothing was acknowledged since\. Check the disk, run "daybook check", and start the server again\.\n$/,
  )
  return acknowledged
}

async function expectStored(db: string, acknowledged: readonly string[]): Promise<void> {
  expect(await daybook(['check', '--db', db])).toEqual({ exitCode: 0, out: 'ok\n', err: '' })
  server = await startProcess(db, { key: server.key })
  const kept = new Set<string>()
  for (let hasMore = true; hasMore; ) {
    const { body } = await server.get(`/v1/notes?limit=200&offset=${kept.size}`)
    for (const { title } of body.notes) kept.add(title)
    hasMore = body.has_more
  }
  expect(acknowledged.filter((title) => !kept.has(title))).toEqual([])
}

test.each([
  ['reads nor writes', 'EIO: read write sync'],
  ['reads', 'EIO: read'],
  ['syncs', 'EIO: sync'],
])(
  'a disk that no longer %s is an I/O error in responses, log and exit message, and loses no acknowledged data',
  async (_what, calls) => {
    const db = folder.file('daybook.db')
    const preload = Bun.fileURLToPath(new URL('../support/failing-disk.ts', import.meta.url))
    server = await startProcess(db, { env: { BUN_OPTIONS: `--preload=${preload}`, FAILING_DISK: calls } })
    const acknowledged = await expectMessages(() => process.kill(server.pid, 'SIGUSR2'))
    await expectStored(db, acknowledged)
  },
)

test.skipIf(!tried)('a file system shut down under load is an I/O error too, also for commands', async () => {
  const disk = pullableDisk() as NonNullable<typeof tried>
  try {
    const db = disk.file('daybook.db')
    server = await startProcess(db)
    const acknowledged = await expectMessages(() => disk.pull())
    for (const command of [['check'], ['keys', 'list'], ['doctor'], ['serve', '--port', '0']]) {
      const { exitCode, out, err } = await daybook([...command, '--db', db])
      expect([exitCode, out, err]).toEqual([
        1,
        '',
        `The disk of the database ${db} fails (an I/O error); check the disk. The database need not be damaged.\n`,
      ])
    }
    disk.plugInAgain()
    await expectStored(db, acknowledged)
    await server.end()
  } finally {
    disk.remove()
  }
})
