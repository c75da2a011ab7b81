import { differenceOf } from '../../changes/entries.ts'
import { type ChangeAuthor, logChange } from '../../changes/log.ts'
import type { Tx } from '../../db/writes/transaction.ts'
import { presentNote } from '../present.ts'
import type { NoteRow } from '../store.ts'
import type { PropertyValues } from './properties.ts'

interface NoteUpdate {
  /** Values that changed, as they were; null where there was none. */
  readonly previousProperties?: PropertyValues
  /** The pk of the revision with the replaced text. */
  readonly revision?: number
}

/** Logs what differs between a note before and after a change. Of its text only the name is logged: a revision holds it. */
export function logNoteUpdate(
  tx: Tx,
  author: ChangeAuthor,
  before: NoteRow,
  after: NoteRow,
  { previousProperties = {}, revision }: NoteUpdate = {},
): void {
  const { changed, previous } = differenceOf(presentNote(before), presentNote(after))
  const { content: _, ...old } = previous
  const hasProperties = Object.keys(previousProperties).length > 0
  const names = hasProperties ? [...changed, 'properties'] : changed
  if (names.length === 0) return
  const all = hasProperties ? { ...old, properties: previousProperties } : old
  logChange(tx, author, { kind: 'note', id: before.id }, 'updated', {
    difference: { changed: names, previous: all },
    ...(revision !== undefined && { replaced: revision }),
  })
}

/** Logs one update of many notes of which a single attribute changed. */
export function logAttribute(
  tx: Tx,
  author: ChangeAuthor,
  id: string,
  name: 'tags' | 'properties' | 'content',
  previous: unknown,
  revision?: number,
): void {
  const old = name === 'content' ? {} : { [name]: previous }
  logChange(tx, author, { kind: 'note', id }, 'updated', {
    difference: { changed: [name], previous: old },
    ...(revision !== undefined && { replaced: revision }),
  })
}

/** Logs that a note lost a value because of a deletion; `deleted` names, in words, what was deleted. */
export const logLoss = (
  tx: Tx,
  author: ChangeAuthor,
  id: string,
  previous: { readonly tags: readonly string[] } | { readonly properties: PropertyValues },
  deleted: string,
): void =>
  logChange(tx, author, { kind: 'note', id }, 'updated', {
    difference: { changed: Object.keys(previous), previous, deleted },
  })
