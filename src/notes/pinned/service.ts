import type { Static } from '@sinclair/typebox'
import { eq, getTableColumns, sql } from 'drizzle-orm'
import type { Caller, InWorkspace } from '../../context.ts'
import { read, write } from '../../kernel/operation.ts'
import { isoTimestamp } from '../../lib/dates.ts'
import { atPlace, fail, nameTaken, notFound, refused } from '../../lib/refusal.ts'
import { withCommas } from '../../lib/text.ts'
import type { ChangeAuthor } from '../../log/log.ts'
import { objectKind } from '../../log/objects/objects.ts'
import type { Reader } from '../../storage/reader.ts'
import { quickAccess } from '../../storage/schema/quick-access.ts'
import type { Tx } from '../../storage/writes/transaction.ts'
import { findNoteSummary } from '../store.ts'
import type { CreateItemBody, PatchItemBody } from './schema.ts'

const ofNote = (column: string) =>
  sql<string>`(SELECT ${sql.raw(column)} FROM notes n WHERE n.pk = quick_access.note)`

export const itemKind = objectKind({
  kind: 'quick_access_item',
  noun: 'Quick Access item',
  table: quickAccess,
  read: { ...getTableColumns(quickAccess), noteId: ofNote('id'), title: ofNote('title') },
  order: [quickAccess.position],
  derived: ['title'],
  present: (row) => ({
    id: row.id,
    note_id: row.noteId,
    title: row.title,
    icon: row.icon,
    color: row.color,
    icon_filled: row.iconFilled === 1,
    position: row.position,
    created_at: isoTimestamp(row.createdAt),
  }),
})

export const listItems = read({
  name: 'quick-access.list',
  covers: 'notes',
  run: (snapshot, caller) => ({ items: itemKind.list(snapshot, caller) }),
})

const findByNote = itemKind.findBy((note: number) => eq(quickAccess.note, note))
const findByNoteId = itemKind.findBy(
  (id: string) => sql`${quickAccess.note} = (SELECT pk FROM notes WHERE notes.id = ${id})`,
)

/** Finds an item by its own id or by the id of its note. */
const getRow = (reader: Reader, { workspacePk }: InWorkspace, id: string) =>
  itemKind.findById(reader, workspacePk, id) ??
  findByNoteId(reader, workspacePk, id) ??
  fail(itemKind.notFound)

/**
 * Adding, removing or moving an item may shift all others, each with a logged change, and blocks other writes
 * meanwhile.
 */
const MAX_ITEMS = 10_000

type NewItemInput = Static<typeof CreateItemBody>

/** Pins a note; refuses items over the limit of Quick Access. */
export const createItem = write({
  name: 'quick-access.create',
  covers: 'notes',
  run: (tx, caller, { body }: { body: NewItemInput }) => ({ item: insertItem(tx, caller, body, MAX_ITEMS) }),
})

/** Pins an active note, by default at the end; joins the caller's transaction. */
export function insertItem(tx: Tx, caller: Caller, input: NewItemInput, most = Number.POSITIVE_INFINITY) {
  const { workspacePk: workspace } = caller
  const note = findNoteSummary(tx, workspace, input.note_id) ?? fail(notFound('note'))
  if (findByNote(tx, workspace, note.pk))
    throw nameTaken(
      `The note "${note.title}" is in Quick Access already; move it with PATCH.`,
      atPlace('note_id'),
    )
  if (itemKind.count(tx, workspace) >= most)
    throw refused(`Quick Access holds at most ${withCommas(most)} notes; unpin one first.`)
  const columns = { iconFilled: 0, ...itemKind.columnsOf(input), note: note.pk }
  return itemKind.create(tx, caller, columns, { position: input.position, hidden: { note_id: note.id } })
}

/** Changes the appearance of an item, or moves it. The id is that of the item or of its note. */
export const patchItem = write({
  name: 'quick-access.patch',
  covers: 'notes',
  run: (tx, caller, { id, body }: { id: string; body: Static<typeof PatchItemBody> }) => {
    const { position, ...appearance } = body
    const row = getRow(tx, caller, id)
    return { item: itemKind.update(tx, caller, row, itemKind.columnsOf(appearance), { position }) }
  },
})

/** Unpins a note without deleting it. */
export const deleteItem = write({
  name: 'quick-access.delete',
  covers: 'notes',
  run: (tx, caller, { id }: { id: string }) => ({
    deleted: true,
    id: remove(tx, caller, getRow(tx, caller, id)),
  }),
})

/** Removes a note from Quick Access, if it is there; later items move up. */
export function removeFromQuickAccess(tx: Tx, author: ChangeAuthor, note: number): void {
  const item = findByNote(tx, author.workspacePk, note)
  if (item) remove(tx, author, item)
}

/** The parts of a removed item that the log stores, so that undo can restore it. */
export interface RemovedItem extends Required<NewItemInput> {
  readonly createdAt: number
}

function remove(tx: Tx, author: ChangeAuthor, item: ReturnType<typeof getRow>): string {
  const { noteId: note_id, icon, color, iconFilled, position, createdAt } = item
  const hidden: RemovedItem = { note_id, icon, color, icon_filled: iconFilled === 1, position, createdAt }
  itemKind.delete(tx, author, item, { hidden })
  return item.id
}
