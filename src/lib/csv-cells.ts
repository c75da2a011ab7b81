/** A spreadsheet would take such a text for a formula; an apostrophe before it, which an import removes, prevents that. */
const LOOKS_LIKE_FORMULA = /^'*[=+\-@\t\r]/
const PROTECTED = /^'+[=+\-@\t\r]/
const APOSTROPHE = 0x27

/** A text as the cell of an exported file. */
export const protectedCell = (text: string): string => (LOOKS_LIKE_FORMULA.test(text) ? `'${text}` : text)

/** The text of such a cell. */
export const withoutProtection = (cell: string): string =>
  cell.charCodeAt(0) === APOSTROPHE && PROTECTED.test(cell) ? cell.slice(1) : cell
