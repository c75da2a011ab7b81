import { type ChangeKind, differenceText } from '../changes/entries.ts'
import type { Change } from '../changes/read.ts'
import type { Caller } from '../context.ts'
import type { Reader } from '../db/reader.ts'
import type { Tx } from '../db/writes/transaction.ts'
import { quoteList } from '../lib/text.ts'
import { type NoteText, type Rewrite, replaceEach } from '../notes/writing/replace-content.ts'
import { fail, refused } from '../refusal.ts'

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
const findOldContent = (
  { sql }: Reader,
  { pk }: Pick<NoteText, 'pk'>,
  { replaced, at }: Change,
): string | undefined =>
  sql.get<{ content: string }>(
    'SELECT content FROM revisions WHERE pk = ? AND note = ? AND created_at = ?',
    replaced,
    pk,
    at,
  )?.content

export const getOldContent = (reader: Reader, note: Pick<NoteText, 'pk' | 'title'>, change: Change): string =>
  findOldContent(reader, note, change) ??
  fail(
    refused(
      `The text that the note ${quoteList([note.title])} had is no longer kept; revisions are kept 7 days.`,
    ),
  )

/** The notes among the objects whose bodies alone changed, by pk, each with its first change. */
function firstChanges(
  { sql }: Reader,
  workspace: number,
  objects: readonly ChangedObject[],
): Map<number, Change> {
  const texts = objects.filter(changedBodyAlone)
  const pks = new Map(
    sql.rows<[id: string, pk: number]>(
      'SELECT id, pk FROM notes WHERE workspace = ? AND id IN (SELECT value FROM json_each(?))',
      workspace,
      JSON.stringify(texts.map(({ id }) => id)),
    ),
  )
  const changes = new Map<number, Change>()
  for (const {
    id,
    changes: [first],
  } of texts) {
    const pk = pks.get(id)
    if (pk !== undefined && first) changes.set(pk, first)
  }
  return changes
}

/** Gives notes, by pk, the bodies that these changes replaced. */
export function undoBodies(tx: Tx, caller: Caller, changes: ReadonlyMap<number, Change>): void {
  const takeBack: Rewrite = (note) => {
    const change = changes.get(note.pk)
    return change && differing(note, getOldContent(tx, note, change))
  }
  replaceEach(tx, caller, [...changes.keys()], takeBack)
}

const differing = (note: NoteText, content: string | undefined) =>
  content === undefined || content === note.content ? undefined : { content, links: 0 }

/** Takes back the changes of notes whose bodies alone changed; returns the ids of these notes. */
export function undoTexts(tx: Tx, caller: Caller, objects: readonly ChangedObject[]): Set<string> {
  const changes = firstChanges(tx, caller.workspacePk, objects)
  undoBodies(tx, caller, changes)
  return new Set([...changes.values()].map(({ id }) => String(id)))
}
