import { isSameValue } from '../../lib/record-data.ts'
import { api } from './api.ts'
import { applyOnce, changesOf } from './apply.ts'
import { eachOf } from './each-of.ts'
import { keyOfChange } from './note-text.ts'
import {
  actionQueue,
  type ChangedRow,
  type PendingAction,
  type RowsAction,
  type TagAction,
  type ValueAction,
} from './pending-actions.ts'
import { isRetryable, isSignedOut, Refused, Unreachable, unreachableSince } from './request.ts'
import { NotSent } from './sending.ts'
import { sessionKey } from './session-key.ts'

/** The rest of an action that was not sent, and the error. */
interface Unsent {
  readonly action: PendingAction
  readonly error: Error
}

/**
 * Returns a function that throws `NotSent` once the server cannot be reached, or the session has ended or changed: the
 * remaining requests of an action would be made by another user, or in another workspace.
 */
function sessionCheck(): () => void {
  const current = sessionKey.peek()
  return () => {
    const isCurrent = sessionKey.peek() === current && !isSignedOut.peek()
    if (!isCurrent || unreachableSince.peek() !== undefined) throw new NotSent()
  }
}

/** Sends an action, which the server executes once. Returns what was not executed. */
export async function sendAction(action: PendingAction, at: number): Promise<Unsent | undefined> {
  if (action.kind === 'tag') return sendTags(action, at)
  await (action.kind === 'value' ? sendValue(action) : sendRows(action))
  return undefined
}

/**
 * Sends an action that has just been made. A value is written whatever it replaces. Without a response, the action is stored
 * with its time, so that it will be sent with the same idempotency keys.
 */
export async function sendNow(action: TagAction | ValueAction): Promise<void> {
  const at = Date.now()
  try {
    await sendOnce(action, at)
  } catch (error) {
    if (!(error instanceof Unreachable && actionQueue.defer)) throw error
    await actionQueue.defer(action, [], at)
  }
}

async function sendOnce(action: TagAction | ValueAction, at: number): Promise<void> {
  if (action.kind === 'tag') {
    const unsent = await sendTags(action, at)
    if (unsent) throw unsent.error
    return
  }
  const { note, property, value } = action
  const params = { id: note.id }
  if (!property) await api.patch('/v1/notes/{id}', { params, body: { pinned: value === true } })
  else await api.patch('/v1/notes/{id}/properties', { params, body: { [property.key]: value } })
}

/** Changes the tag of each note. Notes that are refused do not hold up the others. */
async function sendTags(action: TagAction, at: number): Promise<Unsent | undefined> {
  const check = sessionCheck()
  const outcomes = await eachOf(action.notes, async (note) => {
    const send = async () => {
      check()
      await sendTag(note.id, action, at)
    }
    const error = await send().catch((reason: Error) => reason)
    return error ? [{ note, error }] : []
  })
  const unsent = outcomes.flat()
  const first = unsent.find(({ error }) => isRetryable(error)) ?? unsent[0]
  // Later edits wait for this one only if it throws.
  if (first?.error instanceof Unreachable) throw first.error
  return first && { action: { ...action, notes: unsent.map(({ note }) => note) }, error: first.error }
}

async function sendTag(id: string, { tag, isAdded }: TagAction, at: number): Promise<void> {
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
  const check = sessionCheck()
  let { changed } = action
  for (let tries = 1; ; tries++)
    try {
      check()
      await applyOnce(changesOf({ ...action, changed }))
      return
    } catch (error) {
      // An earlier request without a response created the rows.
      if (isRefusedAs(error, 'name_taken')) return
      if (!isRefusedAs(error, 'stale') || tries === MAX_TRIES) throw error
      changed = await eachOf(changed, (row) => {
        check()
        return currentVersion(row)
      })
    }
}

const isSameJson = (one: unknown, other: unknown): boolean =>
  JSON.stringify(one ?? null) === JSON.stringify(other ?? null)

/** Writes a value if it still has one of the values that this browser knew. */
async function sendValue({
  note: { id },
  property,
  before,
  between = [],
  value,
}: ValueAction): Promise<void> {
  const check = sessionCheck()
  for (let tries = 1; ; tries++) {
    const params = { id }
    const { note } = await api.get('/v1/notes/{id}', { params, isFresh: true })
    const current = property
      ? (await api.get('/v1/notes/{id}/properties', { params, isFresh: true })).properties[property.key]
      : note.pinned
    if (isSameJson(current, value)) return
    if (![before, ...between].some((known) => isSameJson(current, known)))
      throw new Error(
        `Someone else changed this to “${textOfValue(current)}”. Open the note to choose a value.`,
      )
    const data = property ? { properties: { [property.key]: value } } : { pinned: value }
    try {
      check()
      const change = { kind: 'note', op: 'updated', id, if_unchanged: note.updated_at, data } as const
      await applyOnce([change])
      return
    } catch (error) {
      if (!isRefusedAs(error, 'stale') || tries === MAX_TRIES) throw error
    }
  }
}

/** The value of a property as text. */
export function textOfValue(value: unknown): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
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
