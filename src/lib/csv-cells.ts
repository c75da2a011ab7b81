/*
 * The cells of CSV (RFC 4180), as all exports write them: of the command line, of the application and of shares.
 */

/** A spreadsheet would take such a text for a formula; an apostrophe before it, which an import removes, prevents that. */
const LOOKS_LIKE_FORMULA = /^'*[=+\-@\t\r]/
const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/
const PROTECTED = /^'+[=+\-@\t\r]/
const APOSTROPHE = 0x27

const protectedText = (text: string): string =>
  LOOKS_LIKE_FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text

/** Other delimiters too, so that none of them is taken for the one of the file. */
const NEEDS_QUOTES = /[",;|\t\r\n]|^\s|\s$/

/** A text as the cell of a file; unlike a cell without a value, an empty text has quotes. */
export const quotedCell = (text: string): string =>
  text === '' || NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text

/** A text that is no formula, as the cell of a file. */
export const textCell = (text: string): string => quotedCell(protectedText(text))

const TEXTS = new Set(['text', 'select'])

/** The value of a field of some type as the cell of a file. */
export function csvCell(type: string, value: unknown): string {
  if (value === null || value === undefined) return ''
  // An import takes the other form of such a number for an id.
  const isLarge = typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value)
  const text = isLarge ? value.toExponential() : String(value)
  return TEXTS.has(type) ? textCell(text) : quotedCell(text)
}

/** The text of a cell that was kept from being a formula. */
export const withoutProtection = (cell: string): string =>
  cell.charCodeAt(0) === APOSTROPHE && PROTECTED.test(cell) ? cell.slice(1) : cell
