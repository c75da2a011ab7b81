import { signal } from '@preact/signals'
import type { Structure } from '../../../data/records/model.ts'
import { isReference } from '../../../data/records/references.ts'
import { readReference } from '../../../data/records/suggestions.ts'
import { parseValue } from '../../../data/records/values.ts'
import { sessionKey } from '../../../data/session-key.ts'

export type Data = Record<string, string | number | boolean | readonly string[] | null>
type Texts = Readonly<Record<string, string>>

/** Drafts of new rows per session and structure. They survive opening other rows. */
const typed = signal<ReadonlyMap<string, Texts>>(new Map())

const NONE: Texts = {}

/** A copy in session storage that survives a reload. The name contains the session key. */
const stored = {
  read: (name: string): Texts | undefined =>
    JSON.parse(sessionStorage.getItem(`new row ${name}`) ?? 'null') ?? undefined,
  write: (name: string, texts: Texts) => {
    try {
      sessionStorage.setItem(`new row ${name}`, JSON.stringify(texts))
    } catch {
      // Storage is full: the draft is lost if the page closes.
    }
  },
}

const filled = (texts: Texts): Texts =>
  Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== ''))

/** The draft of a new row, shared by the line below the grid and the form beside it. */
export function newRowOf(structure: string) {
  const name = `${sessionKey.value} ${structure}`
  const set = (texts: Texts) => {
    typed.value = new Map(typed.peek()).set(name, texts)
    stored.write(name, texts)
  }
  const texts = typed.value.get(name) ?? stored.read(name) ?? NONE
  const current = () => typed.peek().get(name) ?? texts
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
    const parsed = isReference(field) ? await readReference(field, text) : parseValue(field, text)
    if ('error' in parsed) errors[field.key] = parsed.error
    else if (parsed.value !== null) data[field.key] = parsed.value
    else if (field.required) errors[field.key] = `${field.label} is required.`
  }
  return { data, errors }
}
