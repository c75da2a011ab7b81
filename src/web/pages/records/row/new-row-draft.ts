import { signal } from '@preact/signals'
import { sessionKey } from '../../../data/session-key.ts'
import type { Structure } from '../model.ts'
import { isReference } from '../references.ts'
import { readReference } from '../suggestions.ts'
import { parseValue } from '../values.ts'

export type Data = Record<string, string | number | boolean | null>
type Texts = Readonly<Record<string, string>>

/** What is typed into the new row of each structure, until it is written or given up: other rows may be opened meanwhile. */
const typed = signal<ReadonlyMap<string, Texts>>(new Map())

const NONE: Texts = {}

/** The same, for this tab after it was loaded again; the name holds whose it is. */
const stored = {
  read: (name: string): Texts | undefined =>
    JSON.parse(sessionStorage.getItem(`new row ${name}`) ?? 'null') ?? undefined,
  write: (name: string, texts: Texts) => {
    try {
      sessionStorage.setItem(`new row ${name}`, JSON.stringify(texts))
    } catch {
      // Where there is no room, it is lost with the page.
    }
  },
}

/** The new row of a structure; the line under the rows and the form beside them show the same. */
export function newRowOf(structure: string) {
  const name = `${sessionKey.value} ${structure}`
  const set = (texts: Texts) => {
    typed.value = new Map(typed.peek()).set(name, texts)
    stored.write(name, texts)
  }
  const texts = typed.value.get(name) ?? stored.read(name) ?? NONE
  return {
    texts,
    type: (key: string, text: string) => set({ ...(typed.peek().get(name) ?? texts), [key]: text }),
    clear: () => set(NONE),
  }
}

/** What was typed, as values to be written, and by field why some of it cannot be. */
export async function readNewRow({ fields }: Structure, texts: Texts) {
  const data: Data = {}
  const faults: Record<string, string> = {}
  for (const field of fields) {
    const text = texts[field.key] ?? ''
    const parsed = isReference(field) ? await readReference(field, text) : parseValue(field, text)
    if ('error' in parsed) faults[field.key] = parsed.error
    else if (parsed.value !== null) data[field.key] = parsed.value
    else if (field.required) faults[field.key] = `${field.label} needs a value.`
  }
  return { data, faults }
}
