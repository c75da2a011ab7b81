import type { components } from '../api-types.d.ts'

export type Structure = components['schemas']['Structure']

interface Row {
  readonly id: string
  readonly data: Readonly<Record<string, unknown>>
}

/** The label of a row: its title field, else its first text, else its first value, else its short id. */
export function recordLabel({ label_field, fields }: Structure, { id, data }: Row): string {
  const firstText = fields.find(({ key, type }) => type === 'text' && data[key] != null)?.key
  const first = fields.find(({ key }) => data[key] != null)?.key
  for (const key of [label_field, firstText, first]) {
    const value = key == null ? undefined : data[key]
    if (typeof value === 'string' || typeof value === 'number') return String(value)
  }
  return id.slice(0, 8)
}
