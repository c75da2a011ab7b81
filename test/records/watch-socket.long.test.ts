import { afterEach, beforeEach, expect, test } from 'bun:test'
import { readdirSync, readlinkSync } from 'node:fs'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { EventSource } from 'eventsource'
import { CUT_OFF as REQUESTS_CUT_OFF } from '../../src/server.ts'
import { runInProcess } from '../support/cli.ts'
import { alter } from '../support/database.ts'
import { newFolder, type ServerProcess, startProcess } from '../support/process.ts'
import { declare, queryOf, write } from '../support/records.ts'
import { readWatch, type Watch } from '../support/watch.ts'

/* Behavior of real connections and processes only. These tests wait for events in real time. */

const FIELDS = [
  { key: 'name', type: 'text' },
  { key: 'size', type: 'number' },
]

let folder: ReturnType<typeof newFolder>
let db: string
let server: ServerProcess
let sockets: Socket[]
let structure: { id: string }

beforeEach(async () => {
  folder = newFolder()
  db = folder.file('daybook.db')
  sockets = []
  server = await startProcess(db)
  structure = await declare(server, 'Boxes', FIELDS)
})

afterEach(async () => {
  for (const socket of sockets) socket.destroy()
  await server.end('SIGKILL')
  folder.remove()
})

const pathOf = (more: Record<string, unknown>) =>
  `/v1/records/watch?${queryOf({ structure: 'Boxes', ...more })}`

async function open(more: Record<string, unknown> = {}, key = server.key): Promise<Watch> {
  const headers = { authorization: `Bearer ${key}` }
  const opened = readWatch(await fetch(`${server.url}${pathOf(more)}`, { headers }))
  await opened.opened()
  return opened
}

/** Opens a separate connection with a watch; the test decides whether and when it reads. */
async function openSocket(more: Record<string, unknown>): Promise<Socket> {
  const { hostname, port } = new URL(server.url)
  const socket = connect(Number(port), hostname)
  sockets.push(socket)
  socket.on('error', () => {})
  await new Promise<void>((resolve) => socket.once('connect', () => resolve()))
  socket.write(`GET ${pathOf(more)} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${server.key}\r\n\r\n`)
  return socket
}

/** Polls until the condition holds; the time limit of the test applies. */
async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await Bun.sleep(10)
}

test('a write and a revocation by the command line arrive', async () => {
  const { out } = await runInProcess(['keys', 'create', '--name', 'lent', '--json', '--db', db])
  const { id, key } = JSON.parse(out)
  const opened = await open({}, server.key)
  const lent = await open({}, key)
  await opened.event('answer')
  await lent.event('answer')
  expect((await runInProcess(['keys', 'revoke', id, '--db', db])).exitCode).toBe(0)
  expect(await lent.event('closed')).toMatchObject({ code: 'key_revoked' })
  expect(await lent.next()).toBeUndefined()
  await alter(db, "UPDATE structures SET name = 'Cartons', updated_at = updated_at + 1")
  expect((await opened.event('answer')).structure.name).toBe('Cartons')
  expect((await runInProcess(['structures', 'delete', structure.id, '--yes', '--db', db])).exitCode).toBe(0)
  expect(await opened.event('closed')).toMatchObject({ code: 'structure_deleted' })
  expect(await opened.next()).toBeUndefined()
})

/** Reads a stream to its end when the service closes it; returns its last item. */
async function readToEnd(opened: Watch) {
  let last = await opened.next()
  for (let next = await opened.next(); next; next = await opened.next()) last = next
  return last
}

const SHUTTING_DOWN = { event: 'closed', data: { error: expect.any(String), code: 'shutting_down' } }

test('a reader that stops reading has one second to receive it', async () => {
  const still = await openSocket({ limit: 500 })
  still.pause()
  await fill(3)
  const opened = await open()
  const ended = server.end('SIGTERM')
  expect(await readToEnd(opened)).toEqual(SHUTTING_DOWN)
  expect(await ended).toBe(0)
  expect(server.err()).not.toContain(REQUESTS_CUT_OFF)
})

/** About a megabyte. */
const bigRows = (size: number) => Array.from({ length: 10 }, () => ({ name: 'x'.repeat(100_000), size }))

/** Creates this many answers of about a megabyte, each sent separately. */
async function fill(answers: number): Promise<void> {
  const reading = await open({ limit: 500, sort: 'updated_at' })
  await reading.event('answer')
  for (let at = 0; at < answers; at++) {
    await write(server, 'Boxes', ...bigRows(at))
    await reading.event('answer')
  }
  await reading.leave()
}

/** Whether the server still has its end of the connection open. */
async function isHeld(socket: Socket): Promise<boolean> {
  const port = (socket.localPort ?? 0).toString(16).toUpperCase().padStart(4, '0')
  const connections = (await Bun.file('/proc/net/tcp').text())
    .split('\n')
    .map((line) => line.trim().split(/ +/))
  return connections.some(([, , remote, state]) => remote?.endsWith(`:${port}`) && state === '01')
}

/** The log message for a disconnected reader. */
const CUT_OFF = 'a stream was closed because its client stalled'

test('a reader that stops reading is disconnected, and others receive everything meanwhile', async () => {
  const still = await openSocket({ limit: 20 })
  still.pause()
  const opened = await open({ limit: 1, changes: true, sort: 'size' })
  await opened.event('answer')
  let rounds = 0
  for (let round = 1; !server.err().includes(CUT_OFF); round++) {
    expect(round).toBeLessThan(30)
    await write(server, 'Boxes', ...bigRows(round))
    expect((await opened.event('answer')).records[0].data.size).toBe(round)
    rounds = round
  }
  expect(rounds).toBeGreaterThan(1)
  await until(async () => !(await isHeld(still)))
  expect((await server.get('/v1/me')).status).toBe(200)
}, 60_000)

test('a reader that is only slow receives everything in order', async () => {
  for (let batch = 0; batch < 8; batch++) await write(server, 'Boxes', ...bigRows(0))
  const slow = await openSocket({ limit: 80, sort: 'size' })
  slow.pause()
  const opened = await open({ limit: 80, sort: 'size' })
  await opened.event('answer')
  for (const count of [80, 1, 1]) {
    await write(server, 'Boxes', ...Array.from({ length: count }, () => ({ name: 'small', size: 1 })))
    await opened.event('answer')
  }
  let text = ''
  slow.on('data', (chunk) => {
    text += chunk.toString('latin1')
  })
  slow.resume()
  await until(() => text.split('"total":').length > 4)
  expect([...text.matchAll(/"total":(\d+)/g)].map(([, total]) => Number(total))).toEqual([80, 160, 161, 162])
}, 60_000)

/** The number of open sockets of a process. Files are left out: a reader thread opens some at any moment. */
function socketsOf(pid: number): number {
  const isSocket = (name: string) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${name}`).startsWith('socket:')
    } catch {
      // It was closed meanwhile.
      return false
    }
  }
  return readdirSync(`/proc/${pid}/fd`).filter(isSocket).length
}

test('a client that vanishes leaves no connection behind', async () => {
  const connections = () => socketsOf(server.pid)
  await open()
  const before = connections()
  for (let count = 0; count < 20; count++) {
    const socket = await openSocket({})
    await new Promise<void>((resolve) => socket.once('data', () => resolve()))
  }
  expect(connections()).toBe(before + 20)
  for (const socket of sockets) {
    socket.resetAndDestroy()
  }
  await until(() => connections() === before)
})

/** Starts a proxy between client and server that can break its connections. */
async function startProxy() {
  const { hostname, port } = new URL(server.url)
  const proxy = createServer((client) => {
    const upstream = connect(Number(port), hostname)
    sockets.push(client, upstream)
    for (const socket of [client, upstream]) socket.on('error', () => {})
    client.pipe(upstream).pipe(client)
    client.once('close', () => upstream.destroy())
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    breakConnections: () => sockets.splice(0).forEach((socket) => void socket.destroy()),
    close: () => proxy.close(),
  }
}

test('a browser client follows with its key in the query, and receives missed events', async () => {
  const { out } = await runInProcess(['keys', 'create', '--name', 'page', '--scope', 'read', '--db', db])
  const access_token = out.trim()
  const proxy = await startProxy()
  const source = new EventSource(`${proxy.url}${pathOf({ changes: true, access_token })}`)
  const answers: MessageEvent[] = []
  source.addEventListener('answer', (event) => answers.push(event))
  const changesIn = async (answer: number) => {
    await until(() => answers.length === answer)
    return JSON.parse(answers[answer - 1]?.data).changes
  }
  expect(await changesIn(1)).toBeUndefined()
  const [first] = await write(server, 'Boxes', { name: 'a' })
  expect(await changesIn(2)).toEqual({ created: [first], updated: [], removed: [] })
  proxy.breakConnections()
  const [second] = await write(server, 'Boxes', { name: 'b' })
  await server.delete(`/v1/records/${first.id}`)
  expect(await changesIn(3)).toEqual({ created: [second], updated: [], removed: [first.id] })
  source.close()
  proxy.close()
  expect(server.err()).not.toContain(access_token)
})
