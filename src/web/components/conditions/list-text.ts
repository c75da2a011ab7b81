/* Several values as one text, separated by commas. A value that holds a comma is quoted. */

/** The values of a list, with their quotes. */
export function listParts(list: string): string[] {
  const found = ['']
  let isQuoted = false
  for (const piece of list.match(/\\.|./gs) ?? []) {
    if (piece === '"') isQuoted = !isQuoted
    if (piece === ',' && !isQuoted) found.push('')
    else found.push(`${found.pop()}${piece}`)
  }
  return found.map((part) => part.trim()).filter(Boolean)
}

/** A value as part of a list. */
export const quotedPart = (value: string): string =>
  value !== value.trim() || /^"|[,\\]/.test(value) ? JSON.stringify(value) : value

export function unquoted(part: string): string {
  if (!/^".*"$/s.test(part)) return part
  try {
    return String(JSON.parse(part))
  } catch {
    return part
  }
}
