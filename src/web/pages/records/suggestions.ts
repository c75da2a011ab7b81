import { api } from '../../data/api.ts'
import { type Field, type Row, rowLabel } from './model.ts'
import { isId } from './references.ts'
import type { Parsed } from './values.ts'

export interface Suggestion {
  readonly id: string
  readonly label: string
}

const OFFERED = 12
/** What `distinct` adds to a label. */
const END_OF_ID = / \(…\w{6}\)$/

/** What a reference may name, by what was typed; no two have the same label, by which one is chosen. */
export const suggest = async (field: Field, text: string): Promise<readonly Suggestion[]> =>
  distinct(await findSuggestions(field, text.replace(END_OF_ID, '')))

/**
 * What was typed as a reference: an id, or the label of what is meant, or a part that only its label has. Else the
 * sentence that says what may be meant.
 */
export async function readReference(field: Field, text: string): Promise<Parsed> {
  const typed = text.trim()
  if (typed === '' || isId(typed)) return { value: typed === '' ? null : typed }
  const found = await suggest(field, typed)
  const part = typed.toLowerCase()
  const whole = found.filter(({ label }) => label.toLowerCase() === part)
  const [only, other] =
    whole.length > 0 ? whole : found.filter(({ label }) => label.toLowerCase().includes(part))
  if (only && !other) return { value: only.id }
  const named = `“${typed}”`
  if (found.length === 0)
    return { error: `Nothing is named ${named}; type a part of the name of what is there, and choose it.` }
  const examples = found.slice(0, 3).map(({ label }) => `“${label}”`)
  return {
    error: `Choose what ${named} means from the list: ${examples.join(', ')}${found.length > 3 ? ' …' : ''}`,
  }
}

/** Of several with the same label each one shows the end of its id. */
export function distinct(found: readonly Suggestion[]): readonly Suggestion[] {
  const counts = new Map<string, number>()
  for (const { label } of found) counts.set(label, (counts.get(label) ?? 0) + 1)
  return found.map(({ id, label }) =>
    (counts.get(label) ?? 0) > 1 ? { id, label: `${label} (…${id.slice(-6)})` } : { id, label },
  )
}

async function findSuggestions(field: Field, text: string): Promise<readonly Suggestion[]> {
  const limit = OFFERED
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
      .slice(0, OFFERED)
      .map(({ id, file_name }) => ({ id, label: file_name }))
  }
  if (field.structure === null) return []
  return suggestRows(field.structure, text.trim())
}

async function suggestRows(nameOrId: string, text: string): Promise<readonly Suggestion[]> {
  const { structure } = await api.get('/v1/records/structures/{nameOrId}', { params: { nameOrId } })
  const filter = JSON.stringify([{ field: '*', op: 'contains', value: text.slice(0, 200) }])
  const { records } = await api.get('/v1/records', {
    query: { structure: structure.id, limit: OFFERED, ...(text !== '' && { filter }) },
  })
  return (records as Row[]).map((row) => ({ id: row.id, label: rowLabel(structure, row) }))
}
