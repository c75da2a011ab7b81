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

const SEPARATOR = '; '

/** Several values as one text: separated by `; `, or one per line if a value holds `; ` itself. */
export function joinedValues(values: readonly string[]): string {
  if (!values.some((value) => value.includes(SEPARATOR))) return values.join(SEPARATOR)
  // The line break at the end keeps a single value from being split.
  return values.length === 1 ? `${values[0]}\n` : values.join('\n')
}

/** The values in a text: the inverse of `joinedValues`. */
export function splitValues(text: string): string[] {
  const separator = /[\r\n]/.test(text) ? /[\r\n]+/ : /; /
  return text.split(separator).flatMap((value) => value.trim() || [])
}

/** The value of a field as a CSV cell. */
export function csvCell(type: string, value: unknown): string {
  if (value === null || value === undefined) return ''
  if (Array.isArray(value)) return textCell(joinedValues(value as string[]))
  // Imports would read the exponent form of such a number as an id.
  const isLarge = typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value)
  const text = isLarge ? value.toExponential() : String(value)
  return TEXTS.has(type) ? textCell(text) : quotedCell(text)
}

/** The cell without the apostrophe that protects it from being evaluated. */
export const withoutProtection = (cell: string): string =>
  cell.charCodeAt(0) === APOSTROPHE && PROTECTED.test(cell) ? cell.slice(1) : cell
