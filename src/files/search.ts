import type { AppContext, Caller } from '../context.ts'
import type { Reader } from '../db/reader.ts'
import type { SqlValue } from '../db/sql.ts'
import type { QueryPlan, WorkerQuery } from '../db/worker/client.ts'
import type { Tx } from '../db/writes/write-queue.ts'
import { type Page, type PageRequest, pageRequest } from '../http/page.ts'
import { fail, notFound } from '../refusal.ts'
import { snippetOf } from '../search/highlighter.ts'
import { matchAll, matchPhrase, type Phrase, parseSearch } from '../search/query.ts'
import { hasTable, WORD_OPTIONS } from '../search/tables.ts'
import { indexedText } from '../search/tokenizer.ts'
import {
  countPages,
  deletePage,
  type FileRow,
  fileOfKey,
  fileOfKeySql,
  findFile,
  findFileByPk,
  findPageText,
  keyRange,
  listPageKeys,
  numberOfKey,
  UNFINISHED,
} from './store.ts'

/** The full-text table over the pages of a workspace's files; its rowids are page keys. */
export const pageTable = (workspacePk: number): string => `file_search_${workspacePk}`

/** Its columns and options. */
export const PAGE_TABLE = `text, ${WORD_OPTIONS}`

/** Creates the search table if the workspace has none; called with the first text that is saved. */
export const ensurePageTable = ({ sql }: Reader, workspacePk: number): void =>
  sql.script(`CREATE VIRTUAL TABLE IF NOT EXISTS ${pageTable(workspacePk)} USING fts5(${PAGE_TABLE})`)

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

/** A page that matches the search. */
export interface FoundPage {
  readonly file: FileRow
  readonly page: number
  readonly snippet: string
}

export interface SearchQuery {
  q: string
  file_id?: string
  limit?: number
  offset?: number
}

interface SearchInput {
  readonly workspace: number
  readonly q: string
  /** The pk of the only file to search. */
  readonly file?: number
  readonly page: PageRequest
}

interface SearchPlan extends QueryPlan {
  readonly input: SearchInput
  readonly phrases: readonly Phrase[]
  /** What follows FROM; empty when nothing can match. */
  readonly matches: string
  readonly values: readonly SqlValue[]
}

/** All wanted words must be on one page, and none of the excluded ones. */
function expressionOf(phrases: readonly Phrase[]): string {
  const wanted = phrases.filter(({ isExcluded }) => !isExcluded).map(matchPhrase)
  const excluded = phrases.filter(({ isExcluded }) => isExcluded).map(matchPhrase)
  return matchAll(wanted, excluded)
}

/** Their pages, if any, are not found: they are incomplete or about to be deleted. */
const NOT_READY = `SELECT pk FROM files WHERE ${UNFINISHED}`

function matchesOf({ sql }: Reader, { workspace, file }: SearchInput, phrases: readonly Phrase[]) {
  const table = pageTable(workspace)
  const inFile = file === undefined ? '' : ' AND rowid BETWEEN ? AND ?'
  return {
    matches: `${table} WHERE ${sql.stopCondition('rowid').text} AND ${table} MATCH ?${inFile} AND ${fileOfKeySql('rowid')} NOT IN (${NOT_READY})`,
    values: [expressionOf(phrases), ...(file === undefined ? [] : keyRange(file))],
  }
}

/** The estimated number of words on a page that begin with the same one or two characters. */
const WORDS_OF_SHORT_PREFIX = 20

/** Estimates the index entries that the search reads: those of each phrase on every page. */
function entriesOf(reader: Reader, { workspace, file }: SearchInput, phrases: readonly Phrase[]): number {
  const pages = countPages(reader, workspace, file)
  const words = ({ terms, titlesOnly }: Phrase) => (titlesOnly ? WORDS_OF_SHORT_PREFIX : terms.length)
  return phrases.reduce((entries, phrase) => entries + pages * words(phrase), 0)
}

/** The matching pages by rank, those of equal rank in the order in which they were added. */
export const fileSearchRead: WorkerQuery<SearchInput, SearchPlan, Page<FoundPage>> = {
  name: 'files.search',
  plan: (reader, input) => {
    const phrases = parseSearch(input.q)
    if (phrases.length === 0 || !hasPageTable(reader, input.workspace))
      return { cost: 0, input, phrases, matches: '', values: [] }
    return { cost: entriesOf(reader, input, phrases), input, phrases, ...matchesOf(reader, input, phrases) }
  },
  run: (reader, { input, phrases, matches, values }) => {
    const { limit, offset } = input.page
    const total = matches === '' ? 0 : reader.sql.scalar<number>(`SELECT count(*) FROM ${matches}`, ...values)
    if (offset >= total) return { items: [], total }
    const order = `bm25(${pageTable(input.workspace)}), rowid`
    const keys = reader.sql.column<number>(
      `SELECT rowid FROM ${matches} ORDER BY ${order} LIMIT ? OFFSET ?`,
      ...values,
      limit,
      offset,
    )
    return { items: keys.flatMap((key) => foundPage(reader, key, phrases)), total }
  },
}

function foundPage(reader: Reader, key: number, phrases: readonly Phrase[]): FoundPage[] {
  const [file, page] = [findFileByPk(reader, fileOfKey(key)), numberOfKey(key)]
  if (!file) return []
  return [{ file, page, snippet: snippetOf([findPageText(reader, file.pk, page)], phrases) }]
}

/** Searches the text of every file, or of one. Refuses an unknown file. */
export async function searchFiles(
  ctx: AppContext,
  caller: Caller,
  query: SearchQuery,
): Promise<Page<FoundPage>> {
  const { workspacePk } = caller
  const { q, file_id: id } = query
  const file = id === undefined ? undefined : (findFile(ctx.db, workspacePk, id) ?? fail(notFound('file')))
  const input = { workspace: workspacePk, q, file: file?.pk, page: pageRequest(query) }
  return ctx.worker.run(fileSearchRead, input, caller)
}
