import { afterAll, beforeAll, expect, test } from 'bun:test'
import { daybook, newFolder, type ServerProcess, startProcess } from '../support/process.ts'

const BURST = 300
const STATUS_LENGTH = 'HTTP/1.1 200'.length

const folder = newFolder()
const file = folder.file('daybook.db')
let server: ServerProcess

beforeAll(async () => {
  server = await startProcess(file)
  const content = 'words '.repeat(300)
  for (let at = 0; at < 50; at++) await server.post('/v1/notes', { title: `Note ${at}`, content })
})
afterAll(async () => {
  await server.end()
  folder.remove()
})

/** A connection on which one request is sent later. */
async function connect(key: string | undefined, path: string) {
  const { promise: answered, resolve } = Promise.withResolvers<string>()
  let text = ''
  const port = Number(new URL(server.url).port)
  const socket = await Bun.connect({
    hostname: '127.0.0.1',
    port,
    socket: {
      data: (_, bytes) => {
        text += bytes.toString()
        if (text.length > STATUS_LENGTH) resolve(text)
      },
    },
  })
  const send = () =>
    socket.write(
      `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nConnection: close\r\n\r\n`,
    )
  return { answered, send }
}

test('a request does not wait for hundreds that another key sent before', async () => {
  const other = (await daybook(['keys', 'create', '--name', 'other', '--db', file])).out.trim()
  const burst = await Promise.all(
    Array.from({ length: BURST }, () => connect(server.key, '/v1/notes?limit=50')),
  )
  const single = await connect(other, '/v1/workspace')
  let answers = 0
  for (const { answered, send } of burst) {
    void answered.then(() => {
      answers += 1
    })
    send()
  }
  single.send()
  expect(await single.answered).toStartWith('HTTP/1.1 200')
  expect(answers).toBeLessThan(BURST / 2)
  for (const { answered } of burst) expect(await answered).toStartWith('HTTP/1.1 200')
})
