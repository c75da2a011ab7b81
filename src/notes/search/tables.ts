import type { Phrase } from '../../lib/words.ts'
import { indexedText } from '../../lib/words.ts'
import type { Merging } from '../../search/tables.ts'
import type { Reader } from '../../storage/reader.ts'
import type { Tx } from '../../storage/writes/transaction.ts'

/*
 * The notes of all workspaces of a file share the same FTS5 tables, so thousands of workspaces do not enlarge its
 * schema. Every word is indexed with the number of its workspace as prefix. A search therefore reads only the entries
 * of its own workspace, even for a prefix, and finds nothing of another. The statistics of BM25 cover the whole file.
 */

/** Indexes titles, bodies and tags; row ids are note pks. */
export const FULL_TABLE = 'note_search'

/** Indexes only titles and tags, for short prefixes and to rank matches in titles first. Row ids are note pks. */
export const TITLE_TABLE = 'note_search_head'

/** Indexes the names of tags; row ids are tag ids. */
export const TAG_TABLE = 'tag_search'

/** The length of a workspace number in characters, for up to 60 million workspaces. */
const NUMBER_LENGTH = 5

/** Adds indexes for words given by one or two characters only. */
const SHORT_PREFIXES = `prefix = '${NUMBER_LENGTH + 1} ${NUMBER_LENGTH + 2}'`

/** The search tables with their columns and options. */
export const SEARCH_TABLES: Readonly<Record<string, { columns: string; merging: Merging }>> = {
  [FULL_TABLE]: { columns: 'title, body, tags', merging: 'steps' },
  [TITLE_TABLE]: { columns: `title, tags, ${SHORT_PREFIXES}`, merging: 'steps' },
  [TAG_TABLE]: { columns: `name, ${SHORT_PREFIXES}`, merging: 'itself' },
}

/*
 * Search tables receive words as UTF-8, each after the number of its workspace. Every note passes through this code.
 * Copying bytes individually by index takes a quarter of the time of string replacement.
 */

const SPACE = 0x20

/** The bytes that separate words in FTS5: all of ASCII except letters and digits. Other bytes are parts of words. */
const IS_BETWEEN_WORDS = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte < 0x80 && !/[0-9A-Za-z]/.test(String.fromCharCode(byte)) ? 1 : 0,
)

const encoder = new TextEncoder()

const numberOf = (workspace: number): Uint8Array =>
  encoder.encode(workspace.toString(36).padStart(NUMBER_LENGTH, '0'))

/** Folded words (`indexedText`), each after the number of the workspace, separated by spaces. */
function wordsIn(workspace: number, words: string): Uint8Array {
  const number = numberOf(workspace)
  const text = encoder.encode(words)
  // The shortest words have one byte, plus one byte before the next word.
  const result = new Uint8Array(Math.ceil(text.length / 2) * (NUMBER_LENGTH + 2))
  let end = 0
  let isBetween = true
  for (let at = 0; at < text.length; at++) {
    const byte = text[at] as number
    if (IS_BETWEEN_WORDS[byte] === 1) {
      isBetween = true
      continue
    }
    if (isBetween) {
      if (end > 0) result[end++] = SPACE
      for (let digit = 0; digit < NUMBER_LENGTH; digit++) result[end++] = number[digit] as number
      isBetween = false
    }
    result[end++] = byte
  }
  return result.slice(0, end)
}

/** A text in the format that the search tables receive. */
export const textIn = (workspace: number, text: string): Uint8Array => wordsIn(workspace, indexedText(text))

const decoder = new TextDecoder()

/** The FTS5 query for a phrase in a workspace. */
export const matchIn = (workspace: number, { terms, isPrefix }: Phrase): string =>
  `"${decoder.decode(wordsIn(workspace, terms.join(' ')))}"${isPrefix ? ' *' : ''}`

/** The term for a tag in an index; no text can contain it. Renaming a tag therefore re-indexes nothing. */
export const tagTerm = (tag: number): string => `\ue001${tag}`

export interface Indexable {
  readonly pk: number
  readonly workspace: number
  readonly title: string
  readonly content: string
  /** The ids of the note's tags, as a JSON array. */
  readonly tags: string
}

/** A note's columns in the search tables. */
export interface NoteColumns {
  readonly title: Uint8Array
  readonly body: Uint8Array
  readonly tags: string
}

export const indexedColumns = ({ workspace, title, content, tags }: Indexable): NoteColumns => ({
  title: textIn(workspace, title),
  body: textIn(workspace, content),
  tags: (JSON.parse(tags) as number[]).map(tagTerm).join(' '),
})

/** Writes the entries of a note in the search tables. */
export const indexNote = (reader: Reader, note: Indexable): void =>
  writeEntries(reader, note.pk, indexedColumns(note))

/** Writes entries with these columns. */
export function writeEntries({ sql }: Reader, note: number, { title, body, tags }: NoteColumns): void {
  const full = `INSERT OR REPLACE INTO ${FULL_TABLE} (rowid, title, body, tags) VALUES (?, ?, ?, ?)`
  sql.run(full, note, title, body, tags)
  sql.run(`INSERT OR REPLACE INTO ${TITLE_TABLE} (rowid, title, tags) VALUES (?, ?, ?)`, note, title, tags)
}

/** Empty if a damaged file has no body. */
const BODY = "coalesce((SELECT content FROM note_bodies b WHERE b.note = n.pk), '')"

/** The indexed texts of a note, or only its title and tags; undefined for a trashed note. */
export const findIndexable = ({ sql }: Reader, pk: number, hasBody = true): Indexable | undefined =>
  sql.get(
    `SELECT n.pk, n.workspace, n.title, ${hasBody ? BODY : "''"} AS content,
       (SELECT json_group_array(nt.tag) FROM note_tags nt WHERE nt.note = n.pk) AS tags
     FROM notes n WHERE n.pk = ? AND n.deleted_at IS NULL`,
    pk,
  )

/** Removes the mark of a note; returns false if it had none. */
export const unmarkForSearch = ({ sql }: Reader, workspace: number, note: number): boolean =>
  sql.run('DELETE FROM search_pending WHERE workspace = ? AND note = ?', workspace, note).changes === 1

/** Removes a note from the search tables immediately. */
export function removeFromSearch(tx: Tx, workspace: number, note: number): void {
  unmarkForSearch(tx, workspace, note)
  tx.sql.run(`DELETE FROM ${FULL_TABLE} WHERE rowid = ?`, note)
  tx.sql.run(`DELETE FROM ${TITLE_TABLE} WHERE rowid = ?`, note)
}

/**
 * The same for many notes. A search table flushes its collected changes whenever the next row has a lower number, and
 * at every savepoint. Such a flush takes far longer than removing a row.
 */
export function removeAllFromSearch(tx: Tx, workspace: number, notes: readonly number[]): void {
  for (const note of notes.toSorted((one, other) => one - other)) removeFromSearch(tx, workspace, note)
}

/** Indexes the name of a tag. */
export const indexTagName = ({ sql }: Reader, workspace: number, tag: number, name: string) =>
  sql.run(`INSERT OR REPLACE INTO ${TAG_TABLE} (rowid, name) VALUES (?, ?)`, tag, textIn(workspace, name))

export const removeTagName = ({ sql }: Tx, tag: number) =>
  sql.run(`DELETE FROM ${TAG_TABLE} WHERE rowid = ?`, tag)
