import type { Static } from '@sinclair/typebox'
import { hides } from '../kernel/caller.ts'
import { keysOf } from '../kernel/jobs.ts'
import { read } from '../kernel/operation.ts'
import { type Page, type PageRequest, pageRequest, presentPage } from '../lib/pagination.ts'
import { fail, notFound } from '../lib/refusal.ts'
import { matchScanOf, scanOf } from '../lib/scan.ts'
import { indexedText, isOneWord, matchAll, matchPhrase, type Phrase, parseSearch } from '../lib/words.ts'
import { isMatch, snippetOf } from '../search/highlighter.ts'
import { createWordTable, hasTable } from '../search/tables.ts'
import type { Reader } from '../storage/reader.ts'
import { scanByPk } from '../storage/scan-by-pk.ts'
import type { SqlPart } from '../storage/sql.ts'
import type { Tx } from '../storage/writes/transaction.ts'
import type { SearchQuery } from './schema.ts'
import {
  deletePage,
  fileDetachmentKind,
  fileOfKey,
  fileOfKeySql,
  findFile,
  findFileByPk,
  findPageText,
  keyRange,
  listPageKeys,
  numberOfKey,
  partKey,
  UNFINISHED,
  VISIBLE,
} from './store.ts'

/** The full-text table over the pages of a workspace's files; its rowids are page keys. */
export const pageTable = (workspacePk: number): string => `file_search_${workspacePk}`

/** Creates the search table if the workspace has none; called with the first text that is saved. */
export const ensurePageTable = (reader: Reader, workspacePk: number): void =>
  createWordTable(reader, pageTable(workspacePk), 'text', 'itself')

export const hasPageTable = (reader: Reader, workspacePk: number): boolean =>
  hasTable(reader, pageTable(workspacePk))

export const indexPage = ({ sql }: Tx, workspacePk: number, key: number, text: string) =>
  sql.run(`INSERT INTO ${pageTable(workspacePk)} (rowid, text) VALUES (?, ?)`, key, indexedText(text))

/** Deletes up to `limit` pages of a file and their search entries; returns how many. */
export function deleteSomePages(tx: Tx, workspacePk: number, file: number, limit: number): number {
  const keys = listPageKeys(tx, file, limit)
  const isIndexed = hasPageTable(tx, workspacePk)
  for (const key of keys) {
    if (isIndexed) tx.sql.run(`DELETE FROM ${pageTable(workspacePk)} WHERE rowid = ?`, key)
    deletePage(tx, key)
  }
  return keys.length
}

/** A page that matches the search, or the name of a file, as responses show it. */
export interface FoundPage {
  readonly file: Readonly<Record<'id' | 'file_name', string>> & { readonly note_id: string | null }
  /** From 1; 0 is the name. */
  readonly page: number
  readonly snippet: string
}

interface SearchedFiles {
  readonly workspace: number
  /** The pk of the only file to search. */
  readonly file: number | undefined
  /** Whether files that are attached to notes are found. */
  readonly ofNotes: boolean
}

/** All wanted words must be on one page, and none of the excluded ones. */
function expressionOf(phrases: readonly Phrase[]): string {
  const wanted = phrases.filter(({ isExcluded }) => !isExcluded).map(matchPhrase)
  const excluded = phrases.filter(({ isExcluded }) => isExcluded).map(matchPhrase)
  return matchAll(wanted, excluded)
}

/** Their pages, if any, are not found: they are incomplete or about to be deleted. */
const NOT_READY = `SELECT pk FROM files WHERE ${UNFINISHED} UNION ALL ${keysOf({ kind: fileDetachmentKind })}`

const OF_NOTES = ' UNION ALL SELECT pk FROM files WHERE note IS NOT NULL'

/** The matching pages, as the SQL after FROM. */
function matchesOf({ workspace, file, ofNotes }: SearchedFiles, phrases: readonly Phrase[]): SqlPart {
  const table = pageTable(workspace)
  const inFile = file === undefined ? '' : ' AND rowid BETWEEN ? AND ?'
  return {
    text: `${table} WHERE ${matchScanOf('rowid', isOneWord(phrases)).text} AND ${table} MATCH ?${inFile} AND ${fileOfKeySql('rowid')} NOT IN (${NOT_READY}${ofNotes ? '' : OF_NOTES})`,
    values: [expressionOf(phrases), ...(file === undefined ? [] : keyRange(file))],
  }
}

/**
 * Searches the names and the text of every file, or of one file; refuses an unknown file. Files with matching names
 * come first, then the matching pages by rank. Pages of equal rank are in the order in which they were added.
 */
export const searchFiles = read({
  name: 'files.search',
  covers: 'files',
  run: (reader, caller, query: Static<typeof SearchQuery>) => {
    const { workspacePk: workspace, rights } = caller
    const { q, file_id: id } = query
    const file = id === undefined ? undefined : (findFile(reader, caller, id) ?? fail(notFound('file')))
    const searched = { workspace, file: file?.pk, ofNotes: !hides(rights, 'notes') }
    const page = foundPages(reader, searched, parseSearch(q), pageRequest(query))
    return { results: page.items, ...presentPage(query, page) }
  },
})

function foundPages(
  reader: Reader,
  searched: SearchedFiles,
  phrases: readonly Phrase[],
  { limit, offset }: PageRequest,
): Page<FoundPage> {
  if (phrases.length === 0) return { items: [], total: 0 }
  const { workspace } = searched
  const found = hasPageTable(reader, workspace) ? matchesOf(searched, phrases) : undefined
  const pages = found ? reader.sql.scalar<number>(`SELECT count(*) FROM ${found.text}`, ...found.values) : 0
  const named = findFilesByName(reader, searched, phrases).map((pk) => partKey(pk, NAME))
  const keys = named.slice(offset, offset + limit)
  const after = Math.max(offset - named.length, 0)
  if (found && keys.length < limit && after < pages)
    keys.push(...rankedPages(reader, workspace, found, limit - keys.length, after))
  return { items: keys.flatMap((key) => foundPage(reader, key, phrases)), total: named.length + pages }
}

/** The page number of a result that is the name of a file. */
const NAME = 0

const rankedPages = (
  { sql }: Reader,
  workspace: number,
  { text, values }: SqlPart,
  limit: number,
  offset: number,
): number[] =>
  sql.column(
    `SELECT rowid FROM ${text} ORDER BY bm25(${pageTable(workspace)}), rowid LIMIT ? OFFSET ?`,
    ...values,
    limit,
    offset,
  )

function foundPage(reader: Reader, key: number, phrases: readonly Phrase[]): FoundPage[] {
  const [file, page] = [findFileByPk(reader, fileOfKey(key)), numberOfKey(key)]
  if (!file) return []
  const text = page === NAME ? file.fileName : findPageText(reader, file.pk, page)
  const { id, fileName: file_name, noteId: note_id } = file
  return [{ file: { id, file_name, note_id }, page, snippet: snippetOf([text], phrases) }]
}

const NAMES_AT_ONCE = 1_000

interface NamedFile {
  readonly pk: number
  readonly fileName: string
}

/** The names of the files of a workspace, or of one of them, in the order in which they were added. */
const allNames = ({ sql }: Reader, { workspace, file, ofNotes }: SearchedFiles): Iterable<NamedFile> =>
  scanByPk((after) =>
    sql.all<NamedFile>(
      // The plus sign makes SQLite read the table in the order of its key.
      `SELECT f.pk, f.file_name AS fileName FROM files f
       WHERE ${scanOf('f.pk').text} AND f.pk > ? AND +f.workspace = ? AND ${VISIBLE}
         ${file === undefined ? '' : 'AND f.pk = ?'} ${ofNotes ? '' : 'AND f.note IS NULL'}
       ORDER BY f.pk LIMIT ?`,
      after,
      workspace,
      ...(file === undefined ? [] : [file]),
      NAMES_AT_ONCE,
    ),
  )

/**
 * The pks of the files whose names match the search: short names first, then in the order in which they were added.
 * Names are compared one by one, because there are few compared with pages.
 */
function findFilesByName(reader: Reader, search: SearchedFiles, phrases: readonly Phrase[]): number[] {
  const found: NamedFile[] = []
  for (const named of allNames(reader, search)) if (isMatch(named.fileName, phrases)) found.push(named)
  return found.sort((left, right) => left.fileName.length - right.fileName.length).map(({ pk }) => pk)
}
