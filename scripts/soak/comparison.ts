import { queryOf } from '../../test/support/records.ts'
import type { Api } from './api.ts'
import type { Findings } from './findings.ts'
import type { KnownNote, NoteLedger } from './note-ledger.ts'
import { ROWS } from './objects.ts'
import type { FoundRow, RowLedger } from './row-ledger.ts'
import type { Watcher } from './watcher.ts'

/** Reads a list to its end. */
async function allOf<Item>(api: Api, path: string, member: string, limit: number): Promise<Item[]> {
  const items: Item[] = []
  for (;;) {
    const body = await api.read('read it all', `${path}limit=${limit}&offset=${items.length}`)
    items.push(...body[member])
    if (!body.has_more) return items
  }
}

export async function compareRows(api: Api, ledger: RowLedger, findings: Findings): Promise<void> {
  ledger.compare(await allOf<FoundRow>(api, `/v1/records?structure=${ROWS}&`, 'records', 500), findings)
}

export async function compareNotes(api: Api, ledger: NoteLedger, findings: Findings): Promise<void> {
  const notes = await allOf<KnownNote>(api, '/v1/notes?sort=created_at&', 'notes', 200)
  const trashed = await allOf<KnownNote>(api, '/v1/notes/trash?', 'notes', 200)
  const found = [
    ...notes.map((note) => ({ ...note, isTrashed: false })),
    ...trashed.map((note) => ({ ...note, isTrashed: true })),
  ]
  ledger.compare(found, findings)
}

/** Every file that was added is there, and read. */
export async function compareFiles(api: Api, added: readonly string[], findings: Findings): Promise<void> {
  const { files } = await api.read('read files', '/v1/files')
  const ready = new Set(
    (files as { id: string; status: string }[]).flatMap(({ id, status }) => (status === 'ready' ? id : [])),
  )
  for (const id of added.filter((each) => !ready.has(each)))
    findings.add('commands', `file ${id} is not there, or not ready`)
}

const WATCH_WITHIN_MS = 5_000

/** Once nothing changes any more, what a watcher heard last is what the list says. */
export async function compareWatch(api: Api, watcher: Watcher, findings: Findings): Promise<void> {
  const { records, total } = await api.read(
    'read it all',
    `/v1/records?${queryOf({ structure: ROWS, ...watcher.question })}`,
  )
  const isSame = () => Bun.deepEquals([watcher.latest?.records, watcher.latest?.total], [records, total])
  const until = performance.now() + WATCH_WITHIN_MS
  while (!isSame() && performance.now() < until) await Bun.sleep(100)
  if (!isSame())
    findings.add(
      'watches',
      `${JSON.stringify(watcher.question)} was told ${watcher.latest?.total} rows, the list has ${total}; the first are ${JSON.stringify([watcher.latest?.records[0], records[0]])}`,
    )
}
