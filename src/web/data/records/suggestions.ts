import { splitValues } from '../../../lib/csv-cells.ts'
import { api } from '../api.ts'
import { readMembers } from './members.ts'
import { type Field, type Row, rowLabel } from './model.ts'
import { isId } from './references.ts'
import type { Parsed } from './values.ts'

export interface Suggestion {
  readonly id: string
  readonly label: string
}

const MAX_SUGGESTIONS = 12
/** The suffix added by `distinct`. */
const ID_SUFFIX = / \(…\w{6}\)$/

/** Suggestions for a reference. Labels are distinct, because a datalist selects by label. */
export const suggest = async (field: Field, text: string): Promise<readonly Suggestion[]> =>
  distinct(await findSuggestions(field, text.replace(ID_SUFFIX, '')))

/**
 * Resolves typed text to a reference: an id, an exact label, or a part that matches only one label. Otherwise returns an
 * error with examples.
 */
export async function readReference(field: Field, text: string): Promise<Parsed> {
  if (!field.multiple) return readOne(field, text)
  const values: string[] = []
  for (const part of splitValues(text)) {
    const parsed = await readOne(field, part)
    if ('error' in parsed) return parsed
    values.push(String(parsed.value))
  }
  return { value: values.length === 0 ? null : [...new Set(values)] }
}

async function readOne(field: Field, text: string): Promise<Parsed> {
  const typed = text.trim()
  if (typed === '' || isId(typed)) return { value: typed === '' ? null : typed }
  const found = await suggest(field, typed)
  const part = typed.toLowerCase()
  const whole = found.filter(({ label }) => label.toLowerCase() === part)
  const [only, other] =
    whole.length > 0 ? whole : found.filter(({ label }) => label.toLowerCase().includes(part))
  if (only && !other) return { value: only.id }
  const quoted = `“${typed}”`
  if (found.length === 0)
    return { error: `Nothing matches ${quoted}. Type part of a name and select a suggestion.` }
  const examples = found.slice(0, 3).map(({ label }) => `“${label}”`)
  return {
    error: `Several entries match ${quoted}. Select one from the list: ${examples.join(', ')}${found.length > 3 ? ' …' : ''}`,
  }
}

/** Adds the end of the id to labels that occur more than once. */
export function distinct(found: readonly Suggestion[]): readonly Suggestion[] {
  const counts = new Map<string, number>()
  for (const { label } of found) counts.set(label, (counts.get(label) ?? 0) + 1)
  return found.map(({ id, label }) =>
    (counts.get(label) ?? 0) > 1 ? { id, label: `${label} (…${id.slice(-6)})` } : { id, label },
  )
}

async function findSuggestions(field: Field, text: string): Promise<readonly Suggestion[]> {
  const limit = MAX_SUGGESTIONS
  if (field.type === 'note') {
    const search = text.trim() === '' ? {} : { search: `${text.trim()}*` }
    const { notes } = await api.get('/v1/notes', { query: { ...search, limit } })
    return notes.map(({ id, title }) => ({ id, label: title }))
  }
  if (field.type === 'file') {
    const { files } = await api.get('/v1/files', {})
    const part = text.trim().toLowerCase()
    return files
      .filter(({ file_name }) => file_name.toLowerCase().includes(part))
      .slice(0, MAX_SUGGESTIONS)
      .map(({ id, file_name }) => ({ id, label: file_name }))
  }
  if (field.type === 'user') {
    const part = text.trim().toLowerCase()
    const members = await readMembers()
    return members
      .filter(({ name }) => name.toLowerCase().includes(part))
      .slice(0, MAX_SUGGESTIONS)
      .map(({ id, name }) => ({ id, label: name }))
  }
  if (field.structure === null) return []
  return suggestRows(field.structure, text.trim())
}

async function suggestRows(nameOrId: string, text: string): Promise<readonly Suggestion[]> {
  const { structure } = await api.get('/v1/records/structures/{nameOrId}', { params: { nameOrId } })
  const filter = JSON.stringify([{ field: '*', op: 'contains', value: text.slice(0, 200) }])
  const { records } = await api.get('/v1/records', {
    query: { structure: structure.id, limit: MAX_SUGGESTIONS, ...(text !== '' && { filter }) },
  })
  return (records as Row[]).map((row) => ({ id: row.id, label: rowLabel(structure, row) }))
}
