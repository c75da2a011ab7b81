import { queryOf } from '../../../test/support/records.ts'
import type { Watcher } from '../actors/watcher.ts'
import type { Client } from '../client.ts'
import { ROWS } from '../fixtures.ts'
import type { Violations } from '../report.ts'
import type { ExpectedNotes, KnownNote } from './expected-notes.ts'
import type { ExpectedRows, FoundRow } from './expected-rows.ts'

/** Reads all pages of a list. */
async function allOf<Item>(api: Client, path: string, member: string, limit: number): Promise<Item[]> {
  const items: Item[] = []
  for (;;) {
    const body = await api.read('read it all', `${path}limit=${limit}&offset=${items.length}`)
    items.push(...body[member])
    if (!body.has_more) return items
  }
}

export async function compareRows(
  api: Client,
  expected: ExpectedRows,
  violations: Violations,
): Promise<void> {
  expected.compare(await allOf<FoundRow>(api, `/v1/records?structure=${ROWS}&`, 'records', 500), violations)
}

export async function compareNotes(
  api: Client,
  expected: ExpectedNotes,
  violations: Violations,
): Promise<void> {
  const notes = await allOf<KnownNote>(api, '/v1/notes?sort=created_at&', 'notes', 200)
  const trashed = await allOf<KnownNote>(api, '/v1/notes/trash?', 'notes', 200)
  const found = [
    ...notes.map((note) => ({ ...note, isTrashed: false })),
    ...trashed.map((note) => ({ ...note, isTrashed: true })),
  ]
  expected.compare(found, violations)
}

/** Checks that every added file exists and has its text extracted. */
export async function compareFiles(
  api: Client,
  added: readonly string[],
  violations: Violations,
): Promise<void> {
  const { files } = await api.read('read files', '/v1/files')
  const ready = new Set(
    (files as { id: string; status: string }[]).flatMap(({ id, status }) => (status === 'ready' ? id : [])),
  )
  for (const id of added.filter((each) => !ready.has(each)))
    violations.add('commands', `file ${id} is not there, or not ready`)
}

const WATCH_WITHIN_MS = 5_000

/** Checks that, without further changes, the last event of a watcher equals the list. */
export async function compareWatch(api: Client, watcher: Watcher, violations: Violations): Promise<void> {
  const { records, total } = await api.read(
    'read it all',
    `/v1/records?${queryOf({ structure: ROWS, ...watcher.query })}`,
  )
  const isSame = () => Bun.deepEquals([watcher.latest?.records, watcher.latest?.total], [records, total])
  const until = performance.now() + WATCH_WITHIN_MS
  while (!isSame() && performance.now() < until) await Bun.sleep(100)
  if (!isSame())
    violations.add(
      'watches',
      `${JSON.stringify(watcher.query)} was sent ${watcher.latest?.total} rows, the list has ${total}; the first are ${JSON.stringify([watcher.latest?.records[0], records[0]])}`,
    )
}
