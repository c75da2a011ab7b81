import { api } from '../../data/api.ts'
import { type AppliedChange, applyChanges, NotApplied } from '../../data/apply.ts'
import { type NoteQuery, type Row, readSlice } from './list-data.ts'
import { picked, setPicked } from './picks.ts'

/** Up to this many notes are chosen at a time. */
export const MOST_PICKED = 10_000
const SLICE = 200
/** Notes that are read at the same time. */
const TOGETHER = 8

/** Chooses every note of a list. */
export async function pickAll(noteQuery: NoteQuery): Promise<void> {
  const rows = new Map<string, Row>()
  for (let offset = 0; offset < MOST_PICKED; offset += SLICE) {
    const page = await readSlice(noteQuery, { limit: SLICE, offset })
    for (const row of page.rows) rows.set(row.id, row)
    if (page.rows.length < SLICE) break
  }
  setPicked(rows)
}

/** Calls a function for each of the items, some at the same time; the results come in the order of the items. */
export async function eachOf<Item, Result>(
  items: readonly Item[],
  act: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  let next = 0
  const work = async () => {
    while (next < items.length) {
      const at = next++
      results[at] = await act(items[at] as Item)
    }
  }
  await Promise.all(Array.from({ length: TOGETHER }, work))
  return results
}

/** The notes that are chosen and still there, as they are now. */
async function refetch(): Promise<void> {
  const rows = await eachOf([...picked.peek().values()], async (row) => {
    const { note } = await api.get('/v1/notes/{id}', { params: { id: row.id } })
    return { ...row, updatedAt: note.updated_at, tags: note.tags }
  })
  setPicked(new Map(rows.map((row) => [row.id, row])))
}

/** A note that is gone is no longer chosen, so that the others can be changed. */
function forgetGone(at: number | undefined): never {
  setPicked(new Map([...picked.peek()].filter((_, place) => place !== at)))
  throw new Error('One of the notes is not there any more, and no longer chosen. Nothing was written.')
}

/** Changes every note that is chosen, all or none; returns the transactions. */
export async function changePicked(
  changeOf: (row: Row) => Pick<AppliedChange, 'op' | 'data' | 'if_unchanged'>,
): Promise<readonly string[]> {
  const apply = () =>
    applyChanges([...picked.peek().values()].map((row) => ({ kind: 'note', id: row.id, ...changeOf(row) })))
  try {
    return await apply()
  } catch (error) {
    if (!(error instanceof NotApplied)) throw error
    if (error.code === 'not_found') forgetGone(error.at)
    if (error.code !== 'stale') throw error
    await refetch()
    return apply()
  }
}
