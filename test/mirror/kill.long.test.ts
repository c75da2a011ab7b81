import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import { runs } from '../support/counts.ts'
import { type MirrorProcess, startMirror, verifyMirror } from '../support/mirror-process.ts'
import { daybook, newFolder, type ServerProcess, startProcess } from '../support/process.ts'

/*
 * A real remote and a real mirror, with a proxy between them whose connections are cut, and both killed while the
 * remote is written. After each pause the copy is the remote, and no reader of the copy ever saw half a transaction.
 */

const ROUNDS = runs(4, 40)
const BATCH = 40

interface Proxy {
  readonly url: string
  target: number
  cut(): void
  close(): void
}

async function startProxy(): Promise<Proxy> {
  const sockets = new Set<Socket>()
  const proxy = { target: 0 }
  const server: Server = createServer((client) => {
    const remote = connect(proxy.target, '127.0.0.1')
    for (const [one, other] of [
      [client, remote],
      [remote, client],
    ] as const) {
      sockets.add(one)
      one.on('error', () => other.destroy())
      one.on('close', () => {
        sockets.delete(one)
        other.destroy()
      })
      one.pipe(other)
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  return {
    url: `http://127.0.0.1:${port}`,
    get target() {
      return proxy.target
    },
    set target(value) {
      proxy.target = value
    },
    cut: () => {
      for (const socket of sockets) socket.destroy()
    },
    close: () => {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}

const folder = newFolder()
let remote: ServerProcess
let mirror: MirrorProcess
let proxy: Proxy
let ownKey: string

const portOf = (url: string) => Number(new URL(url).port)

async function startRemote(): Promise<void> {
  remote = await startProcess(folder.file('remote.db'), remote && { key: remote.key ?? '' })
  proxy.target = portOf(remote.url)
}

async function startCopy(): Promise<void> {
  const options = { file: folder.file('mirror.db'), remote: proxy.url, key: remote.key ?? '' }
  mirror = await startMirror({ ...options, ...(mirror && { ownKey }) })
  ownKey = mirror.key ?? ''
}

beforeAll(async () => {
  proxy = await startProxy()
  await startRemote()
  await remote.post('/v1/records/structures', {
    name: 'Rows',
    fields: [
      { key: 'name', type: 'text', unique: true },
      { key: 'n', type: 'number' },
    ],
  })
  await remote.post('/v1/properties', { key: 'state', type: 'text' })
  await startCopy()
}, 60_000)

afterAll(async () => {
  await mirror.end()
  await remote.end()
  proxy.close()
  folder.remove()
})

let written = 0

/** Batches of rows, each one transaction, notes, and values that move between rows. */
async function write(): Promise<void> {
  const number = ++written
  const rows = Array.from({ length: BATCH }, (_, at) => ({ data: { name: `${number}-${at}`, n: number } }))
  await remote.post('/v1/records', { structure: 'Rows', rows })
  await remote.post('/v1/notes', {
    title: `n${number}`,
    tags: [`t${number % 3}`],
    properties: { state: 'x' },
  })
  if (number % 3 === 0) {
    const { records } = (await remote.get('/v1/records?structure=Rows&limit=2')).body
    for (const [at, { id }] of (records as { id: string }[]).entries())
      await remote.patch(`/v1/records/${id}`, { data: { name: `moved ${number} ${at}` } })
  }
}

/** Looks at the copy again and again: whole batches, always. */
async function watchCopy(until: { isOver: boolean }): Promise<number> {
  let looks = 0
  while (!until.isOver) {
    const answer = await mirror.get('/v1/records?structure=Rows&limit=1').catch(() => undefined)
    if (answer?.status === 200) {
      expect(answer.body.total % BATCH).toBe(0)
      looks += 1
    }
    await new Promise((resolve) => setImmediate(resolve))
  }
  return looks
}

/** An exported folder as one text; a copy has disabled subscriptions, of which there are none here. */
async function exportOf(file: string, name: string): Promise<string> {
  const target = folder.file(name)
  const { exitCode, err } = await daybook(['export', target, '--db', file])
  expect([exitCode, err]).toEqual([0, expect.anything()])
  const files = (readdirSync(target, { recursive: true }) as string[])
    .filter((path) => statSync(join(target, path)).isFile())
    .sort()
  return files.map((path) => `${path}\n${readFileSync(join(target, path), 'latin1')}`).join('\n')
}

const FAULTS = [
  async () => proxy.cut(),
  async () => {
    await mirror.end('SIGKILL')
    await startCopy()
  },
  async () => {
    await remote.end('SIGKILL')
    await startRemote()
  },
]

test(
  'a copy is the remote after connections were cut and both were killed',
  async () => {
    let looks = 0
    for (let round = 0; round < ROUNDS; round++) {
      const until = { isOver: false }
      const looking = watchCopy(until)
      const writing = (async () => {
        for (let count = 0; count < 12; count++) await write().catch(() => {})
      })()
      await FAULTS[round % FAULTS.length]?.()
      await writing
      until.isOver = true
      looks += await looking
      const { exitCode, text } = await verifyMirror(folder.file('mirror.db'), remote.key ?? '')
      expect([exitCode, text]).toEqual([0, expect.stringContaining('identical')])
    }
    expect(looks).toBeGreaterThan(0)
    const [original, copy] = [
      await exportOf(folder.file('remote.db'), 'original'),
      await exportOf(folder.file('mirror.db'), 'copy'),
    ]
    expect(copy).toBe(original)
  },
  runs(60_000, 600_000),
)
