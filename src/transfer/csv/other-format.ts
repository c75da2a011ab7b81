import { closeSync, openSync, readSync } from 'node:fs'
import { refused } from '../../lib/refusal.ts'

/** Packages of Office list their parts in any order. */
const SNIFF_BYTES = 65_536

interface OtherFormat {
  readonly name: string
  readonly advice: string
  /** The first bytes, as characters. */
  readonly begins: string
  /** The names of parts, of which it holds one. */
  readonly holds?: readonly string[]
}

const SAVE_AS_CSV = 'save each sheet as CSV, and import that file with --structure'
const ADD_AS_FILE = 'add it with "daybook files add"'
const ZIP = 'PK\x03\x04'

/** One of notes is imported without --structure. */
const ZIP_ARCHIVE: OtherFormat = {
  name: 'a zip archive',
  begins: ZIP,
  advice: 'unpack it, and import the file of rows; leave --structure out to import a folder of notes',
}

/** The formats that people name to the command, the more specific one first. */
const FORMATS: readonly OtherFormat[] = [
  { name: 'an Excel workbook (.xlsx)', begins: ZIP, holds: ['xl/'], advice: SAVE_AS_CSV },
  {
    name: 'a spreadsheet (.ods)',
    begins: ZIP,
    holds: ['application/vnd.oasis.opendocument.spreadsheet'],
    advice: SAVE_AS_CSV,
  },
  { name: 'an Office document', begins: ZIP, holds: ['word/', 'ppt/'], advice: ADD_AS_FILE },
  ZIP_ARCHIVE,
  { name: 'an old Office document (.xls or .doc)', begins: '\xd0\xcf\x11\xe0', advice: SAVE_AS_CSV },
  { name: 'a PDF document', begins: '%PDF-', advice: ADD_AS_FILE },
  { name: 'a SQLite database', begins: 'SQLite format 3\0', advice: 'write its tables as CSV' },
  { name: 'a Parquet file', begins: 'PAR1', advice: 'convert it to CSV' },
  { name: 'compressed with gzip', begins: '\x1f\x8b', advice: 'unpack it with gunzip' },
  { name: 'compressed with zstd', begins: '\x28\xb5\x2f\xfd', advice: 'unpack it with unzstd' },
  { name: 'compressed with xz', begins: '\xfd7zXZ\0', advice: 'unpack it with unxz' },
  { name: 'a 7z archive', begins: '7z\xbc\xaf\x27\x1c', advice: 'unpack it first' },
]

/** Refuses a file of a format that the command recognizes but does not read as rows. */
export function refuseOtherFormat(file: string): void {
  const found = formatOf(file)
  if (found) throw refused(`${file} is ${found.name}, which this command does not read; ${found.advice}.`)
}

/** Whether a file is a ZIP file of other files, rather than a document. */
export const isZip = (file: string): boolean => formatOf(file) === ZIP_ARCHIVE

function formatOf(file: string): OtherFormat | undefined {
  const handle = openSync(file, 'r')
  try {
    const bytes = Buffer.alloc(SNIFF_BYTES)
    const beginning = bytes.subarray(0, readSync(handle, bytes)).toString('latin1')
    return FORMATS.find(
      ({ begins, holds }) =>
        beginning.startsWith(begins) && (!holds || holds.some((part) => beginning.includes(part))),
    )
  } finally {
    closeSync(handle)
  }
}
