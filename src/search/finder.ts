/* Rules of the finder about tables, rows and presets: for the server, and for the application in the offline copy. */

/** The most results of each kind but notes. Structures and rows share theirs. */
export const MOST = { structures: 3, rows: 6, files: 4, presets: 5 } as const

/** Longer texts are not searched for in rows, and further words neither. */
const MAX_ROW_TEXT = 200
const MAX_ROW_WORDS = 5

/** A filter of rows with every word in any field; undefined for a text that is not searched for in rows. */
export function rowFilter(text: string): string | undefined {
  if (text === '' || text.length > MAX_ROW_TEXT) return undefined
  const words = text.split(/\s+/).slice(0, MAX_ROW_WORDS)
  return JSON.stringify(words.map((value) => ({ field: '*', op: 'contains', value })))
}

export const isStructureFound = (name: string, text: string): boolean =>
  name.toLowerCase().includes(text.toLowerCase())

/** Presets are offered as commands that begin a note. */
export const isPresetFound = (name: string, text: string): boolean => {
  const command = `new note from ${name}`.toLowerCase()
  return text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => command.includes(word))
}
