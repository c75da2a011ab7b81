/* CSV cells (RFC 4180) as written by every export: the command line, the application and shares. */

/**
 * Spreadsheets would evaluate such a text as a formula. Exports prefix it with an apostrophe, which imports remove.
 */
const LOOKS_LIKE_FORMULA = /^'*[=+\-@\t\r]/
const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/
const PROTECTED = /^'+[=+\-@\t\r]/
const APOSTROPHE = 0x27

const protectedText = (text: string): string =>
  LOOKS_LIKE_FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text

/** Includes other delimiters, so that none of them is mistaken for the delimiter of the file. */
const NEEDS_QUOTES = /[",;|\t\r\n]|^\s|\s$/

/** A text as a CSV cell; an empty text is quoted, which distinguishes it from a missing value. */
export const quotedCell = (text: string): string =>
  text === '' || NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text

/** A text as a CSV cell that spreadsheets do not evaluate. */
export const textCell = (text: string): string => quotedCell(protectedText(text))

const TEXTS = new Set(['text', 'select'])

/** The value of a field as a CSV cell. */
export function csvCell(type: string, value: unknown): string {
  if (value === null || value === undefined) return ''
  // Imports would read the exponent form of such a number as an id.
  const isLarge = typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value)
  const text = isLarge ? value.toExponential() : String(value)
  return TEXTS.has(type) ? textCell(text) : quotedCell(text)
}

/** The cell without the apostrophe that protects it from being evaluated. */
export const withoutProtection = (cell: string): string =>
  cell.charCodeAt(0) === APOSTROPHE && PROTECTED.test(cell) ? cell.slice(1) : cell
