import { afterEach, beforeEach, expect, test } from 'bun:test'
import { spawn } from 'bun'
import { daybook, newFolder, program, type ServerProcess, startProcess } from '../support/process.ts'
import { declare, write } from '../support/records.ts'
import { until } from '../support/webhooks.ts'

let folder: ReturnType<typeof newFolder>
let file: string
let server: ServerProcess
let id: string
let key: string

beforeEach(async () => {
  folder = newFolder()
  file = folder.file('daybook.db')
  server = await startProcess(file)
  key = /dbk_[\w-]{43}/.exec(server.err())?.[0] ?? ''
  await declare(server, 'Tasks', [{ key: 'n', type: 'number' }])
  id = (await server.post('/v1/webhooks', { structure: 'Tasks', delivery: 'pull' })).body.webhook.id
})
afterEach(async () => {
  await server.end()
  folder.remove()
})

const events = (...flags: string[]) => daybook(['webhooks', 'events', id, '--db', file, ...flags])
/** The numbers of complete lines; a killed command may leave half a line. */
const numbersIn = (out: string): number[] =>
  out
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line).payload.record.data.n)
/** Follows the events in another process. */
function follow() {
  const child = spawn([...program(), 'webhooks', 'events', id, '--db', file, '--ack', '--follow'], {
    env: {},
    stdout: 'pipe',
    stderr: 'pipe',
  })
  let out = ''
  const reading = (async () => {
    for await (const chunk of child.stdout) out += new TextDecoder().decode(chunk)
  })()
  return {
    numbers: () => numbersIn(out),
    end: async (signal: NodeJS.Signals) => {
      child.kill(signal)
      const code = await child.exited
      await reading
      return code
    },
  }
}
const restartServer = async () => {
  await server.end('SIGKILL')
  server = await startProcess(file, { key })
}
const pending = async () => (await server.get(`/v1/webhooks/${id}`)).body.webhook.pending

test('prints all pending events as JSON lines, and with --ack acknowledges them', async () => {
  for (const n of [1, 2, 3]) await write(server, 'Tasks', { n })
  const first = await events()
  expect([first.exitCode, numbersIn(first.out), first.err]).toEqual([0, [1, 2, 3], ''])
  expect(Object.keys(JSON.parse(first.out.split('\n')[0] ?? ''))).toEqual(['cursor', 'payload'])
  expect(numbersIn((await events('--ack')).out)).toEqual([1, 2, 3])
  expect([(await events()).out, await pending()]).toEqual(['', 0])
})

test('--follow prints every event once, in order, while the server is killed and restarted', async () => {
  const following = follow()
  await write(server, 'Tasks', { n: 1 })
  await until(() => following.numbers().length === 1)
  await restartServer()
  await write(server, 'Tasks', { n: 2 })
  await write(server, 'Tasks', { n: 3 })
  await until(async () => (await pending()) === 0)
  expect(await following.end('SIGTERM')).toBe(0)
  expect(following.numbers()).toEqual([1, 2, 3])
})

test('--follow that is killed goes on after the last acknowledged event, and loses none', async () => {
  let n = 0
  let printed = 0
  for (const isServerKilled of [false, true, false]) {
    const following = follow()
    for (let count = 0; count < 10; count++) await write(server, 'Tasks', { n: ++n })
    if (isServerKilled) await restartServer()
    await until(() => following.numbers().length > 0)
    await following.end('SIGKILL')
    const numbers = following.numbers()
    const [first = 0] = numbers
    expect(first).toBeLessThanOrEqual(printed + 1)
    expect(numbers).toEqual(numbers.map((_, index) => first + index))
    printed = Math.max(printed, ...numbers)
  }
  const rest = numbersIn((await events('--ack')).out)
  expect(rest.at(0) ?? printed + 1).toBeLessThanOrEqual(printed + 1)
  expect(Math.max(printed, ...rest)).toBe(n)
})
