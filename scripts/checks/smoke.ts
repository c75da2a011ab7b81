/**
 * Tests `dist/daybook` as a user would, in an empty folder and with an empty environment. Builds it first if it is
 * older than its sources. Arguments name another executable, optionally preceded by the command that starts it.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { spawn } from 'bun'
import { buildWhenStale } from '../lib/executable.ts'

const runner = process.argv.slice(2)
const executable = runner.pop()
if (executable === undefined) buildWhenStale()
const DAYBOOK = [...runner, resolve(executable ?? 'dist/daybook')]
const folder = mkdtempSync(join(tmpdir(), 'daybook-smoke-'))
const options = { cwd: folder, env: {}, stdout: 'pipe', stderr: 'pipe' } as const

function expect(what: string, found: unknown, wanted: unknown): void {
  if (JSON.stringify(found) === JSON.stringify(wanted)) return
  throw new Error(`${what}: ${JSON.stringify(found)} instead of ${JSON.stringify(wanted)}`)
}

async function daybook(...args: string[]): Promise<string> {
  const child = spawn([...DAYBOOK, ...args], options)
  const [out, err, exitCode] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  if (exitCode !== 0) throw new Error(`daybook ${args.join(' ')} exited ${exitCode}: ${err}`)
  return out
}

async function smoke(): Promise<void> {
  // A file of another program, which daybook must not read.
  await Bun.write(join(folder, '.env'), 'DAYBOOK_PORT=abc\n')
  const server = spawn([...DAYBOOK, 'serve', '--port', '0', '--log-level', 'warn'], options)
  try {
    const { value } = await server.stdout.getReader().read()
    const url = /^daybook listening on (http:\S+)\n$/.exec(new TextDecoder().decode(value))?.[1] ?? ''
    const { value: printed } = await server.stderr.getReader().read()
    const key = /dbk_[\w-]{43}/.exec(new TextDecoder().decode(printed))?.[0] ?? ''
    await useApi(url, key)
    await useCommands(url)
    // To read a file the executable starts itself, which fails if it needs a runner.
    if (runner.length === 0) await useFiles(url, key)
  } finally {
    server.kill('SIGTERM')
  }
  expect('exit code after SIGTERM', await server.exited, 0)
  expect('check after the stop', await daybook('check'), 'ok\n')
}

interface ApiResponse {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: compared with what is expected
  body: any
}

async function call(url: string, key: string, path: string, body?: object): Promise<ApiResponse> {
  const method = body === undefined ? 'GET' : 'POST'
  const headers = { authorization: `Bearer ${key}` }
  const response = await fetch(`${url}${path}`, { method, headers, body: JSON.stringify(body) })
  return { status: response.status, body: await response.json() }
}

async function useApi(url: string, key: string): Promise<void> {
  expect('GET /healthz', await call(url, key, '/healthz'), { status: 200, body: { status: 'ok' } })
  expect('scope', (await call(url, key, '/v1/me')).body.key.scope, 'write')
  const note = { title: 'Smoke', content: 'A chimney on the roof.', tags: ['house'] }
  expect('POST /v1/notes', (await call(url, key, '/v1/notes', note)).status, 201)
  const found = await call(url, key, '/v1/notes?search=chimney')
  expect('search', [found.body.total, found.body.notes[0]?.title], [1, 'Smoke'])
  expect('openapi', (await call(url, key, '/openapi.json')).body.openapi, '3.1.0')
  expect('docs', (await fetch(`${url}/docs`)).status, 200)
  const guide = await fetch(`${url}/docs/guide/back-up`)
  expect('guide', [guide.status, (await guide.text()).includes('Restore a backup')], [200, true])
  await useWorker(url, key)
}

const ROWS = 10_500
const BATCH = 500

/** Sorts enough rows to use the worker, a second program in the executable. */
async function useWorker(url: string, key: string): Promise<void> {
  const fields = [{ key: 'n', type: 'number' }]
  expect(
    'a structure',
    (await call(url, key, '/v1/records/structures', { name: 'Rows', fields })).status,
    201,
  )
  for (let at = 0; at < ROWS; at += BATCH) {
    const rows = Array.from({ length: BATCH }, (_, index) => ({ data: { n: at + index } }))
    expect('a batch', (await call(url, key, '/v1/records', { structure: 'Rows', rows })).status, 201)
  }
  const { body } = await call(url, key, '/v1/records?structure=Rows&sort=n&limit=1')
  expect('the greatest', [body.total, body.records?.[0]?.data.n], [ROWS, ROWS - 1])
}

/** Other programs in the executable extract text, from PDF files in a sandbox. */
async function useFiles(url: string, key: string): Promise<void> {
  await Bun.write(join(folder, 'handbook.pdf'), Bun.file('test/files/samples/handbook.pdf'))
  const id = (await daybook('files', 'add', 'handbook.pdf')).trim()
  const { body } = await call(url, key, `/v1/files/${id}/text?pages=2`)
  expect('text of a file', body.text?.split('\n')[1], 'Cards carry the operations.')
}

async function useCommands(url: string): Promise<void> {
  const { id, key } = JSON.parse(await daybook('keys', 'create', '--name', 'smoke', '--json'))
  expect('the new key', (await call(url, key, '/v1/me')).status, 200)
  await daybook('keys', 'revoke', id)
  // A running server applies the change within a second.
  await Bun.sleep(1_000)
  expect('the revoked key', (await call(url, key, '/v1/me')).status, 401)
  expect('help', (await daybook('help', 'back-up')).split('\n')[0], '# Back up and restore')
  await daybook('backup', 'copy.db')
  expect('check of the copy', await daybook('check', '--db', 'copy.db'), 'ok\n')
  expect('check beside the server', await daybook('check'), 'ok\n')
}

try {
  await smoke()
  process.stdout.write('The executable works.\n')
} finally {
  rmSync(folder, { recursive: true, force: true })
}
