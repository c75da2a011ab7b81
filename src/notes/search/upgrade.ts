import { defineUpgradeJob } from '../../kernel/jobs.ts'
import { mergeSome } from '../../search/tables.ts'
import type { Reader } from '../../storage/reader.ts'
import {
  FULL_TABLE,
  findIndexable,
  indexNote,
  indexTagName,
  TAG_TABLE,
  TITLE_TABLE,
  unmarkForSearch,
} from './indexing.ts'

/*
 * Older programs had separate search tables for each workspace, or none. An upgrade marks every note with 2 in
 * `can_wait`. Notes are then indexed in batches, and finally the old tables are dropped.
 */

const OLD_TABLES = `FROM main.sqlite_schema WHERE type = 'table' AND sql GLOB 'CREATE VIRTUAL TABLE *'
  AND (name GLOB 'note_search_[0-9]*' OR name GLOB 'note_search_head_[0-9]*' OR name GLOB 'tag_search_[0-9]*')`

/** The number of notes yet to be indexed, and of old tables yet to be dropped. */
const countUnconverted = ({ sql }: Reader): number =>
  sql.scalar(
    `SELECT (SELECT count(*) FROM search_pending WHERE can_wait = 2) + (SELECT count(*) ${OLD_TABLES})`,
  )

const NOTES_AT_ONCE = 1_000
/** In characters: some 200 ms of work. */
const LENGTH_AT_ONCE = 1_000_000
const TABLES_AT_ONCE = 60
/** Enough merges for the notes indexed at once, so that no parts remain. */
const MERGES = 16

/** Indexes some notes, or drops some old tables once all notes are indexed; returns whether there were any. */
function convertSome(reader: Reader): boolean {
  const { sql } = reader
  const notes = sql.rows<[workspace: number, note: number]>(
    `SELECT workspace, note FROM search_pending WHERE can_wait = 2 LIMIT ${NOTES_AT_ONCE}`,
  )
  let length = 0
  for (const [workspace, pk] of notes) {
    if (length > LENGTH_AT_ONCE) break
    unmarkForSearch(reader, workspace, pk)
    const note = findIndexable(reader, pk)
    if (note) indexNote(reader, note)
    length += note?.content.length ?? 0
  }
  const tables =
    notes.length === 0 ? sql.column<string>(`SELECT name ${OLD_TABLES} LIMIT ${TABLES_AT_ONCE}`) : []
  for (const name of tables) sql.script(`DROP TABLE ${name}`)
  for (const table of [FULL_TABLE, TITLE_TABLE])
    for (let merges = 0; merges < MERGES && mergeSome(reader, table); merges++);
  return notes.length + tables.length > 0
}

export const searchConversion = defineUpgradeJob('notes.convertSearch', countUnconverted, convertSome)

/** Indexes the tag names that are missing. */
export function indexMissingTags(reader: Reader): void {
  const tags = reader.sql.all<{ id: number; workspace: number; name: string }>(
    `SELECT id, workspace, name FROM tags WHERE id NOT IN (SELECT id FROM ${TAG_TABLE}_docsize)`,
  )
  for (const { id, workspace, name } of tags) indexTagName(reader, workspace, id, name)
}
