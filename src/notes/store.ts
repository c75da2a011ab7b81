import { eq, sql } from 'drizzle-orm'
import type { Caller, InWorkspace } from '../context.ts'
import { isoTimestamp } from '../lib/dates.ts'
import { fail, notFound } from '../lib/refusal.ts'
import { compareNames, fold } from '../lib/text.ts'
import { runBy, touched, update, updateOf } from '../storage/query.ts'
import type { Reader } from '../storage/reader.ts'
import { notes } from '../storage/schema/notes.ts'
import { TOUCH } from '../storage/sql.ts'
import type { Tx } from '../storage/writes/transaction.ts'

/** A note without its body and tags. */
export interface NoteSummary {
  pk: number
  id: string
  title: string
  alias: string | null
  /** The further aliases as a JSON array; null until some are given. */
  aliases: string | null
  createdAt: number
  updatedAt: number
  /** The last change of title, text, alias, tags or properties by a caller. */
  editedAt: number
}

/** A note without its body. */
export interface NoteHead extends NoteSummary {
  pinned: number
  pinLabel: string | null
  coverUrl: string | null
  /** The names of its tags, as a JSON array; a tag that is being deleted is null (`tagNamesOf`). */
  tags: string
}

/** A whole note. */
export interface NoteRow extends NoteHead {
  content: string
}

/** The names of a note's tags, in no particular order. */
export const tagNamesOf = ({ tags }: Pick<NoteHead, 'tags'>): string[] =>
  (JSON.parse(tags) as (string | null)[]).filter((name) => name !== null)

const SUMMARY = `n.pk, n.id, n.title, n.alias, n.aliases, n.created_at AS createdAt, n.updated_at AS updatedAt,
  n.edited_at AS editedAt`

/*
 * Body and tags come from subqueries instead of joins. This version of SQLite prepares a join with bound values again
 * for every run, which costs more than the read itself.
 */
const HEAD = `${SUMMARY}, n.pinned, n.pin_label AS pinLabel, n.cover_url AS coverUrl,
  (SELECT json_group_array((SELECT name FROM tags t WHERE t.id = nt.tag))
   FROM note_tags nt WHERE nt.note = n.pk) AS tags`
const WHOLE = `${HEAD}, (SELECT content FROM note_bodies b WHERE b.note = n.pk) AS content`

const BY_ID = 'FROM notes n WHERE n.id = ? AND n.workspace = ? AND n.deleted_at IS'
const WHOLE_BY_ID = `SELECT ${WHOLE} ${BY_ID} NULL`
const SUMMARY_BY_ID = `SELECT ${SUMMARY} ${BY_ID} NULL`

/** An active note. */
export const findNote = ({ sql }: Reader, workspace: number, id: string): NoteRow | undefined =>
  sql.get(WHOLE_BY_ID, id, workspace)

export const getNote = (reader: Reader, { workspacePk }: InWorkspace, id: string): NoteRow =>
  findNote(reader, workspacePk, id) ?? fail(notFound('note'))

/** An active note without body and tags. */
export const findNoteSummary = ({ sql }: Reader, workspace: number, id: string): NoteSummary | undefined =>
  sql.get(SUMMARY_BY_ID, id, workspace)

export const getNoteSummary = (reader: Reader, { workspacePk }: InWorkspace, id: string): NoteSummary =>
  findNoteSummary(reader, workspacePk, id) ?? fail(notFound('note'))

/** A note in the trash. */
export const findTrashedNote = ({ sql }: Reader, workspace: number, id: string): NoteRow | undefined =>
  sql.get(`SELECT ${WHOLE} ${BY_ID} NOT NULL`, id, workspace)

/** The active note with this alias, its own or a further one; `aliasFold` is the case-folded alias. */
export const findByAlias = ({ sql }: Reader, workspace: number, aliasFold: string): NoteSummary | undefined =>
  sql.get(
    `SELECT ${SUMMARY} FROM notes n WHERE n.pk = coalesce(
       (SELECT pk FROM notes WHERE workspace = ?1 AND alias_fold = ?2 AND deleted_at IS NULL),
       (SELECT note FROM note_aliases WHERE workspace = ?1 AND alias_fold = ?2))`,
    workspace,
    aliasFold,
  )

const ofPage = (columns: string) =>
  `SELECT ${columns} FROM json_each(?) AS page CROSS JOIN notes n ON n.pk = page.value ORDER BY page.key`

/** Whole notes in the order of the given pks. */
export const loadNotes = ({ sql }: Reader, pks: readonly number[]): NoteRow[] =>
  sql.all(ofPage(WHOLE), JSON.stringify(pks))

/** Notes without their bodies, in the order of the given pks; reads no bodies. */
export const loadNoteHeads = ({ sql }: Reader, pks: readonly number[]): NoteHead[] =>
  sql.all(ofPage(HEAD), JSON.stringify(pks))

/** The first characters of the bodies of these notes. */
export const loadBeginnings = ({ sql }: Reader, pks: readonly number[], length: number): string[] =>
  sql.column(
    `SELECT (SELECT substr(content, 1, ?) FROM note_bodies b WHERE b.note = page.value)
     FROM json_each(?) AS page ORDER BY page.key`,
    length,
    JSON.stringify(pks),
  )

/** Ids and titles by pk. */
export const loadTitles = ({ sql }: Reader, pks: readonly number[]): Map<number, NoteTitle> =>
  new Map(
    sql
      .rows<[number, string, string]>(
        'SELECT pk, id, title FROM notes WHERE pk IN (SELECT value FROM json_each(?))',
        JSON.stringify(pks),
      )
      .map(([pk, id, title]) => [pk, { id, title }]),
  )

export type NoteTitle = Pick<NoteSummary, 'id' | 'title'>

export type NoteChanges = Partial<
  Pick<
    typeof notes.$inferInsert,
    'title' | 'titleFold' | 'alias' | 'aliasFold' | 'aliases' | 'pinned' | 'pinLabel' | 'coverUrl'
  >
>

/** An alias, and its form for lookups. */
export const aliasColumns = (alias: string | null) => ({
  alias,
  aliasFold: alias === null ? null : fold(alias),
})

const writeColumns = updateOf(notes, notes.pk)
const touchEdited = runBy((pk: number, now: number) =>
  update(notes, { updatedAt: touched(now), editedAt: touched(now) }, eq(notes.pk, pk)),
)

const markEdited = runBy((pk: number) => update(notes, { editedAt: sql`updated_at` }, eq(notes.pk, pk)))

/**
 * Sets the columns and moves `updated_at` forward: to now, or by a millisecond if now is not later. A caller's change
 * of title, text, alias, tags or properties also moves `edited_at`.
 */
export function updateNote(tx: Tx, pk: number, changes: NoteChanges, isEdit = true): void {
  if (Object.keys(changes).length === 0) {
    touchNote(tx, pk)
    return
  }
  writeColumns(tx, pk, changes, tx.now)
  if (isEdit) markEdited(tx, pk)
}

/**
 * Clears the alias of a note if `updateNote` will replace it later in the transaction, so that notes can exchange
 * aliases.
 */
export const releaseAlias = ({ sql }: Tx, id: string, alias: string | null): void =>
  void sql.run('UPDATE notes SET alias_fold = NULL WHERE id = ? AND alias IS NOT ?', id, alias)

/** Moves `updated_at` and `edited_at` of a note after a caller changed its text, alias, tags or properties. */
export const touchNote = (tx: Tx, pk: number): void => void touchEdited(tx, pk, tx.now)

/** Moves `updated_at` of these notes, a JSON array of pks, and `edited_at` if a caller edited them. */
export function touchNotes({ sql, now }: Tx, notes: string, isEdit = false): void {
  const among = 'WHERE pk IN (SELECT value FROM json_each(?))'
  sql.run(`UPDATE notes SET ${TOUCH} ${among}`, now, notes)
  if (isEdit) sql.run(`UPDATE notes SET edited_at = updated_at ${among}`, notes)
}

/** Empty if the body is missing. */
export const contentOf = ({ sql }: Reader, note: number): string =>
  sql.column<string>('SELECT content FROM note_bodies WHERE note = ?', note)[0] ?? ''

export const updatedAtOf = ({ sql }: Reader, note: number): number | undefined =>
  sql.column<number>('SELECT updated_at FROM notes WHERE pk = ?', note)[0]

export const updateContent = ({ sql }: Tx, pk: number, content: string) =>
  sql.run('UPDATE note_bodies SET content = ? WHERE note = ?', content, pk)

/** Saves the version that a change of title or body will replace; returns its pk. */
export const saveRevision = (
  tx: Tx,
  { surface }: Pick<Caller, 'surface'>,
  { pk, title }: Pick<NoteRow, 'pk' | 'title'>,
): number =>
  tx.sql.run(
    `INSERT INTO revisions (id, note, created_at, surface, title, content)
     VALUES (?1, ?2, ?3, ?4, ?5, (SELECT content FROM note_bodies WHERE note = ?2))`,
    tx.newId(),
    pk,
    tx.now,
    surface,
    title,
  ).lastInsertRowid

/** Adds to the workspace's counts of active and trashed notes. */
export const addToCounters = ({ sql }: Tx, workspace: number, active: number, trashed: number) =>
  sql.run(
    'UPDATE workspaces SET live_notes = live_notes + ?, trashed_notes = trashed_notes + ? WHERE pk = ?',
    active,
    trashed,
    workspace,
  )

/* The presented form of notes. */

type Aliases = Pick<NoteSummary, 'alias' | 'aliases'>

/** The further aliases of a note. */
export const furtherAliasesOf = ({ aliases }: Pick<Aliases, 'aliases'>): string[] =>
  aliases === null ? [] : JSON.parse(aliases)

/** All aliases of a note: its `alias` first, then the further ones. */
export const aliasesOf = ({ alias, aliases }: Aliases): string[] => [
  ...(alias === null ? [] : [alias]),
  ...furtherAliasesOf({ aliases }),
]

const presentAliases = ({ aliases }: Pick<NoteHead, 'aliases'>): { aliases?: string[] } =>
  aliases === null ? {} : { aliases: JSON.parse(aliases) }

/** The attribute of notes that are sorted by their last edit, and of notes in a feed that requests it. */
export const presentEdited = ({ editedAt }: Pick<NoteHead, 'editedAt'>) => ({
  edited_at: isoTimestamp(editedAt),
})

/** A note in a list without bodies. */
export const presentNoteHead = (row: NoteHead) => ({
  id: row.id,
  title: row.title,
  tags: tagNamesOf(row).sort(compareNames),
  alias: row.alias,
  ...presentAliases(row),
  pinned: row.pinned === 1,
  pin_label: row.pinLabel,
  cover_url: row.coverUrl,
  created_at: isoTimestamp(row.createdAt),
  updated_at: isoTimestamp(row.updatedAt),
})

/** Lists its attributes explicitly, because copying those of the head would take as long as reading the note. */
export const presentNote = (row: NoteRow) => ({
  id: row.id,
  title: row.title,
  content: row.content,
  tags: tagNamesOf(row).sort(compareNames),
  alias: row.alias,
  ...presentAliases(row),
  pinned: row.pinned === 1,
  pin_label: row.pinLabel,
  cover_url: row.coverUrl,
  created_at: isoTimestamp(row.createdAt),
  updated_at: isoTimestamp(row.updatedAt),
})
