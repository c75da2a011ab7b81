import { type ChangeKind, differenceText, parseDifference } from '../changes/entries.ts'
import type { Change } from '../changes/read.ts'
import type { Caller } from '../context.ts'
import type { Reader } from '../db/reader.ts'
import type { Tx } from '../db/writes/transaction.ts'
import { quoteList } from '../lib/text.ts'
import { type NoteText, replaceEach } from '../notes/writing/replace-content.ts'
import { refused } from '../refusal.ts'

/*
 * Notes of which a transaction changed the body alone, as it does where links are rewritten, are taken back together, in
 * few statements.
 */

/** All changes of one object in the transaction that is undone, in order. */
export interface ChangedObject {
  readonly kind: Extract<ChangeKind, 'note' | 'record'>
  readonly id: string
  readonly changes: Change[]
}

const BODY_ALONE = differenceText({ changed: ['content'], previous: {} })

const changedBodyAlone = ({ kind, changes }: ChangedObject): boolean =>
  kind === 'note' &&
  changes.every(({ operation, detail }) => operation === 'updated' && detail === BODY_ALONE)

/** The body that a change replaced: it is in a revision, unless retention removed that and its pk was given to another. */
export function getOldContent(
  { sql }: Reader,
  { pk, title }: Pick<NoteText, 'pk' | 'title'>,
  { replaced, at }: Change,
): string {
  const select = 'SELECT content FROM revisions WHERE pk = ? AND note = ? AND created_at = ?'
  const [content] = sql.column<string>(select, replaced, pk, at)
  if (content !== undefined) return content
  throw refused(
    `The text that the note ${quoteList([title])} had is no longer kept; revisions are kept 7 days.`,
  )
}

/** Gives notes, by pk, the bodies that these changes replaced. */
export function undoBodies(
  tx: Tx,
  caller: Caller,
  changes: ReadonlyMap<number, Change>,
  isEdit = false,
): void {
  const restored = (note: NoteText) => {
    const change = changes.get(note.pk)
    const content = change ? getOldContent(tx, note, change) : note.content
    return content === note.content ? undefined : { content, links: 0 }
  }
  replaceEach(tx, caller, [...changes.keys()], restored, isEdit)
}

/** Whether a note got another name: what the transaction changed in other bodies are links to it. */
const isRenaming = ({ changes }: ChangedObject): boolean =>
  changes.some(({ operation, detail }) => {
    const { changed } = parseDifference(operation === 'updated' && detail !== null ? detail : '{}')
    return changed.includes('title') || changed.includes('alias')
  })

/** Takes back the changes of notes whose bodies alone changed; returns the ids of these notes. */
export function undoTexts(tx: Tx, caller: Caller, objects: readonly ChangedObject[]): Set<string> {
  const firsts = new Map(objects.filter(changedBodyAlone).map(({ id, changes }) => [id, changes[0]]))
  const notes = tx.sql.rows<[id: string, pk: number]>(
    'SELECT id, pk FROM notes WHERE workspace = ? AND id IN (SELECT value FROM json_each(?))',
    caller.workspacePk,
    JSON.stringify([...firsts.keys()]),
  )
  const pks = new Map(notes)
  const changes = new Map<number, Change>()
  for (const [id, first] of firsts) {
    const pk = pks.get(id)
    if (pk !== undefined && first) changes.set(pk, first)
  }
  undoBodies(tx, caller, changes, !objects.some(isRenaming))
  return new Set(pks.keys())
}
