import { isSameValue } from '../../lib/record-data.ts'
import { api } from '../data/api.ts'
import { applyOnce, changesOf } from '../data/apply.ts'
import { eachOf } from '../data/each-of.ts'
import { keyOfChange } from '../data/note-text.ts'
import type { ChangedRow, PendingAction, RowsAction, TagAction } from '../data/pending-actions.ts'
import { isRetryable, Refused, Unreachable, unreachableSince } from '../data/request.ts'

/** The rest of an action that was not sent, and the error. */
interface Unsent {
  readonly action: PendingAction
  readonly error: Error
}

/** Sends an action, which the server executes once. Returns what was not executed. */
export async function sendAction(action: PendingAction, at: number): Promise<Unsent | undefined> {
  if (action.kind === 'tag') return sendTags(action, at)
  await sendRows(action)
  return undefined
}

/** Changes the tag of each note. Notes that are refused do not hold up the others. */
async function sendTags(action: TagAction, at: number): Promise<Unsent | undefined> {
  const outcomes = await eachOf(action.notes, async (note) => {
    const error = await sendTag(note.id, action, at).catch((reason: Error) => reason)
    return error ? [{ note, error }] : []
  })
  const unsent = outcomes.flat()
  const first = unsent.find(({ error }) => isRetryable(error)) ?? unsent[0]
  // Later edits wait for this one only if it throws.
  if (first?.error instanceof Unreachable) throw first.error
  return first && { action: { ...action, notes: unsent.map(({ note }) => note) }, error: first.error }
}

async function sendTag(id: string, { tag, isAdded }: TagAction, at: number): Promise<undefined> {
  if (unreachableSince.peek() !== undefined) throw new Unreachable()
  const headers = keyOfChange({ id, tag, isAdded, at })
  if (isAdded) await api.post('/v1/notes/{id}/tags', { params: { id }, body: { tags: [tag] }, headers })
  else
    await api
      .delete('/v1/notes/{id}/tags/{name}', { params: { id, name: tag }, headers })
      .catch(ignoreMissing)
}

function ignoreMissing(error: unknown): void {
  if (!(error instanceof Refused && error.status === 404)) throw error
}

const isRefusedAs = (error: unknown, code: string): boolean => error instanceof Refused && error.code === code

/** How often rows that change again and again are read again. */
const MAX_TRIES = 5

async function sendRows(action: RowsAction): Promise<void> {
  const { structure, created, sentWith } = action
  if (sentWith !== undefined) {
    const body = {
      structure: structure.id,
      rows: created.map(({ data }) => ({ data })),
      on_conflict: 'refuse',
    }
    await api.post('/v1/records', { body: body as never, headers: { 'Idempotency-Key': sentWith } })
    return
  }
  let { changed } = action
  for (let tries = 1; ; tries++)
    try {
      await applyOnce(changesOf({ ...action, changed }))
      return
    } catch (error) {
      // An earlier request without a response created the rows.
      if (isRefusedAs(error, 'name_taken')) return
      if (!isRefusedAs(error, 'stale') || tries === MAX_TRIES) throw error
      changed = await eachOf(changed, currentVersion)
    }
}

const CHANGED_MEANWHILE =
  'Someone else changed some of these cells. Copy the values, check the table, and discard this change.'

/** A changed row with its current version. Throws if one of its cells was changed meanwhile. */
async function currentVersion(row: ChangedRow): Promise<ChangedRow> {
  const { id, before, data, sent = {} } = row
  const { record } = await api.get('/v1/records/{id}', { params: { id }, isFresh: true })
  for (const [key, value] of Object.entries(data)) {
    const current = (record.data as ChangedRow['before'])[key]
    const known = [before[key], value ?? undefined, ...(sent[key] ?? [])]
    if (!known.some((one) => isSameValue(current, one))) throw new Error(CHANGED_MEANWHILE)
  }
  return { ...row, updatedAt: record.updated_at }
}
