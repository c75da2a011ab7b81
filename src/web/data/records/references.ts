import { splitValues } from '../../../lib/csv-cells.ts'
import type { Field } from './model.ts'

export const isReference = ({ type }: Pick<Field, 'type'>): boolean =>
  type === 'record' || type === 'note' || type === 'file' || type === 'user'

const ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** False for typed text that is not resolved to an id yet. */
export const isId = (text: string): boolean => ID.test(text)

/** Whether a text holds only ids of a reference field: one, or several. */
export const holdsIds = ({ multiple }: Pick<Field, 'multiple'>, text: string): boolean =>
  multiple ? splitValues(text).every(isId) : isId(text.trim())
