import type { Structure } from '../../../data/records/model.ts'
import { isReference } from '../../../data/records/references.ts'
import { readReference } from '../../../data/records/suggestions.ts'
import { readTyped } from '../../../data/records/typed-text.ts'
import { parseValue } from '../../../data/records/values.ts'
import { sessionState } from '../../../data/session-state.ts'

export type Data = Record<string, string | number | boolean | readonly string[] | null>
type Texts = Readonly<Record<string, string>>

/** Drafts of new rows by structure. They survive opening other rows, and reloading the tab. */
const drafts = sessionState<Readonly<Record<string, Texts>>>(
  {},
  { name: 'new row', storage: 'sessionStorage' },
)

const NONE: Texts = {}

const filled = (texts: Texts): Texts =>
  Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== ''))

/** The draft of a new row, shared by the line below the grid and the form beside it. */
export function newRowOf(structure: string) {
  const set = (texts: Texts) => {
    drafts.value = { ...drafts.peek(), [structure]: texts }
  }
  const texts = drafts.value[structure] ?? NONE
  const current = () => drafts.peek()[structure] ?? NONE
  return {
    texts,
    /** The texts as they are now, also after those of this call have changed. */
    current,
    type: (key: string, text: string) => set({ ...current(), [key]: text }),
    clear: () => set(NONE),
    /** Puts the texts of a refused row back. Text that was typed meanwhile takes precedence. */
    restore: (refused: Texts) => set({ ...refused, ...filled(current()) }),
  }
}

/** Parses a draft into values, and errors by field. */
export async function readNewRow({ fields }: Structure, texts: Texts) {
  const data: Data = {}
  const errors: Record<string, string> = {}
  for (const field of fields) {
    const text = texts[field.key] ?? ''
    const parsed = isReference(field)
      ? await readReference(field, text)
      : parseValue(field, readTyped(field.type, text))
    if ('error' in parsed) errors[field.key] = parsed.error
    else if (parsed.value !== null) data[field.key] = parsed.value
    else if (field.required) errors[field.key] = `${field.label} is required.`
  }
  return { data, errors }
}
