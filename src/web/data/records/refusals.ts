import type { Fault } from '../request.ts'
import type { Field } from './model.ts'

/** The field a refusal blames, by its path below `data`. */
export function faultyField<Value extends Pick<Field, 'key'>>(
  fields: readonly Value[],
  { path }: Pick<Fault, 'path'> = { path: [] },
): Value | undefined {
  const key = path[path.indexOf('data') + 1]
  return path.includes('data') ? fields.find((field) => field.key === key) : undefined
}

/** The 0-based row of a batch that a refusal blames. */
export function faultyRow({ path }: Pick<Fault, 'path'> = { path: [] }): number | undefined {
  const [list, index] = path
  return list === 'rows' && index !== undefined ? Number(index) : undefined
}
