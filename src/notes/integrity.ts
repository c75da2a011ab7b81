import { keysOf } from '../kernel/jobs.ts'
import { counted, fold } from '../lib/text.ts'
import { distinctLinkKeys } from '../lib/wiki-links.ts'
import { type ExpectedEntry, type SearchTableCheck, searchTableFaults } from '../search/integrity.ts'
import { createWordTable, hasTable } from '../search/tables.ts'
import type { IntegrityCheck } from '../storage/integrity.ts'
import type { Reader } from '../storage/reader.ts'
import { scanByPk } from '../storage/scan-by-pk.ts'
import { indexLinksAtOnce, linkIndexing } from './links/indexing.ts'
import { MAY_LINK, propertyLinkKeys } from './links/property-links.ts'
import {
  FULL_TABLE,
  findIndexable,
  indexedColumns,
  indexNote,
  indexTagName,
  SEARCH_TABLES,
  TAG_TABLE,
  TITLE_TABLE,
  textIn,
} from './search/indexing.ts'
import { aliasColumns, furtherAliasesOf } from './store.ts'

const COUNTS = `SELECT w.pk, w.name, w.live_notes AS live, w.trashed_notes AS trashed,
    (SELECT count(*) FROM notes n WHERE n.workspace = w.pk AND n.deleted_at IS NULL) AS liveFound,
    (SELECT count(*) FROM notes n WHERE n.workspace = w.pk AND n.deleted_at IS NOT NULL) AS trashedFound
  FROM workspaces w`

interface Counts {
  pk: number
  name: string
  live: number
  trashed: number
  liveFound: number
  trashedFound: number
}

/** Checks that the workspaces count their active and trashed notes correctly. */
export const noteCountCheck: IntegrityCheck = {
  *faults({ sql }) {
    for (const { name, live, trashed, liveFound, trashedFound } of sql.all<Counts>(COUNTS)) {
      if (live === liveFound && trashed === trashedFound) continue
      yield `The workspace "${name}" counts ${counted(live, 'note')} and ${trashed} in the trash; it holds ${liveFound} and ${trashedFound}.`
    }
  },
  repair: ({ sql }) => {
    for (const { pk, liveFound, trashedFound } of sql.all<Counts>(COUNTS)) {
      sql.run(
        'UPDATE workspaces SET live_notes = ?, trashed_notes = ? WHERE pk = ?',
        liveFound,
        trashedFound,
        pk,
      )
    }
  },
}

interface NoteTexts {
  pk: number
  id: string
  workspace: number
  title: string
  titleFold: string
  alias: string | null
  aliasFold: string | null
  /** The further aliases as a JSON array; null until some are given. */
  aliases: string | null
  /** The indexed further aliases, as a JSON array. */
  indexed: string
  /** Null when the body is missing. */
  content: string | null
  /** The targets stored for the note, as a JSON array. */
  targets: string
  /** 1 if a property value may contain links. */
  hasLinkedValues: 0 | 1
  /** 1 if the links are marked as out of date. */
  isPending: 0 | 1
  isTrashed: 0 | 1
}

const BATCH_SIZE = 200

/** Every note, including trashed ones. */
const allNotes = ({ sql }: Reader) =>
  scanByPk((after) =>
    sql.all<NoteTexts>(
      `SELECT n.pk, n.id, n.workspace, n.title, n.title_fold AS titleFold, n.alias, n.alias_fold AS aliasFold,
         n.aliases, (SELECT json_group_array(a.alias_fold) FROM note_aliases a WHERE a.note = n.pk) AS indexed, b.content, (SELECT json_group_array(l.target) FROM note_links l WHERE l.note = n.pk) AS targets,
         EXISTS (SELECT 1 FROM note_properties WHERE note = n.pk AND ${MAY_LINK}) AS hasLinkedValues,
         n.pk IN (${keysOf(linkIndexing)}) AS isPending,
         n.deleted_at IS NOT NULL AS isTrashed
       FROM notes n LEFT JOIN note_bodies b ON b.note = n.pk WHERE n.pk > ? ORDER BY n.pk LIMIT ?`,
      after,
      BATCH_SIZE,
    ),
  )

const foldsOf = ({ title, alias }: NoteTexts) => ({ titleFold: fold(title), ...aliasColumns(alias) })

function hasWrongFolds(note: NoteTexts): boolean {
  const { titleFold, aliasFold } = foldsOf(note)
  return note.titleFold !== titleFold || note.aliasFold !== aliasFold
}

/** A trashed note has no indexed aliases, because other notes may take them. */
function hasWrongAliases({ aliases, indexed, isTrashed }: NoteTexts): boolean {
  if (aliases === null) return indexed !== '[]'
  const expected = isTrashed === 1 ? [] : furtherAliasesOf({ aliases }).map(fold)
  return JSON.stringify(expected.sort()) !== JSON.stringify((JSON.parse(indexed) as string[]).sort())
}

/** Skips an alias that another note has. */
function reindexAliases({ sql }: Reader, { pk, workspace, aliases, isTrashed }: NoteTexts): void {
  sql.run('DELETE FROM note_aliases WHERE note = ?', pk)
  if (isTrashed === 1) return
  const insert = 'INSERT OR IGNORE INTO note_aliases (workspace, alias_fold, note) VALUES (?, ?, ?)'
  for (const alias of furtherAliasesOf({ aliases })) sql.run(insert, workspace, fold(alias), pk)
}

/** A trashed note may lack links, because its purge may have begun. A restored note gets them again. */
function hasWrongLinks(
  reader: Reader,
  { pk, content, targets, hasLinkedValues, isPending, isTrashed }: NoteTexts,
): boolean {
  if (isPending === 1) return false
  const inBody = distinctLinkKeys(content ?? '')
  const expected = hasLinkedValues === 1 ? inBody.union(propertyLinkKeys(reader, pk)) : inBody
  const stored = JSON.parse(targets) as string[]
  return stored.some((target) => !expected.has(target)) || (isTrashed === 0 && stored.length < expected.size)
}

/**
 * Corrects stored links, folded names and indexed aliases that differ from what this version derives from a note. An older version may
 * have derived them by another rule. Reads every body once and writes only differences.
 */
export function refreshNoteTexts(reader: Reader): void {
  for (const note of allNotes(reader)) {
    if (hasWrongLinks(reader, note)) indexLinksAtOnce(reader, { workspace: note.workspace, note: note.pk })
    if (hasWrongAliases(note)) reindexAliases(reader, note)
    if (!hasWrongFolds(note)) continue
    const { titleFold, aliasFold } = foldsOf(note)
    reader.sql.run(
      'UPDATE notes SET title_fold = ?, alias_fold = ? WHERE pk = ?',
      titleFold,
      aliasFold,
      note.pk,
    )
  }
}

/**
 * Every note has a body. Its stored links match the body and the property values, its folded names match its title and
 * alias, and its indexed aliases are its further aliases.
 */
export const noteTextCheck: IntegrityCheck = {
  *faults(reader) {
    for (const note of allNotes(reader)) {
      if (note.content === null) yield `The note ${note.id} has no body; restore it from a backup.`
      if (hasWrongLinks(reader, note))
        yield `The links stored for the note ${note.id} are not those of its body and properties.`
      if (hasWrongAliases(note))
        yield `The indexed aliases of the note ${note.id} are not its further aliases.`
      if (hasWrongFolds(note))
        yield `The folded names of the note ${note.id} are not those of its title and alias.`
    }
  },
  repair: refreshNoteTexts,
}

/** The indexed texts of every active note that matches the condition, or only its title and tags. */
function* indexables(reader: Reader, condition = '', hasBody = true) {
  const notes = scanByPk((after) =>
    reader.sql.all<{ pk: number }>(
      `SELECT pk FROM notes WHERE deleted_at IS NULL AND pk > ? ${condition} ORDER BY pk LIMIT ?`,
      after,
      BATCH_SIZE,
    ),
  )
  for (const { pk } of notes) {
    const note = findIndexable(reader, pk, hasBody)
    if (note) yield note
  }
}

interface TagName {
  readonly id: number
  readonly workspace: number
  readonly name: string
}

const allTags = ({ sql }: Reader): TagName[] => sql.all('SELECT id, workspace, name FROM tags ORDER BY id')

const OUTDATED = 'SELECT note FROM search_pending'

/** The entries of every active note with up-to-date entries, with or without the body. */
function* expectedNotes(reader: Reader, hasBody: boolean): Generator<ExpectedEntry> {
  for (const note of indexables(reader, `AND pk NOT IN (${OUTDATED})`, hasBody)) {
    const { title, body, tags } = indexedColumns(note)
    yield { pk: note.pk, columns: hasBody ? { title, body, tags } : { title, tags } }
  }
}

function* expectedTags(reader: Reader): Generator<ExpectedEntry> {
  for (const { id, workspace, name } of allTags(reader))
    yield { pk: id, columns: { name: textIn(workspace, name) } }
}

const checksOf = (reader: Reader): SearchTableCheck[] => [
  { table: FULL_TABLE, expected: expectedNotes(reader, true), outdated: OUTDATED },
  { table: TITLE_TABLE, expected: expectedNotes(reader, false), outdated: OUTDATED },
  { table: TAG_TABLE, expected: expectedTags(reader), outdated: 'SELECT 0 WHERE 0' },
]

/**
 * The search tables contain exactly the words of the active notes and of the tags, except for notes that are pending.
 */
export const searchCheck: IntegrityCheck = {
  *faults(reader) {
    for (const check of checksOf(reader)) {
      if (hasTable(reader, check.table)) yield* searchTableFaults(reader, check)
      else yield `The search table ${check.table} is missing.`
    }
  },
  repair: (tx) => {
    for (const [table, { columns, merging }] of Object.entries(SEARCH_TABLES)) {
      tx.sql.script(`DROP TABLE IF EXISTS ${table}`)
      createWordTable(tx, table, columns, merging)
    }
    for (const note of indexables(tx)) indexNote(tx, note)
    for (const { id, workspace, name } of allTags(tx)) indexTagName(tx, workspace, id, name)
    tx.sql.run('DELETE FROM search_pending')
  },
}
