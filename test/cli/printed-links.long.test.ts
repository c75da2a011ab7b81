import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { PASSWORD } from '../support/browser-client.ts'
import { daybook, newFolder, startProcess } from '../support/process.ts'

/** Hashing passwords is slow on a busy machine. */
setDefaultTimeout(60_000)

const PUBLIC = 'https://daybook.example.com'

let folder: ReturnType<typeof newFolder>
let file: string
beforeEach(() => {
  folder = newFolder()
  file = folder.file('daybook.db')
})
afterEach(() => folder.remove())

interface Link {
  readonly origin: string
  readonly token: string
}

function parsed(link: string): Link {
  const [, origin = '', token = ''] = /^(\S+)\/app#setup=([\w-]{43})$/.exec(link) ?? []
  return { origin, token }
}

async function printedLink(user = 'owner', env: Record<string, string> = {}): Promise<Link> {
  const { out, exitCode } = await daybook(['users', 'link', user, '--db', file], { env })
  expect(exitCode).toBe(0)
  return parsed(out.trimEnd())
}

const setUp = (url: string, { token }: Link) =>
  fetch(`${url}/app/api/setup`, {
    method: 'POST',
    body: JSON.stringify({ token, password: PASSWORD }),
    headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
  })

/** Returns a port that is currently free. */
function freePort(): string {
  const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response() })
  const { port } = server
  void server.stop(true)
  return String(port)
}

describe('a link that a command prints beside a server', () => {
  test('leads to that server, and works immediately', async () => {
    const server = await startProcess(file)
    for (let round = 0; round < 3; round++) {
      const link = await printedLink()
      expect(link.origin).toBe(server.url)
      expect((await setUp(server.url, link)).status).toBe(200)
    }
    await server.end()
  })

  test('of an added user leads there too, and is printed only for users without a password', async () => {
    const server = await startProcess(file)
    const added = await daybook(['users', 'add', 'mira', '--db', file])
    expect(added).toMatchObject({
      exitCode: 0,
      err: '"mira" belongs to the workspace "Personal" as editor.\n',
    })
    const link = parsed(added.out.trimEnd())
    expect(link.origin).toBe(server.url)
    expect((await setUp(server.url, link)).status).toBe(200)
    await daybook(['workspaces', 'add', 'Work', '--user', 'owner', '--db', file])
    const again = ['users', 'add', 'mira', '--workspace', 'Work', '--db', file]
    expect(await daybook(again)).toMatchObject({ exitCode: 0, out: '' })
    const json = async (name: string) =>
      JSON.parse((await daybook(['users', 'add', name, '--workspace', 'Work', '--json', '--db', file])).out)
    expect(parsed((await json('nils')).link).origin).toBe(server.url)
    await daybook(['users', 'remove', 'mira', '--workspace', 'Work', '--db', file])
    expect(await json('mira')).toMatchObject({ name: 'mira', link: null })
    await server.end()
  })

  test("leads to that server's --public-url, whatever the command's own environment says", async () => {
    const server = await startProcess(file, {
      args: ['--public-url', PUBLIC, '--public-url', 'https://other.example.com'],
    })
    const env = { DAYBOOK_PUBLIC_URL: 'https://elsewhere.example.com' }
    expect((await printedLink('owner', env)).origin).toBe(PUBLIC)
    await server.end()
  })
})

describe('a link that a command prints while no server runs', () => {
  test('leads to the --public-url of the last one', async () => {
    const server = await startProcess(file, { args: ['--public-url', PUBLIC] })
    await server.end()
    expect((await printedLink()).origin).toBe(PUBLIC)
  })

  test('leads to the fixed port of the last one', async () => {
    const port = freePort()
    const server = await startProcess(file, { args: ['--port', port] })
    await server.end('SIGKILL')
    expect((await printedLink()).origin).toBe(`http://127.0.0.1:${port}`)
  })

  test('leads to the default port after a server on a random port, and before the first one', async () => {
    const server = await startProcess(file)
    await server.end()
    expect((await printedLink()).origin).toBe('http://127.0.0.1:8787')
    const env = { DAYBOOK_PUBLIC_URL: PUBLIC }
    expect((await printedLink('owner', env)).origin).toBe(PUBLIC)
  })
})

test('no link is printed for a user without a workspace, who could not sign in', async () => {
  const server = await startProcess(file)
  await daybook(['users', 'add', 'mira', '--db', file])
  await daybook(['users', 'remove', 'mira', '--workspace', 'Personal', '--db', file])
  expect(await daybook(['users', 'link', 'mira', '--db', file])).toEqual({
    exitCode: 1,
    out: '',
    err: '"mira" belongs to no workspace; add them to one with "daybook users add" first.\n',
  })
  await server.end()
})

test('a password set by a command works immediately', async () => {
  const server = await startProcess(file)
  const signIn = (password: string) =>
    fetch(`${server.url}/app/api/session`, {
      method: 'POST',
      body: JSON.stringify({ user: 'owner', password }),
      headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
    })
  for (const password of ['the first password', 'the second password']) {
    await daybook(['users', 'password', 'owner', '--db', file], { input: password })
    expect((await signIn(password)).status).toBe(200)
  }
  await server.end()
})
