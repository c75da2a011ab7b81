import type { AppContext, Caller } from '../context.ts'
import type { Reader } from '../db/reader.ts'
import type { SqlValue } from '../db/sql.ts'
import type { QueryPlan, WorkerQuery } from '../db/worker/client.ts'
import { type Page, type PageRequest, pageRequest } from '../http/page.ts'
import { fail, notFound } from '../refusal.ts'
import { snippetOf } from '../search/highlighter.ts'
import { matchAll, matchPhrase, type Phrase, parseSearch } from '../search/query.ts'
import { fileAt, fileOfPlace, numberAt, rangeOf } from './part-keys.ts'
import { hasPageTable, pageTable } from './search-table.ts'
import { countPages, type FileRow, findFile, findFileByPk, findPageText, UNFINISHED } from './store.ts'

/** A page that holds what is searched for. */
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
  /** The pk of the one file to look in. */
  readonly file?: number
  readonly page: PageRequest
}

interface SearchPlan extends QueryPlan {
  readonly input: SearchInput
  readonly phrases: readonly Phrase[]
  /** What follows FROM; empty when nothing can be found. */
  readonly matches: string
  readonly values: readonly SqlValue[]
}

/** Words are ANDed on one page; what is excluded is not on it. */
function expressionOf(phrases: readonly Phrase[]): string {
  const wanted = phrases.filter(({ isExcluded }) => !isExcluded).map(matchPhrase)
  const excluded = phrases.filter(({ isExcluded }) => isExcluded).map(matchPhrase)
  return matchAll(wanted, excluded)
}

/** Pages of files that are not ready are there already, or still, and are not found. */
const NOT_READY = `SELECT pk FROM files WHERE ${UNFINISHED}`

function matchesOf({ workspace, file }: SearchInput, phrases: readonly Phrase[]) {
  const table = pageTable(workspace)
  const inFile = file === undefined ? '' : ' AND rowid BETWEEN ? AND ?'
  return {
    matches: `${table} WHERE ${table} MATCH ?${inFile} AND ${fileOfPlace('rowid')} NOT IN (${NOT_READY})`,
    values: [expressionOf(phrases), ...(file === undefined ? [] : rangeOf(file))],
  }
}

/** About so many words of a page may begin with one or two characters. */
const WORDS_OF_SHORT_PREFIX = 20

/** About how many entries the search may read: those of each phrase on every page that is looked in. */
function entriesOf(reader: Reader, { workspace, file }: SearchInput, phrases: readonly Phrase[]): number {
  const pages = countPages(reader, workspace, file)
  const words = ({ terms, titlesOnly }: Phrase) => (titlesOnly ? WORDS_OF_SHORT_PREFIX : terms.length)
  return phrases.reduce((entries, phrase) => entries + pages * words(phrase), 0)
}

/** The pages that hold the words, by rank, equals in the order in which they came. */
export const fileSearchRead: WorkerQuery<SearchInput, SearchPlan, Page<FoundPage>> = {
  name: 'files.search',
  plan: (reader, input) => {
    const phrases = parseSearch(input.q)
    if (phrases.length === 0 || !hasPageTable(reader, input.workspace))
      return { rows: 0, input, phrases, matches: '', values: [] }
    return { rows: entriesOf(reader, input, phrases), input, phrases, ...matchesOf(input, phrases) }
  },
  run: (reader, { input, phrases, matches, values }) => {
    const { limit, offset } = input.page
    const total = matches === '' ? 0 : reader.sql.scalar<number>(`SELECT count(*) FROM ${matches}`, ...values)
    if (offset >= total) return { items: [], total }
    const order = `bm25(${pageTable(input.workspace)}), rowid`
    const places = reader.sql.column<number>(
      `SELECT rowid FROM ${matches} ORDER BY ${order} LIMIT ? OFFSET ?`,
      ...values,
      limit,
      offset,
    )
    return { items: places.flatMap((place) => foundPage(reader, place, phrases)), total }
  },
}

function foundPage(reader: Reader, place: number, phrases: readonly Phrase[]): FoundPage[] {
  const [file, page] = [findFileByPk(reader, fileAt(place)), numberAt(place)]
  if (!file) return []
  return [{ file, page, snippet: snippetOf([findPageText(reader, file.pk, page)], phrases) }]
}

/** Searches the text of every file, or of one (contract, section 8). An unknown file is refused. */
export async function searchFiles(
  ctx: AppContext,
  { workspacePk }: Caller,
  query: SearchQuery,
): Promise<Page<FoundPage>> {
  const { q, file_id: id } = query
  const file = id === undefined ? undefined : (findFile(ctx.db, workspacePk, id) ?? fail(notFound('file')))
  return ctx.worker.run(fileSearchRead, {
    workspace: workspacePk,
    q,
    file: file?.pk,
    page: pageRequest(query),
  })
}
