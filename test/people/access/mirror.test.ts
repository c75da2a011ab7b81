import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Access } from '../../../src/kernel/caller.ts'
import { type Browser, signedIn } from '../../support/browser-client.ts'
import { hasManyCases } from '../../support/counts.ts'
import { makeFile } from '../../support/files.ts'
import { faultsOf, mirrorOf, type TestMirror } from '../../support/mirror.ts'
import { declare, write } from '../../support/records.ts'
import { type Client, startService, type TestService } from '../../support/service.ts'
import { LEVELS, STRUCTURE_LEVELS } from './levels.ts'

/*
 * A mirror with every permission. The copy of a narrowed key must equal the snapshot of a key with full access, without
 * the objects hidden from the narrowed key.
 */

interface Line {
  readonly kind: string
  readonly structure_id: string | null
  // biome-ignore lint/suspicious/noExplicitAny: an object of any kind
  readonly object: any
}

const ROWS = ['record', 'row_view', 'webhook', 'source']

const levelOf = ({ structures = {} }: Access, id: string) => structures[id] ?? structures['*'] ?? 'write'
const reads = (level: string) => level === 'read' || level === 'write'

function isReached({ kind, structure_id, object }: Line, access: Access): boolean {
  const [seesNotes, seesFiles] = [access.notes !== 'none', access.files !== 'none']
  if (kind === 'structure') return levelOf(access, object.id) !== 'none'
  if (ROWS.includes(kind) && structure_id !== null) return reads(levelOf(access, structure_id))
  if (kind === 'webhook') return seesNotes && (seesFiles || object.kind === 'note')
  if (kind === 'file') return seesFiles && (seesNotes || object.note_id === null)
  return seesNotes
}

/** Converts an object to its state in a copy, which sends no requests and does not count rows that it lacks. */
function copied({ kind, structure_id, object }: Line, access: Access): string {
  const { record_count, ...others } = object
  const isUncounted = kind === 'structure' && !reads(levelOf(access, object.id))
  const asCopied = {
    ...(kind === 'structure' && !isUncounted ? object : others),
    ...(kind === 'webhook' && { enabled: false, status: 'disabled' }),
    ...(kind === 'source' && { enabled: false, url: null }),
  }
  return JSON.stringify([kind, structure_id, Object.entries(asCopied).sort()])
}

const linesOf = async (client: Client): Promise<Line[]> =>
  ((await client.get('/v1/changes/snapshot')).body as string)
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
    .filter((line) => 'kind' in line && line.kind !== 'share')

const reachedWith = async (access: Access): Promise<string[]> =>
  (await linesOf(service))
    .filter((line) => isReached(line, access))
    .map((line) => copied(line, access))
    .sort()

async function expectReached(mirror: TestMirror, access: Access): Promise<void> {
  const held = (await linesOf(mirror)).map((line) => copied(line, access)).sort()
  expect([access, held]).toEqual([access, await reachedWith(access)])
  expect([access, await mirror.differing(), faultsOf(mirror)]).toEqual([access, [], []])
}

let service: TestService
let owner: Browser
let structure: string
let other: string

beforeAll(async () => {
  service = await startService()
  owner = await signedIn(service)
  structure = (
    await declare(service, 'Leads', [
      { key: 'email', type: 'text' },
      { key: 'of', type: 'record' },
    ])
  ).id
  other = (await declare(service, 'Costs', [{ key: 'of', type: 'record', structure: 'Leads' }])).id
  await service.post('/v1/properties', { key: 'due', type: 'date' })
  await change('first')
})
afterAll(() => service.close())

/** Creates, changes and deletes an object of every kind. */
async function change(word: string): Promise<void> {
  const made = async (path: string, body: object) => {
    const { status, body: answer } = await service.post(path, body)
    if (status !== 201) throw new Error(answer.error)
    return Object.values(answer as Record<string, { id: string }>)[0]?.id ?? ''
  }
  const gone = { structures: [structure, other], paths: before }
  before = []
  const making = async (path: string, body: object) => void before.push(`${path}/${await made(path, body)}`)
  const title = { title: word, tags: [`tag ${word}`], properties: { due: '2026-12-01' } }
  const note = await made('/v1/notes', title)
  await made('/v1/notes', { title: `${word} linking`, content: `[[${word}]]` })
  await making('/v1/notes', { title: `${word} gone` })
  for (const path of ['/v1/views', '/v1/lenses', '/v1/presets']) await making(path, { name: word })
  await making('/v1/quick-access', { note_id: note })
  before.push(
    `/app/api/files/${await makeFile(service, { noteId: note, name: `${word} of note`, pages: [word] })}`,
  )
  before.push(`/app/api/files/${await makeFile(service, { name: word, pages: [word] })}`)
  await makeFile(service, { name: `${word} stays`, pages: [word] })
  const url = `https://hooks.example.com/${word}`
  for (const kind of ['note', 'file']) await making('/v1/webhooks', { kind, url })
  for (const of of gone.structures) {
    const [row, deleted] = await write(service, of, {}, {})
    await service.patch(`/v1/records/${row.id}`, { data: { of: of === structure ? deleted.id : null } })
    await service.delete(`/v1/records/${deleted.id}`)
    await making('/v1/records/views', { structure: of, name: word })
    await making('/v1/webhooks', { structure: of, url })
    const source = { structure: of, provider: 'bearer', secret: 'x', map: {} }
    await making('/v1/sources', { ...source, name: `${word} ${of}` })
    await service.patch(`/v1/records/structures/${of}`, { description: word })
  }
  await service.patch(`/v1/notes/${note}`, { title: `${word} changed`, content: word })
  for (const path of gone.paths)
    expect([path, (await owner.request('DELETE', path)).status]).toEqual([path, 200])
}

/** The last deletable objects that `change` created; it deletes them next. */
let before: string[] = []

/** Notes with every permission for a structure, named or unnamed; the access to files alternates. */
const everyAccess = (): Access[] =>
  LEVELS.flatMap((notes, at) =>
    STRUCTURE_LEVELS.map((level, number) => ({
      notes,
      files: LEVELS[(at + number) % LEVELS.length],
      structures: number % 2 === at % 2 ? { [structure]: level } : { '*': level, [other]: 'read' },
    })),
  )

test('a new copy has the accessible objects of each level', async () => {
  const each = everyAccess().filter((_, at) => at % 5 === 0 || at === 3)
  for (const access of each) {
    const mirror = await mirrorOf(service, { access })
    await expectReached(mirror, access)
    await mirror.close()
  }
})

test('a copy follows with each access, and when the access of its key changes', async () => {
  const mirror = await mirrorOf(service)
  const { keys } = (await owner.request('GET', '/app/api/keys')).body
  const { id } = keys.at(-1)
  // Half of them have every level of each kind.
  const followed = everyAccess().filter((_, at) => hasManyCases || at % 2 === 0)
  for (const [at, access] of [...followed, {}].entries()) {
    const { status } = await owner.request('PATCH', `/app/api/keys/${id}`, { access })
    expect([access, status]).toEqual([access, 200])
    // The pending requests end; the other readers retry after a time.
    service.clock.advance(10_000)
    await mirror.catchUp()
    await expectReached(mirror, access)
    await change(`change-${at}`)
    await mirror.catchUp()
    await expectReached(mirror, access)
  }
  await mirror.close()
}, 240_000)
