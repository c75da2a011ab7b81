/*
 * A statement that may read many rows marks the rows that it passes over with a condition that is always true. A
 * connection with a limit, or one that can be stopped, replaces this condition when it prepares the statement
 * (`checkedText`): the new one counts the rows and throws when the work must end.
 */

/** A text column that a statement tests. */
export interface TestedText {
  readonly column: string
  /** The cost of the test relative to reading the text once. */
  readonly times: number
}

const MARK = '\u0001'
type Kind = 'rows' | 'few' | 'entries' | 'fewEntries' | 'texts' | 'uncounted'

/** A part of a statement without values. */
interface Scan {
  readonly text: string
  readonly values: readonly []
}

const marked = (kind: Kind, text: string): Scan => ({ text: `${MARK}${kind} ${text}${MARK}`, values: [] })

/**
 * The rows that a statement passes over. `pk` is an expression for their integer key. The condition must come first,
 * because SQLite does not evaluate it for rows that an earlier condition excludes. A statement that surely `endsSoon`
 * is only counted.
 */
export const scanOf = (pk: string, endsSoon = false): Scan => marked(endsSoon ? 'few' : 'rows', pk)

/** The same for a statement that reads index entries without their rows. */
export const entryScanOf = (pk: string, endsSoon: boolean): Scan =>
  marked(endsSoon ? 'fewEntries' : 'entries', pk)

/**
 * The rows that a MATCH passes over. FTS5 reads texts inside the statement unless it looks for `isOneWord`, so their
 * rows cannot be counted: a read with a limit ends before the statement.
 */
export const matchScanOf = (pk: string, isOneWord: boolean): Scan =>
  marked(isOneWord ? 'rows' : 'uncounted', pk)

/** The texts of a row that a statement tests; the condition must precede these tests. */
export const textScanOf = (texts: readonly TestedText[]): Scan =>
  marked(
    'texts',
    texts
      .map(({ column, times }) => {
        const bytes = `octet_length(${column}) * ${Math.ceil(times)}`
        return `(${bytes} < ${LONG_TEXT_BYTES} OR ${column} IS NULL OR ${CHECK_TEXT}(${bytes}))`
      })
      .join(' AND '),
  )

/** The SQL functions that check a scan: for some rows, and for a long text of one row. */
export const CHECK_ROWS = 'check_rows'
export const CHECK_TEXT = 'check_text'
/** A scan is checked once in this many rows, a power of 2. */
export const ROWS_PER_CHECK = 64
/** The number of index entries, read without their rows, that cost as much as one row; a power of 2. */
export const ENTRIES_PER_ROW = 8
/** Tests of longer texts are counted separately. */
const LONG_TEXT_BYTES = 4_096

const everyNth = (pk: string, count: number): string => `((${pk} & ${count - 1}) OR ${CHECK_ROWS}())`

const CONDITIONS: Readonly<Record<Kind, (text: string) => string>> = {
  rows: (pk) => everyNth(pk, ROWS_PER_CHECK),
  few: (pk) => everyNth(pk, ROWS_PER_CHECK),
  entries: (pk) => everyNth(pk, ROWS_PER_CHECK * ENTRIES_PER_ROW),
  fewEntries: (pk) => everyNth(pk, ROWS_PER_CHECK * ENTRIES_PER_ROW),
  texts: (conditions) => conditions || 'TRUE',
  uncounted: (pk) => everyNth(pk, ROWS_PER_CHECK),
}

const MARKED = new RegExp(`${MARK}(\\w+) (.*?)${MARK}`, 'gs')

/** Whether the text of a statement names scans. */
export const namesScans = (text: string): boolean => text.includes(MARK)

/** Whether a statement names a scan whose rows cannot be counted. */
export const namesUncounted = (text: string): boolean => text.includes(`${MARK}uncounted `)

/** How a connection checks scans: all of them, only those that may take long, or none. */
export type Checks = 'all' | 'long' | 'none'

/** The text of a statement with the conditions for its scans. */
export const checkedText = (text: string, checks: Checks): string =>
  text.replace(MARKED, (_, kind: Kind, scanned: string) =>
    checks === 'all' || (checks === 'long' && !kind.startsWith('few')) ? CONDITIONS[kind](scanned) : 'TRUE',
  )
