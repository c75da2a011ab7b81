import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { PASSWORD } from '../../support/browser-client.ts'
import { type MirrorProcess, startMirror } from '../../support/mirror-process.ts'
import { daybook, newFolder, type ServerProcess, startProcess } from '../../support/process.ts'

setDefaultTimeout(60_000)

const folder = newFolder()
let remote: ServerProcess
let mirror: MirrorProcess

beforeAll(async () => {
  remote = await startProcess(folder.file('remote.db'))
  mirror = await startMirror({ file: folder.file('mirror.db'), remote: remote.url, key: remote.key ?? '' })
})
afterAll(async () => {
  await mirror.end()
  await remote.end()
  folder.remove()
})

/** The cookies that a browser stores for a host, across all its ports. */
const jar = new Map<string, string>()

async function ask(method: string, url: string, body?: object): Promise<number> {
  const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
  const response = await fetch(url, {
    method,
    headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin', cookie },
    ...(body && { body: JSON.stringify(body) }),
  })
  for (const set of response.headers.getSetCookie()) {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? []
    if (value === '') jar.delete(name)
    else jar.set(name, value)
  }
  return response.status
}

test('signing in to a server and to its mirror on one host, and out of one, leaves the other signed in', async () => {
  const servers = [remote, mirror]
  for (const [at, { url }] of servers.entries()) {
    const file = folder.file(at === 0 ? 'remote.db' : 'mirror.db')
    const { out } = await daybook(['users', 'link', 'owner', '--db', file])
    const token = out.trim().split('#setup=')[1]
    expect(await ask('POST', `${url}/app/api/setup`, { token, password: PASSWORD })).toBe(200)
  }
  expect([...jar.keys()].toSorted()).toEqual(
    servers.map(({ url }) => `daybook_session_${new URL(url).port}`).toSorted(),
  )
  const statuses = () => Promise.all(servers.map(({ url }) => ask('GET', `${url}/app/api/session`)))
  expect(await statuses()).toEqual([200, 200])
  expect(await ask('DELETE', `${mirror.url}/app/api/session`)).toBe(200)
  expect(await statuses()).toEqual([200, 401])
})
