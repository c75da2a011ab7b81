import type { Reader } from '../db/reader.ts'
import { scanByPk } from '../db/scan-by-pk.ts'

/*
 * What a search table over words (FTS5) should contain is compared with what it does contain without building it a
 * second time: the number of words in each column of each entry, and sums of hashes over all words. Both sides are read
 * in one transaction, and nothing is written, so that a check can run beside a server.
 */

/** An entry that the search table should have. */
interface ExpectedEntry {
  readonly pk: number
  /** Its columns in the order of the table, by name; `detail = none` has no names, so there it is the empty one. */
  readonly columns: Readonly<Record<string, string>>
}

export interface SearchTableCheck {
  readonly table: string
  /** By pk; without those that are outdated. */
  readonly expected: Iterable<ExpectedEntry>
  /** A query for the pks of entries that are known to be outdated; they are not compared. */
  readonly outdated: string
  /** Whether the table counts how often a word occurs, as it does unless `detail = none`. */
  readonly hasCounts: boolean
}

/** Compares a search table with what it should contain, and yields each difference as a sentence. */
export function* searchTableFaults(reader: Reader, check: SearchTableCheck): Generator<string> {
  const sums = new WordSums(check.hasCounts)
  const stored = storedEntries(reader, check)
  let entry = stored.next()
  let isSound = true
  const fault = (pk: number, what: string) => {
    isSound = false
    return `The entry ${pk} of the search table ${check.table} ${what}.`
  }
  for (const { pk, columns } of check.expected) {
    const counts = sums.addEntry(columns)
    for (; !entry.done && entry.value.pk < pk; entry = stored.next())
      yield fault(entry.value.pk, 'is left over')
    if (entry.done || entry.value.pk > pk) {
      yield fault(pk, 'is missing')
      continue
    }
    if (countsIn(entry.value.sizes).join() !== counts.join()) yield fault(pk, 'does not match its text')
    entry = stored.next()
  }
  for (; !entry.done; entry = stored.next()) yield fault(entry.value.pk, 'is left over')
  if (!isSound) return
  subtractStored(reader, check, sums)
  if (!sums.areZero) yield `The search table ${check.table} holds other words than the texts.`
}

const ENTRIES_PER_READ = 1_000

interface StoredEntry {
  readonly pk: number
  /** The number of words in each column, each as a variable-length integer of SQLite. */
  readonly sizes: Uint8Array
}

const storedEntries = ({ sql }: Reader, { table, outdated }: SearchTableCheck) =>
  scanByPk((after) =>
    sql.all<StoredEntry>(
      `SELECT id AS pk, sz AS sizes FROM main.${table}_docsize WHERE id > ? AND id NOT IN (${outdated})
       ORDER BY id LIMIT ${ENTRIES_PER_READ}`,
      after,
    ),
  )

function countsIn(sizes: Uint8Array): number[] {
  const counts: number[] = []
  let count = 0
  for (const byte of sizes) {
    count = count * 128 + (byte & 0x7f)
    if (byte & 0x80) continue
    counts.push(count)
    count = 0
  }
  return counts
}

/** Takes from the sums what the table contains, except for entries that are outdated. */
function subtractStored({ sql }: Reader, { table, outdated }: SearchTableCheck, sums: WordSums): void {
  const words = `${table}_words`
  sql.script(`CREATE VIRTUAL TABLE temp.${words} USING fts5vocab(main, ${table}, col)`)
  for (const [word, column, entries, count] of wordRows(
    sql,
    `SELECT ${WORD}, col, doc, cnt FROM temp.${words}`,
  ))
    sums.add(word, column ?? '', -entries, -count)
  sql.script(`DROP TABLE temp.${words}`)
  if (sql.get(`SELECT 1 FROM main.${table}_docsize WHERE id IN (${outdated}) LIMIT 1`) === undefined) return
  sql.script(`CREATE VIRTUAL TABLE temp.${words} USING fts5vocab(main, ${table}, instance)`)
  const occurrences = `SELECT ${WORD}, col, count(DISTINCT doc), count(*) FROM temp.${words}
    WHERE doc IN (${outdated}) GROUP BY term, col`
  for (const [word, column, entries, count] of wordRows(sql, occurrences))
    sums.add(word, column ?? '', entries, count)
  sql.script(`DROP TABLE temp.${words}`)
}

/** As bytes, because FTS5 cuts words off within a character. */
const WORD = 'CAST(term AS BLOB)'

/** The rows one by one, because all of them may not fit into memory. */
function* wordRows({ database }: Reader['sql'], text: string) {
  const statement = database.prepare<Record<string, unknown>, []>(text)
  try {
    for (const row of statement.iterate())
      yield Object.values(row) as [Uint8Array, string | null, number, number]
  } finally {
    statement.finalize()
  }
}

/** FTS5 cuts longer words off. */
const MAX_WORD_BYTES = 32_768

/** For each byte that is part of a word the byte in lower case, and 0 for the others: the tokenizer `ascii` of FTS5. */
const WORD_BYTES = Uint8Array.from({ length: 256 }, (_, byte) => {
  if (byte >= 0x80) return byte
  const character = String.fromCharCode(byte)
  return /[a-z0-9]/i.test(character) ? character.toLowerCase().charCodeAt(0) : 0
})

const encoder = new TextEncoder()

/** A hash of 64 bits, in two halves. */
interface Hash {
  left: number
  right: number
}

/* One step of the hash: FNV-1a, and the same with another factor. */
const mixLeft = (left: number, byte: number): number => Math.imul(left ^ byte, 0x01000193)
const mixRight = (right: number, byte: number): number =>
  (Math.imul(right ^ byte, 0x85ebca6b) + 0x9e3779b9) | 0

function hashOf(bytes: Uint8Array, { left, right }: Hash): Hash {
  for (const byte of bytes) {
    left = mixLeft(left, byte)
    right = mixRight(right, byte)
  }
  return { left, right }
}

/**
 * Sums of the hashes of words: over the entries that have each word, and over its occurrences. Sums of the same words
 * are equal in any order; sums of different words are equal only by a chance of 1 to 2^64.
 */
class WordSums {
  readonly #starts = new Map<string, Hash>()
  readonly #entries: Hash = { left: 0, right: 0 }
  readonly #occurrences: Hash = { left: 0, right: 0 }

  constructor(private readonly hasCounts: boolean) {}

  get areZero(): boolean {
    return [this.#entries, this.#occurrences].every(({ left, right }) => left === 0 && right === 0)
  }

  /** Adds the words of an entry; returns how many there are in each column. */
  addEntry(columns: ExpectedEntry['columns']): number[] {
    return Object.entries(columns).map(([column, text]) => this.#addText(column, text))
  }

  /** Adds a word with the number of its entries and of its positions. */
  add(word: Uint8Array, column: string, entries: number, occurrences: number): void {
    const { left, right } = hashOf(word, this.#startOf(column))
    addTimes(this.#entries, left, right, entries)
    if (this.hasCounts) addTimes(this.#occurrences, left, right, occurrences)
  }

  #startOf(column: string): Hash {
    const known = this.#starts.get(column)
    if (known) return known
    const start = hashOf(encoder.encode(`${column}\0`), { left: 0x811c9dc5, right: 0x1b873593 })
    this.#starts.set(column, start)
    return start
  }

  /** Splits a text into words as FTS5 does. Every byte of the database's texts passes through this loop. */
  #addText(column: string, text: string): number {
    const bytes = encoder.encode(text)
    const start = this.#startOf(column)
    const known = new Set<number>()
    let { left, right } = start
    let count = 0
    let length = 0
    for (let at = 0; at <= bytes.length; at++) {
      const byte = at < bytes.length ? (WORD_BYTES[bytes[at] as number] as number) : 0
      if (byte !== 0) {
        if (length++ >= MAX_WORD_BYTES) continue
        left = mixLeft(left, byte)
        right = mixRight(right, byte)
      } else if (length > 0) {
        this.#addOccurrence(left, right, known)
        count += 1
        length = 0
        left = start.left
        right = start.right
      }
    }
    return count
  }

  #addOccurrence(left: number, right: number, known: Set<number>): void {
    if (this.hasCounts) addTimes(this.#occurrences, left, right, 1)
    const size = known.size
    known.add((left >>> 0) * 0x200000 + (right & 0x1fffff))
    if (known.size > size) addTimes(this.#entries, left, right, 1)
  }
}

function addTimes(sum: Hash, left: number, right: number, times: number): void {
  sum.left = (sum.left + Math.imul(left, times)) | 0
  sum.right = (sum.right + Math.imul(right, times)) | 0
}
