import Papa from 'papaparse'
import { refused } from '../../refusal.ts'
import { textChunks } from '../read-file.ts'

interface CsvFormat {
  readonly delimiter: string
  readonly lineBreak: '\n' | '\r' | '\r\n'
}

/** Some rows of a file, and the number of bytes read so far. */
export interface RowBatch {
  readonly rows: readonly (readonly string[])[]
  readonly bytesRead: number
}

const SAMPLE_CHARACTERS = 65_536
const DELIMITERS = [',', ';', '\t', '|']
/** Longer than any row that could be stored. An unclosed quote would turn the rest of the file into one row. */
const MAX_ROW_LENGTH = 16_777_216

/** Detects the delimiter and the line break from the beginning of the file. */
function detectFormat(sample: string): CsvFormat {
  const { meta } = Papa.parse<string[]>(sample, {
    preview: 50,
    skipEmptyLines: 'greedy',
    delimitersToGuess: DELIMITERS,
  })
  return { delimiter: meta.delimiter, lineBreak: meta.linebreak as CsvFormat['lineBreak'] }
}

interface Parsed {
  data: string[][]
  errors: { message: string; row?: number }[]
  meta: { cursor: number }
}

/**
 * The rows of a CSV file (RFC 4180), the header first, in batches. Semicolons, tabs and bars also count as delimiters;
 * a byte order mark and empty lines are dropped. Refuses a malformed file, naming the row: the first one after the
 * header is row 1.
 */
export function* readRows(file: string): Generator<RowBatch> {
  let parser: Papa.Parser | undefined
  let rest = ''
  let rowsBefore = 0
  let last = 0
  const parse = (text: string, bytesRead: number, isPart: boolean): RowBatch => {
    const { data, errors, meta } = (parser as Papa.Parser).parse(text, 0, isPart) as Parsed
    const [fault] = errors
    if (fault) throw refused(`${file}, row ${rowsBefore + (fault.row ?? 0)}: ${faultSentence(fault.message)}`)
    rest = isPart ? text.slice(meta.cursor) : ''
    if (rest.length > MAX_ROW_LENGTH)
      throw refused(`${file}, row ${rowsBefore + data.length}: a quote is never closed.`)
    rowsBefore += data.length
    return { rows: data.filter((cells) => cells.length > 1 || cells[0] !== ''), bytesRead }
  }
  for (const { text, bytesRead } of textChunks(file)) {
    if (!parser) {
      const { delimiter, lineBreak } = detectFormat(text.slice(0, SAMPLE_CHARACTERS))
      parser = new Papa.Parser({ delimiter, newline: lineBreak })
    }
    last = bytesRead
    yield parse(rest + text, bytesRead, true)
  }
  if (parser && rest !== '') yield parse(rest, last, false)
}

const faultSentence = (message: string) =>
  /quote/i.test(message) ? 'a quote is misplaced or never closed.' : `${message}.`
