/**
 * Stores the compatibility fixtures of a release: a database that this version wrote, with the responses of its API
 * (`test/upgrade/<version>.db.gz` and `.json.gz`), and its OpenAPI document (`test/contract/openapi.json.gz`).
 * Arguments are the command that starts another version, whose document is not stored.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { run, useServer } from './checks/run.ts'

const given = process.argv.slice(2)
const DAYBOOK = given.length > 0 ? given : [process.execPath, 'src/main.ts']

/** One object of each kind, and references between them. `{1}` is the id in the response to the first request. */
const WRITES: readonly (readonly [method: string, path: string, body?: unknown])[] = [
  ['POST', '/v1/notes', { title: 'Engines', content: 'The Engine weaves patterns.', tags: ['work'] }],
  [
    'POST',
    '/v1/notes',
    { title: 'Meeting', content: 'Ask about [[Engines]].', alias: 'first', tags: ['People'] },
  ],
  ['POST', '/v1/notes', { title: 'Old plan', content: 'Nobody needs it.' }],
  ['DELETE', '/v1/notes/{3}'],
  ['POST', '/v1/notes/{1}/append', { text: 'And numbers: 図書館.' }],
  ['POST', '/v1/properties', { key: 'due', type: 'date' }],
  ['PATCH', '/v1/notes/{2}/properties', { due: '2026-12-01' }],
  ['POST', '/v1/presets', { name: 'Task', tags: ['work'] }],
  ['POST', '/v1/views', { name: 'Work', filter: { type: 'group', match: 'all', children: [] } }],
  ['POST', '/v1/lenses', { name: 'All' }],
  ['POST', '/v1/quick-access', { note_id: '{1}' }],
  [
    'POST',
    '/v1/records/structures',
    {
      name: 'Expenses',
      fields: [
        { key: 'what', type: 'text', required: true, unique: true },
        { key: 'amount', type: 'number' },
        { key: 'paid', type: 'date' },
      ],
    },
  ],
  [
    'POST',
    '/v1/webhooks',
    { structure: 'Expenses', url: 'https://hooks.example.com/', events: ['record.created'], enabled: false },
  ],
  [
    'POST',
    '/v1/records',
    { structure: 'Expenses', data: { what: 'Paper', amount: 12.5, paid: '2026-11-02' } },
  ],
  ['POST', '/v1/records', { structure: 'Expenses', data: { what: 'Ink', amount: 7 } }],
  ['POST', '/v1/records', { structure: 'Expenses', data: { what: 'Mistake' } }],
  ['DELETE', '/v1/records/{16}'],
  ['PATCH', '/v1/records/{15}', { data: { amount: 7.5 } }],
]

const READS = [
  '/v1/me',
  '/v1/notes?sort=title&direction=asc',
  '/v1/notes/trash',
  '/v1/notes?search=weav*',
  '/v1/notes/{1}/links',
  '/v1/notes/{1}/revisions',
  '/v1/notes/{2}/properties',
  '/v1/tags',
  '/v1/properties',
  '/v1/presets',
  '/v1/views',
  '/v1/lenses',
  '/v1/quick-access',
  '/v1/records/structures',
  '/v1/records?structure=Expenses&sort=amount',
  '/v1/records/summary?structure=Expenses&field=amount',
  '/v1/webhooks',
  '/v1/files',
]

/** Returns the id of a created object: from the response's only attribute, or from the first item of a list. */
function idIn(body: unknown): string {
  const [made] = Object.values(body as object).filter((value) => typeof value === 'object' && value !== null)
  const { id } = (Array.isArray(made) ? made[0] : made) as { id?: string | number }
  return String(id ?? '')
}

async function fill(url: string, key: string): Promise<Record<string, unknown>> {
  const ids: string[] = []
  const withIds = (text: string) => text.replace(/\{(\d+)\}/g, (_, at) => ids[Number(at) - 1] ?? '')
  const request = async (method: string, path: string, body?: unknown) => {
    const response = await fetch(url + withIds(path), {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: withIds(JSON.stringify(body)) }),
    })
    const answer = await response.json()
    if (!response.ok) throw new Error(`${method} ${path}: ${JSON.stringify(answer)}`)
    return answer
  }
  for (const [method, path, body] of WRITES) {
    const answer = await request(method, path, body)
    ids.push(method === 'POST' ? idIn(answer) : '')
  }
  const answers: Record<string, unknown> = {}
  for (const path of READS) answers[withIds(path)] = await request('GET', path)
  return answers
}

const gzipped = (content: string | Uint8Array) =>
  Bun.gzipSync(new Uint8Array(Buffer.from(content)), { level: 9 })

const folder = mkdtempSync(join(tmpdir(), 'daybook-keep-'))
try {
  const version = run([...DAYBOOK, 'version']).trim()
  const file = join(folder, 'daybook.db')
  let kept = {}
  await useServer(
    [...DAYBOOK, 'serve', '--db', file, '--port', '0', '--log-level', 'warn'],
    {},
    async (url, key) => {
      run([...DAYBOOK, 'files', 'add', '--db', file, 'test/files/samples/handbook.pdf'])
      kept = { key, answers: await fill(url, key) }
    },
  )
  const target = join('test', 'upgrade', version)
  await Bun.write(`${target}.db.gz`, gzipped(await Bun.file(file).bytes()))
  await Bun.write(`${target}.json.gz`, gzipped(JSON.stringify(kept)))
  if (given.length === 0)
    await Bun.write('test/contract/openapi.json.gz', gzipped(run([...DAYBOOK, 'openapi'])))
  process.stdout.write(`The database of ${version} is kept.\n`)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
