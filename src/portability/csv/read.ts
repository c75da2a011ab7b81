import Papa from 'papaparse'
import { refused } from '../../refusal.ts'
import { textOf } from '../text-file.ts'

/** How a file of rows is written. */
interface TableForm {
  readonly delimiter: string
  readonly lineBreak: '\n' | '\r' | '\r\n'
}

/** Some rows of a file, and how far it is read. */
export interface RowBatch {
  readonly rows: readonly (readonly string[])[]
  readonly bytesRead: number
}

const SAMPLE_CHARACTERS = 65_536
const DELIMITERS = [',', ';', '\t', '|']
/** Longer than any row that could be kept; a quote that is never closed would make one of the rest of the file. */
const LONGEST_ROW = 16_777_216

/** Delimiter and line break are told from the beginning of the file. */
function formOf(sample: string): TableForm {
  const { meta } = Papa.parse<string[]>(sample, {
    preview: 50,
    skipEmptyLines: 'greedy',
    delimitersToGuess: DELIMITERS,
  })
  return { delimiter: meta.delimiter, lineBreak: meta.linebreak as TableForm['lineBreak'] }
}

interface Parsed {
  data: string[][]
  errors: { message: string; row?: number }[]
  meta: { cursor: number }
}

/**
 * The rows of a file of comma-separated values (RFC 4180), the header first, in batches. Semicolons, tabs and
 * bars divide as well; a byte order mark is dropped, and so are empty lines. Refuses what is no such file, naming
 * the row: the first one after the header is row 1.
 */
export function* readRows(file: string): Generator<RowBatch> {
  let parser: Papa.Parser | undefined
  let rest = ''
  let rowsBefore = 0
  let last = 0
  const parse = (text: string, bytesRead: number, isPart: boolean): RowBatch => {
    const { data, errors, meta } = (parser as Papa.Parser).parse(text, 0, isPart) as Parsed
    const [fault] = errors
    if (fault) throw refused(`${file}, row ${rowsBefore + (fault.row ?? 0)}: ${plain(fault.message)}`)
    rest = isPart ? text.slice(meta.cursor) : ''
    if (rest.length > LONGEST_ROW)
      throw refused(`${file}, row ${rowsBefore + data.length}: a quote is never closed.`)
    rowsBefore += data.length
    return { rows: data.filter((cells) => cells.length > 1 || cells[0] !== ''), bytesRead }
  }
  for (const { text, bytesRead } of textOf(file)) {
    if (!parser) {
      const { delimiter, lineBreak } = formOf(text.slice(0, SAMPLE_CHARACTERS))
      parser = new Papa.Parser({ delimiter, newline: lineBreak })
    }
    last = bytesRead
    yield parse(rest + text, bytesRead, true)
  }
  if (parser && rest !== '') yield parse(rest, last, false)
}

/** The parser's own words, as a sentence of ours. */
const plain = (message: string) =>
  /quote/i.test(message) ? 'a quote stands where none may, or is never closed.' : `${message}.`
