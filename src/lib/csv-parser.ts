/*
 * Reads CSV (RFC 4180) as other programs write it, with other delimiters, a character for escapes, and lines that are
 * comments. A quote within a cell that does not begin with one is an ordinary character.
 */

export interface CsvFormat {
  readonly delimiter: string
  /** Precedes a quote, delimiter or line break that belongs to the cell. Quotes may always be doubled. */
  readonly escapeCharacter?: string | undefined
  /** Begins a line that is ignored. */
  readonly comment?: string | undefined
}

/** A quote that is not closed, or that text follows. */
export class MisplacedQuote extends Error {
  /** `row` is the number of rows before it. */
  constructor(readonly row: number) {
    super('a quote is misplaced or never closed.')
  }
}

const QUOTE = '"'
/** MySQL's name for a missing value, after its escape. */
const NULL_LETTER = 'N'

/** The end of the text, while more text may follow. */
const INCOMPLETE = Symbol('incomplete')

export class CsvParser {
  #input = ''
  #isLast = false
  #at = 0
  #rows = 0
  #nextDelimiter = -1
  #nextLineFeed = -1
  #nextEscape = -1
  readonly #delimiter: string
  readonly #escape: string | undefined
  readonly #comment: string | undefined

  /** `lineEnd` is a line feed, after which a carriage return is dropped, or in old files a carriage return. */
  constructor(
    { delimiter, escapeCharacter, comment }: CsvFormat,
    private readonly lineEnd: '\n' | '\r' = '\n',
  ) {
    this.#delimiter = delimiter
    this.#escape = escapeCharacter === QUOTE ? undefined : escapeCharacter
    this.#comment = comment
  }

  /** The text that belongs to an unfinished row. */
  get rest(): string {
    return this.#input
  }

  /** The number of finished rows. */
  get rows(): number {
    return this.#rows
  }

  /** The rows that the text completes; empty lines are left out. Throws MisplacedQuote. */
  push(text: string, isLast: boolean): string[][] {
    this.#input = this.#input === '' ? text : this.#input + text
    this.#isLast = isLast
    this.#at = 0
    this.#nextDelimiter = -1
    this.#nextLineFeed = -1
    this.#nextEscape = -1
    const rows: string[][] = []
    let begin = 0
    while (this.#at < this.#input.length) {
      const row = this.#row()
      if (row === INCOMPLETE) break
      begin = this.#at
      if (row === undefined) continue
      this.#rows++
      if (row.length > 1 || row[0] !== '') rows.push(row)
    }
    this.#input = this.#input.slice(begin)
    return rows
  }

  /** Undefined for a comment. */
  #row(): string[] | undefined | typeof INCOMPLETE {
    const input = this.#input
    if (this.#comment !== undefined && input.startsWith(this.#comment, this.#at)) {
      const end = this.#lineFeed()
      if (end === input.length && !this.#isLast) return INCOMPLETE
      this.#at = end + 1
      return undefined
    }
    const cells: string[] = []
    for (;;) {
      const cell = input[this.#at] === QUOTE ? this.#quotedCell() : this.#plainCell()
      if (cell === INCOMPLETE) return INCOMPLETE
      cells.push(cell)
      const end = input[this.#at]
      this.#at++
      if (end !== this.#delimiter) return cells
    }
  }

  /** The place of the next line end, or the end of the text. */
  #lineFeed(): number {
    if (this.#nextLineFeed < this.#at) {
      const found = this.#input.indexOf(this.lineEnd, this.#at)
      this.#nextLineFeed = found < 0 ? this.#input.length : found
    }
    return this.#nextLineFeed
  }

  #delimiterPlace(): number {
    if (this.#nextDelimiter < this.#at) {
      const found = this.#input.indexOf(this.#delimiter, this.#at)
      this.#nextDelimiter = found < 0 ? this.#input.length : found
    }
    return this.#nextDelimiter
  }

  #escapePlace(escapeSign: string, from: number): number {
    if (this.#nextEscape < from) {
      const found = this.#input.indexOf(escapeSign, from)
      this.#nextEscape = found < 0 ? this.#input.length : found
    }
    return this.#nextEscape
  }

  /** Ends at the delimiter, the line end or the end of the text. */
  #plainCell(): string | typeof INCOMPLETE {
    const begin = this.#at
    const escapeSign = this.#escape
    if (escapeSign !== undefined) return this.#escapedCell(escapeSign)
    const end = Math.min(this.#delimiterPlace(), this.#lineFeed())
    if (end === this.#input.length && !this.#isLast) return INCOMPLETE
    this.#at = end
    const cell = this.#input.slice(begin, end)
    return cell.endsWith('\r') && this.#input[end] !== this.#delimiter ? cell.slice(0, -1) : cell
  }

  #escapedCell(escapeSign: string): string | typeof INCOMPLETE {
    const input = this.#input
    let cell = ''
    let at = this.#at
    for (; at < input.length && input[at] !== this.#delimiter && input[at] !== this.lineEnd; at++) {
      if (input[at] === escapeSign && at + 1 < input.length) at++
      cell += input[at]
    }
    if (at >= input.length && !this.#isLast) return INCOMPLETE
    const isNull = cell === NULL_LETTER && input[this.#at] === escapeSign
    this.#at = at
    if (isNull) return ''
    return cell.endsWith('\r') && input[at] !== this.#delimiter ? cell.slice(0, -1) : cell
  }

  #quotedCell(): string | typeof INCOMPLETE {
    const input = this.#input
    const escapeSign = this.#escape
    const begin = this.#at + 1
    let isPlain = true
    for (let from = begin; ; ) {
      const quote = input.indexOf(QUOTE, from)
      if (quote < 0) return this.#unclosed()
      const escaped = escapeSign === undefined ? input.length : this.#escapePlace(escapeSign, from)
      if (escaped < quote) {
        isPlain = false
        from = escaped + 2
        continue
      }
      if (quote + 1 >= input.length && !this.#isLast) return INCOMPLETE
      if (input[quote + 1] === QUOTE) {
        isPlain = false
        from = quote + 2
        continue
      }
      this.#at = this.#afterBlanks(quote + 1)
      if (this.#at >= input.length && !this.#isLast) return INCOMPLETE
      const text = input.slice(begin, quote)
      return isPlain ? text : this.#unquoted(text)
    }
  }

  #unclosed(): typeof INCOMPLETE {
    if (this.#isLast) throw new MisplacedQuote(this.#rows)
    return INCOMPLETE
  }

  /** The place after blanks, which must be a delimiter or line end. */
  #afterBlanks(from: number): number {
    const input = this.#input
    for (let at = from; ; at++) {
      const character = input[at]
      if (character === undefined || character === this.#delimiter || character === this.lineEnd) return at
      if (character !== ' ' && character !== '\t' && character !== '\r') throw new MisplacedQuote(this.#rows)
    }
  }

  #unquoted(text: string): string {
    const escapeSign = this.#escape
    if (escapeSign === undefined) return text.replaceAll('""', QUOTE)
    let cell = ''
    for (let at = 0; at < text.length; at++) {
      if (text[at] === escapeSign || (text[at] === QUOTE && text[at + 1] === QUOTE)) at++
      cell += text[at] ?? ''
    }
    return cell
  }
}

const DELIMITERS = [',', ';', '\t', '|']
const SAMPLE_ROWS = 50

/** The line end of a file that begins with this text. */
export const lineEndOf = (sample: string): '\n' | '\r' =>
  sample.includes('\n') || !sample.includes('\r') ? '\n' : '\r'

/** The delimiter that gives the most rows of a sample the same number of cells, of which there are several. */
export function guessDelimiter(sample: string, format: Omit<CsvFormat, 'delimiter'>): string {
  let best = { delimiter: ',', share: 0, width: 0 }
  for (const delimiter of DELIMITERS) {
    const rows = sampleRows(sample, { ...format, delimiter })
    const { share, width } = usualWidth(rows)
    const isClearer = width > best.width || (best.delimiter === ',' && hasDecimalCommas(rows))
    if (width > 1 && (share > best.share || (share === best.share && isClearer)))
      best = { delimiter, share, width }
  }
  return best.delimiter
}

const DECIMAL_COMMA = /^[+-]?(?:\d+|\d{1,3}(?:[. ]\d{3})+),\d+$/

/** Whether commas stand only within numbers, as in `1,5;2,5`. */
function hasDecimalCommas(rows: readonly (readonly string[])[]): boolean {
  const cells = rows.flat().filter((cell) => cell.includes(','))
  return cells.length > 0 && cells.every((cell) => DECIMAL_COMMA.test(cell.trim()))
}

function sampleRows(sample: string, format: CsvFormat): string[][] {
  try {
    return new CsvParser(format, lineEndOf(sample)).push(`${sample}\n`, false).slice(0, SAMPLE_ROWS)
  } catch {
    return []
  }
}

/** The most frequent number of cells in a row, and the share of the rows that have it. */
function usualWidth(rows: readonly (readonly string[])[]): { share: number; width: number } {
  const counts = new Map<number, number>()
  for (const { length } of rows) counts.set(length, (counts.get(length) ?? 0) + 1)
  const [width = 0, count = 0] = [...counts].reduce((most, next) => (next[1] > most[1] ? next : most), [0, 0])
  return { width, share: rows.length === 0 ? 0 : count / rows.length }
}

/** Excel's first line `sep=;`, also quoted, or padded with delimiters by a program that saved it again. */
const SEPARATOR_LINE = /^"?sep=(?:"?(\\t|[^\r\n"])"?)?[;,|\t" ]*(?:\r\n|\n|\r|$)/i

/** The delimiter that the first line of a file names, and the text after the line. Undefined without such a line. */
export function separatorLine(text: string): { delimiter: string | undefined; rest: string } | undefined {
  const match = SEPARATOR_LINE.exec(text)
  if (!match) return undefined
  const [line, named] = match
  return { delimiter: named === '\\t' ? '\t' : named, rest: text.slice(line.length) }
}

/** The text after its first lines; undefined if it has fewer. */
export function withoutLines(text: string, count: number): string | undefined {
  const lineEnd = /\r\n|\n|\r/g
  for (let left = count; left > 0; left--) if (!lineEnd.test(text)) return undefined
  return text.slice(lineEnd.lastIndex)
}
