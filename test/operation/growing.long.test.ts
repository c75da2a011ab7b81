/**
 * The promises of the guide's page on growing: a mirror serves readers behind Caddy and nginx as configured in
 * scripts/deploy, and a workspace moves to another server.
 */
import { afterAll, describe, expect, test } from 'bun:test'
import { dirname } from 'node:path'
import { startMirror } from '../support/mirror-process.ts'
import { daybook, newFolder, program, startProcess } from '../support/process.ts'
import { declare, write } from '../support/records.ts'
import { type Client, clientOf } from '../support/service.ts'
import { deployFile, freePort, guideLines } from './deploy.ts'
import { CADDY, caddyCommand, NGINX, nginxCommand, startProxy } from './proxies.ts'

type Servers = Readonly<Record<'server' | 'mirror' | 'reader' | 'copy', string>>

const deployedForNginx = (port: number, { server, mirror, reader, copy }: Servers) =>
  deployFile('readers/nginx.conf', {
    'listen 443 ssl': `listen 127.0.0.1:${port}`,
    'ssl_certificate /etc/ssl/daybook.example.com.pem;': '',
    'ssl_certificate_key /etc/ssl/daybook.example.com.key;': '',
    '127.0.0.1:8787': server,
    '127.0.0.1:8788': mirror,
    dbk_reader: reader,
    dbk_mirror: copy,
  })

const deployedForCaddy = (port: number, { server, mirror, reader, copy }: Servers) =>
  deployFile('readers/Caddyfile', {
    'daybook.example.com': `http://127.0.0.1:${port}`,
    '127.0.0.1:8787': server,
    '127.0.0.1:8788': mirror,
    dbk_reader: reader,
    dbk_mirror: copy,
  })

const PROXIES = [
  { name: 'nginx', program: NGINX, deployed: deployedForNginx, commandOf: nginxCommand },
  { name: 'Caddy', program: CADDY, deployed: deployedForCaddy, commandOf: caddyCommand },
]

async function newKey(file: string, ...flags: string[]): Promise<string> {
  const { out, err } = await daybook(['keys', 'create', '--name', 'made here', '--db', file, ...flags])
  expect(err).toBe('')
  return out.trim()
}

const hostOf = (url: string) => new URL(url).host

async function untilEqual(read: () => Promise<unknown>, wanted: unknown): Promise<void> {
  for (let tries = 0; tries < 2_000; tries++) {
    if (Bun.deepEquals(await read(), wanted)) return
    await Bun.sleep(20)
  }
  expect(await read()).toEqual(wanted)
}

describe.each(PROXIES)('behind $name', ({ name, program: proxyProgram, deployed, commandOf }) => {
  if (proxyProgram === null) process.stderr.write(`${name} is not installed: its tests are skipped.\n`)
  const folder = newFolder()
  afterAll(() => folder.remove())

  test.skipIf(proxyProgram === null)(
    'reads are served by the mirror, writes and reads without cache by the server',
    async () => {
      const server = await startProcess(folder.file('daybook.db'))
      const reader = await newKey(folder.file('daybook.db'), '--scope', 'read')
      const note = (await server.post('/v1/notes', { title: 'First' })).body.note
      const mirror = await startMirror({
        file: folder.file('mirror.db'),
        remote: server.url,
        key: server.key ?? '',
      })
      const copy = (/dbk_[\w-]{43}/.exec(mirror.err()) ?? [''])[0]
      const port = freePort()
      const url = `http://127.0.0.1:${port}`
      const hosts = { server: hostOf(server.url), mirror: hostOf(mirror.url), reader, copy }
      const proxy = await startProxy(folder, await commandOf(folder, await deployed(port, hosts)), url)
      const toProxy = {
        fetch: (request: Request) =>
          fetch(new Request(request.url.replace('http://localhost', url), request), {
            // A request to a stopped program fails instead of waiting forever.
            signal: AbortSignal.timeout(5_000),
          }),
      }
      const through = (key: string | undefined) => clientOf(toProxy, key)
      const titleFor = async (client: Client, headers?: Record<string, string>) =>
        (await client.request('GET', `/v1/notes/${note.id}`, undefined, headers)).body.note?.title
      try {
        // The mirror is stopped, so that its responses differ from the server's data.
        process.kill(mirror.pid, 'SIGSTOP')
        const patched = await through(server.key).patch(`/v1/notes/${note.id}`, { title: 'Second' })
        expect(patched.status).toBe(200)
        expect(await titleFor(through(server.key))).toBe('Second')
        expect(await titleFor(through(reader), { 'cache-control': 'no-cache' })).toBe('Second')
        expect((await through(reader).get('/v1/notes/trash')).status).toBe(200)
        expect((await through(reader).get('/v1/changes?after=now')).status).toBe(200)
        expect((await through(reader).patch(`/v1/notes/${note.id}`, { title: 'No' })).body.code).toBe(
          'read_only_key',
        )
        expect((await through('dbk_unknown').get('/v1/notes')).status).toBe(401)
        process.kill(mirror.pid, 'SIGCONT')
        await untilEqual(() => titleFor(through(reader)), 'Second')

        // The server is stopped: every response comes from the mirror.
        process.kill(server.pid, 'SIGSTOP')
        expect(await titleFor(through(reader))).toBe('Second')
        expect((await through(reader).get('/v1/notes?search=second')).body.total).toBe(1)
        process.kill(server.pid, 'SIGCONT')

        await mirror.end('SIGKILL')
        expect(await titleFor(through(reader))).toBe('Second')
      } finally {
        proxy.kill()
        for (const { pid } of [server, mirror]) {
          try {
            process.kill(pid, 'SIGCONT')
          } catch {
            // The process has already ended.
          }
        }
        await Promise.all([proxy.exited, mirror.end('SIGKILL'), server.end()])
      }
    },
  )
})

test('a workspace moves to another server with its ids, and without its keys and cursors', async () => {
  const folder = newFolder()
  try {
    const old = await startProcess(folder.file('old.db'))
    await declare(old, 'Errands', [{ key: 'what', type: 'text' }])
    const [row] = await write(old, 'Errands', { what: 'Tea' })
    const note = (await old.post('/v1/notes', { title: 'List', content: `[[${row.id}]]` })).body.note
    const { cursor } = (await old.get('/v1/changes?after=now')).body
    await old.end()
    await (await startProcess(folder.file('new.db'))).end()

    const [executable = ''] = program()
    const lines = (await guideLines('grow.md', 'stopped')).map((line) =>
      line.replace('--workspace Work --db old.db', '--workspace Personal --db old.db'),
    )
    expect(lines).toHaveLength(5)
    const shell = Bun.spawn(['bash', '-e', '-c', lines.join('\n')], {
      cwd: folder.path,
      env: { PATH: `${dirname(executable)}:${process.env.PATH}` },
      stdout: 'pipe',
      stderr: 'ignore',
    })
    const key = (/dbk_[\w-]{43}/.exec(await shell.stdout.text()) ?? [''])[0]
    expect(await shell.exited).toBe(0)

    const moved = await startProcess(folder.file('new.db'), { key })
    expect((await moved.get(`/v1/records/${row.id}`)).body.record).toEqual(row)
    expect((await moved.get(`/v1/notes/${note.id}`)).body.note).toEqual(note)
    expect((await moved.as(old.key).get('/v1/me')).status).toBe(401)
    expect((await moved.get(`/v1/changes?after=${cursor}`)).body.code).toBe('cursor_expired')
    await moved.end()
  } finally {
    folder.remove()
  }
})
