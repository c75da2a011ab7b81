import { logChange, logShifts, logUpdate } from '../changes/log.ts'
import type { AppContext, Caller, InWorkspace } from '../context.ts'
import type { Reader } from '../db/reader.ts'
import { endOf, moveTo } from '../db/writes/positions.ts'
import type { Tx } from '../db/writes/transaction.ts'
import { patched, patchedFlag } from '../lib/patch.ts'
import { findNoteSummary } from '../notes/store.ts'
import { fail, nameTaken, notFound, refused } from '../refusal.ts'
import { presentItem } from './present.ts'
import * as store from './store.ts'

/** Items by position. */
export const listItems = (reader: Reader, { workspacePk }: InWorkspace): store.ItemRow[] =>
  store.listItemRows(reader, workspacePk)

const getItem = (reader: Reader, { workspacePk }: Caller, itemOrNoteId: string): store.ItemRow =>
  store.findItem(reader, workspacePk, itemOrNoteId) ?? fail(notFound('Quick Access item'))

export interface ItemInput {
  icon?: string | null
  color?: string | null
  icon_filled?: boolean
  position?: number
}

/** One that comes, goes or moves may shift all others, each with its change, while other writes wait. */
const MAX_ITEMS = 10_000

type NewItemInput = ItemInput & { note_id: string }

/** Pins a note as `createItem` does, and refuses a request for one more than Quick Access holds. */
export const pinNote = (tx: Tx, caller: Caller, input: NewItemInput): store.ItemRow =>
  createItem(tx, caller, input, MAX_ITEMS)

/** Pins an active note, by default at the end; joins the caller's transaction. */
export function createItem(
  tx: Tx,
  caller: Caller,
  input: NewItemInput,
  most = Number.POSITIVE_INFINITY,
): store.ItemRow {
  const { workspacePk: workspace } = caller
  const note = findNoteSummary(tx, workspace, input.note_id) ?? fail(notFound('note'))
  if (store.findItem(tx, workspace, note.id))
    throw nameTaken(`The note "${note.title}" is in Quick Access already; move it with PATCH.`)
  const id = tx.newId()
  const end = endOf(tx, 'quick_access', workspace)
  if (end >= most)
    throw refused(`Quick Access holds at most ${most.toLocaleString('en-US')} notes; unpin one first.`)
  const appearance = merged({ icon: null, color: null, iconFilled: 0 }, input)
  const pk = store.insertItem(tx, { ...appearance, id, workspace, note: note.pk, position: end })
  const shifted = moveTo(tx, 'quick_access', workspace, { pk, position: end }, input.position ?? end)
  const hidden = { note_id: note.id }
  logChange(tx, caller, { kind: 'quick_access_item', id }, 'created', { hidden })
  logShifts(tx, caller, 'quick_access_item', shifted)
  return getItem(tx, caller, id)
}

const merged = (before: store.Appearance, input: ItemInput): store.Appearance => ({
  icon: patched(input.icon, before.icon),
  color: patched(input.color, before.color),
  iconFilled: patchedFlag(input.icon_filled, before.iconFilled),
})

/** Changes the appearance of an item, or moves it. It is named by its own id or by that of its note. */
export const patchItem = (
  ctx: AppContext,
  caller: Caller,
  itemOrNoteId: string,
  input: ItemInput,
): Promise<store.ItemRow> =>
  ctx.db.write((tx) => {
    const item = getItem(tx, caller, itemOrNoteId)
    store.updateAppearance(tx, item.pk, merged(item, input))
    const { workspacePk } = caller
    const shifted = moveTo(tx, 'quick_access', workspacePk, item, input.position ?? item.position)
    const after = getItem(tx, caller, item.id)
    const object = { kind: 'quick_access_item', id: item.id } as const
    logUpdate(tx, caller, object, presentItem(item), presentItem(after), ['title'])
    logShifts(tx, caller, 'quick_access_item', shifted)
    return after
  })

/** Unpins a note, which stays. Returns the id of the item. */
export const deleteItem = (ctx: AppContext, caller: Caller, itemOrNoteId: string): Promise<string> =>
  ctx.db.write((tx) => {
    const { id, note } = getItem(tx, caller, itemOrNoteId)
    store.removeFromQuickAccess(tx, caller, note)
    return id
  })
