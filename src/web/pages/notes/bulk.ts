import { api } from '../../data/api.ts'
import { type AppliedChange, applyChanges, NotApplied } from '../../data/apply.ts'
import { type NoteQuery, type Row, readSlice } from './list-data.ts'
import { selected, setSelected } from './selection.ts'

/** Notes selected at a time, at most. */
export const MAX_SELECTED = 10_000
const SLICE = 200
/** Concurrent requests. */
const MAX_PARALLEL = 8

/** Selects all notes of a list. */
export async function selectAll(noteQuery: NoteQuery): Promise<void> {
  const rows = new Map<string, Row>()
  for (let offset = 0; offset < MAX_SELECTED; offset += SLICE) {
    const page = await readSlice(noteQuery, { limit: SLICE, offset })
    for (const row of page.rows) rows.set(row.id, row)
    if (page.rows.length < SLICE) break
  }
  setSelected(rows)
}

/** Calls a function for each item, up to MAX_PARALLEL at a time. Results are in the order of the items. */
export async function eachOf<Item, Result>(
  items: readonly Item[],
  act: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  let next = 0
  const work = async () => {
    while (next < items.length) {
      const index = next++
      results[index] = await act(items[index] as Item)
    }
  }
  await Promise.all(Array.from({ length: MAX_PARALLEL }, work))
  return results
}

/** Fetches the current version of all selected notes. */
async function refetch(): Promise<void> {
  const rows = await eachOf([...selected.peek().values()], async (row) => {
    const { note } = await api.get('/v1/notes/{id}', { params: { id: row.id } })
    return { ...row, updatedAt: note.updated_at, tags: note.tags }
  })
  setSelected(new Map(rows.map((row) => [row.id, row])))
}

/** Deselects a deleted note, so that a retry can succeed for the others. */
function deselectDeleted(index: number | undefined): never {
  setSelected(new Map([...selected.peek()].filter((_, other) => other !== index)))
  throw new Error(
    'One of the notes was deleted meanwhile and is no longer selected. Nothing was changed; try again.',
  )
}

/** Changes all selected notes or none; returns the transactions. */
export async function changeSelected(
  changeOf: (row: Row) => Pick<AppliedChange, 'op' | 'data' | 'if_unchanged'>,
): Promise<readonly string[]> {
  const apply = () =>
    applyChanges([...selected.peek().values()].map((row) => ({ kind: 'note', id: row.id, ...changeOf(row) })))
  try {
    return await apply()
  } catch (error) {
    if (!(error instanceof NotApplied)) throw error
    if (error.code === 'not_found') deselectDeleted(error.at)
    if (error.code !== 'stale') throw error
    await refetch()
    return apply()
  }
}
