/* Several values as one text, separated by commas. A value that holds a comma is quoted. */

/** The values of a list, with their quotes. A quote inside a value, as in 5" pipe, is a part of it. */
export function listParts(list: string): string[] {
  const found = ['']
  let isQuoted = false
  for (const piece of list.match(/\\.|./gs) ?? []) {
    const part = found.at(-1) ?? ''
    if (piece === ',' && !isQuoted) found.push('')
    else {
      if (piece === '"') isQuoted = !isQuoted && part.trim() === ''
      found[found.length - 1] = part + piece
    }
  }
  return found.map((part) => part.trim()).filter(Boolean)
}

/** A value as part of a list. */
export const quotedPart = (value: string): string =>
  value === '' || value !== value.trim() || /^"|[,\\]/.test(value) ? JSON.stringify(value) : value

export function unquoted(part: string): string {
  if (!/^".*"$/s.test(part)) return part
  try {
    return String(JSON.parse(part))
  } catch {
    return part
  }
}
