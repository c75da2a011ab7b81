import {
  type CsvFormat,
  CsvParser,
  guessDelimiter,
  lineEndOf,
  separatorLine,
  withoutLines,
} from './csv-parser.ts'

export interface CsvFileFormat extends Omit<CsvFormat, 'delimiter'> {
  /** Lines of the file before the header. */
  readonly skipLines?: number | undefined
}

const SAMPLE_CHARACTERS = 65_536

/**
 * The rows with values of a CSV file that arrives in parts, the header first. A line such as `sep=;` at the beginning
 * names the delimiter; else the comma, semicolon, tab or bar that suits the rows best is taken.
 */
export class CsvReader {
  #parser: CsvParser | undefined
  #head = ''

  constructor(private readonly format: CsvFileFormat) {}

  /** The text of the row that is not finished. */
  get rest(): string {
    return this.#parser?.rest ?? this.#head
  }

  /** The number of finished rows, the header and rows without values included. */
  get rows(): number {
    return this.#parser?.rows ?? 0
  }

  /** Throws MisplacedQuote. */
  push(text: string, isLast: boolean): string[][] {
    let more = text
    if (!this.#parser) {
      this.#head += text
      if (this.#head.length < SAMPLE_CHARACTERS && !isLast) return []
      const begun = this.#begin(isLast)
      if (begun === undefined) return []
      more = begun
      this.#head = ''
    }
    const rows = this.#parser?.push(more, isLast) ?? []
    return rows.filter(hasValue)
  }

  /** The text after the skipped lines; undefined if more lines must be skipped. */
  #begin(isLast: boolean): string | undefined {
    const { skipLines = 0 } = this.format
    const rest = withoutLines(this.#head, skipLines)
    // The first half of a line break ends the text.
    if (!isLast && (rest === undefined || (skipLines > 0 && rest === ''))) return undefined
    const named = separatorLine(this.#head)
    const again = separatorLine(rest ?? '')
    const text = again?.rest ?? rest ?? ''
    const sample = text.slice(0, SAMPLE_CHARACTERS)
    const delimiter = again?.delimiter ?? named?.delimiter ?? guessDelimiter(sample, this.format)
    this.#parser = new CsvParser({ ...this.format, delimiter }, lineEndOf(sample))
    return text
  }
}

/** A mark that old systems write after the last line. */
const END_MARK = '\u001a'

function hasValue(cells: readonly string[]): boolean {
  if (cells.length === 1) return cells[0] !== '' && cells[0]?.trim() !== END_MARK
  for (const cell of cells) if (cell !== '') return true
  return false
}
