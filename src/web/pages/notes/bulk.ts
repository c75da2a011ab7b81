import { effect } from '@preact/signals'
import { api } from '../../data/api.ts'
import { type AppliedChange, applyChanges, NotApplied, undoTransactions } from '../../data/apply.ts'
import { eachOf } from '../../data/each-of.ts'
import { deferAction, mustWait, type TagAction } from '../../data/pending-actions.ts'
import { withTag } from '../../data/pending-values.ts'
import { Refused, Unreachable, unreachableSince } from '../../data/request.ts'
import { type NoteQuery, type Row, readSlice } from './list-data.ts'
import { selected, setSelected } from './selection.ts'

/** Notes selected at a time, at most. */
export const MAX_SELECTED = 10_000
const SLICE = 200

/** Whether selected rows may come from the offline copy, whose tags include pending ones. */
let isFromCopy = false
effect(() => {
  isFromCopy ||= unreachableSince.value !== undefined
})

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

/** Fetches the current version of all selected notes. Deleted ones stay as they are. */
async function refetch(): Promise<void> {
  const rows = await eachOf([...selected.peek().values()], async (row) => {
    try {
      const { note } = await api.get('/v1/notes/{id}', { params: { id: row.id }, isFresh: true })
      return { ...row, updatedAt: note.updated_at, tags: note.tags }
    } catch (error) {
      if (error instanceof Refused && error.status === 404) return row
      throw error
    }
  })
  setSelected(new Map(rows.map((row) => [row.id, row])))
  isFromCopy = false
}

/** Deselects a deleted note, so that a retry can succeed for the others. */
function deselectDeleted(index: number | undefined): never {
  setSelected(new Map([...selected.peek()].filter((_, other) => other !== index)))
  throw new Error(
    'One of the notes was deleted meanwhile and is no longer selected. Nothing was changed; try again.',
  )
}

/** Undoes a change of the selected notes. */
export type Undo = () => Promise<unknown>

/** Changes all selected notes or none. */
export async function changeSelected(
  changeOf: (row: Row) => Pick<AppliedChange, 'op' | 'data' | 'if_unchanged'>,
): Promise<Undo> {
  const apply = async () => {
    const transactions = await applyChanges(
      [...selected.peek().values()].map((row) => ({ kind: 'note', id: row.id, ...changeOf(row) })),
    )
    return () => undoTransactions(transactions)
  }
  try {
    if (isFromCopy) await refetch()
    return await apply()
  } catch (error) {
    if (!(error instanceof NotApplied)) throw error
    if (error.code === 'not_found') deselectDeleted(error.at)
    if (error.code !== 'stale') throw error
    await refetch()
    return apply()
  }
}

/** Adds a tag to all selected notes, or removes it. While the server cannot be reached, the change waits in this browser. */
export async function tagSelected(tag: string, isAdded: boolean): Promise<Undo> {
  try {
    const action = tagAction([...selected.peek().values()], tag, isAdded)
    if (mustWait(action)) throw new Unreachable()
    return await changeSelected(({ tags, updatedAt }) => ({
      op: 'updated',
      ...(updatedAt !== undefined && { if_unchanged: updatedAt }),
      data: { tags: withTag(tags, tag, isAdded) },
    }))
  } catch (error) {
    if (!(error instanceof Unreachable)) throw error
    return deferTag(tag, isAdded)
  }
}

const tagAction = (notes: readonly Row[], tag: string, isAdded: boolean): TagAction => ({
  kind: 'tag',
  notes: notes.map(({ id, title }) => ({ id, title })),
  tag,
  isAdded,
})

async function deferTag(tag: string, isAdded: boolean): Promise<Undo> {
  const rows = [...selected.peek().values()]
  const defer = (notes: readonly Row[], isNowAdded: boolean) => deferAction(tagAction(notes, tag, isNowAdded))
  await defer(rows, isAdded)
  setSelected(new Map(rows.map((row) => [row.id, { ...row, tags: withTag(row.tags, tag, isAdded) }])))
  const changed = rows.filter(({ tags }) => withTag(tags, tag, isAdded).length !== tags.length)
  return async () => changed.length > 0 && defer(changed, !isAdded)
}
