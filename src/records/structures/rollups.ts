import { type InWorkspace, wholeWorkspace } from '../../context.ts'
import { valueTypeOf } from '../../filter/record/field-types.ts'
import { may } from '../../kernel/caller.ts'
import { atPlace, Refusal, refused } from '../../lib/refusal.ts'
import { listed } from '../../lib/text.ts'
import type { Reader } from '../../storage/reader.ts'
import type { Check, FieldInput } from './fields.ts'
import { definitionOf, type FieldDefinition, findStructure, listStructureRows } from './store.ts'

/*
 * Roll-up fields: numbers over the rows of another structure that point to a row. They are computed when rows are read
 * (`rows/query/rollups.ts`) and never stored, so they cannot be out of date.
 */

export const ROLLUP_FUNCTIONS = ['count', 'sum', 'average', 'min', 'max'] as const
export type RollupFunction = (typeof ROLLUP_FUNCTIONS)[number]

export interface Rollup {
  /** A `record` field of a structure, given by id, whose rows count. */
  readonly via: { readonly structure: string; readonly field: string }
  readonly function: RollupFunction
  /** The field of that structure whose values count; absent for `count`. */
  readonly field?: string
}

const TYPES_OF: Readonly<Record<RollupFunction, readonly string[]>> = {
  count: [],
  sum: ['number'],
  average: ['number'],
  min: ['number', 'date', 'datetime'],
  max: ['number', 'date', 'datetime'],
}

/** Whether a function can be computed over the values of a field. */
export const suits = (name: RollupFunction, field: FieldDefinition | undefined): boolean =>
  field !== undefined && TYPES_OF[name].includes(valueTypeOf(field))

/** The roll-up of a field as sent; undefined for other types. Refuses missing and superfluous attributes. */
export function rollupOf({ type, via, function: name, field }: FieldInput, at: number): Rollup | undefined {
  const place = (member: string) => `fields[${at}].${member}`
  if (type !== 'rollup') {
    const [extra] =
      Object.entries({ via, function: name, field }).find(([, value]) => value !== undefined) ?? []
    if (extra === undefined) return undefined
    throw refused(
      `"${place(extra)}" belongs to a field of type "rollup", and this one is "${type}".`,
      atPlace(place(extra)),
    )
  }
  if (!via || !name) throw refused(`"fields[${at}]" needs "via" and "function".`, atPlace(`fields[${at}]`))
  if (name === 'count') {
    if (field === undefined) return { via, function: name }
    throw refused(`"${place('field')}" does not go with "count"; leave it out.`, atPlace(place('field')))
  }
  if (field === undefined)
    throw refused(`"${place('field')}" is required with "${name}".`, atPlace(`fields[${at}]`))
  return { via, function: name, field }
}

/** The structure that the fields belong to, after the change. */
interface Owner {
  readonly id: string
  readonly name: string
  readonly before: readonly FieldDefinition[]
}

const isSameRollup = (one: Rollup, other: Rollup | undefined): boolean =>
  other !== undefined && JSON.stringify(one) === JSON.stringify(other)

/** The fields with the ids of the structures of their roll-ups. Refuses roll-ups over fields that do not fit. */
export function completeRollups(
  reader: Reader,
  caller: InWorkspace,
  fields: readonly FieldDefinition[],
  owner: Owner,
  check: Check = (_, run) => run(),
): FieldDefinition[] {
  return fields.map((field, at) => {
    const { rollup } = field
    const known = owner.before.find(({ key }) => key === field.key)?.rollup
    // The other structure may be hidden from the caller.
    if (!rollup || isSameRollup(rollup, known)) return field
    return (
      check(field.key, () => ({ ...field, rollup: completed(reader, caller, fields, owner, rollup, at) })) ??
      field
    )
  })
}

function completed(
  reader: Reader,
  caller: InWorkspace,
  fields: readonly FieldDefinition[],
  owner: Owner,
  rollup: Rollup,
  at: number,
): Rollup {
  const { via, function: name, field } = rollup
  const isOwn = via.structure === owner.id || via.structure.toLowerCase() === owner.name.toLowerCase()
  const other = isOwn ? undefined : findStructure(reader, caller, via.structure)
  const wrong = (member: string, sentence: string): Refusal =>
    refused(`"fields[${at}].${member}" ${sentence}`, atPlace(`fields[${at}].${member}`))
  if (!isOwn && !other)
    throw wrong('via.structure', `names "${via.structure}", and there is no such structure here.`)
  const known = other ? definitionOf(other).fields : fields
  const link = known.find(({ key }) => key === via.field)
  if (link?.type !== 'record' || link.structure !== owner.id)
    throw wrong(
      'via.field',
      `names "${via.field}", which is no "record" field that points to this structure.`,
    )
  const values = known.find(({ key }) => key === field)
  if (field !== undefined && !suits(name, values))
    throw wrong('field', `names "${field}"; "${name}" takes a field of type ${TYPES_OF[name].join(' or ')}.`)
  return { ...rollup, via: { structure: other?.id ?? owner.id, field: via.field } }
}

/** Descriptions of the roll-ups of a workspace that use a field of a structure, without the names of hidden ones. */
export function rollupsOver(
  reader: Reader,
  { workspacePk, rights }: InWorkspace,
  structurePk: number,
  key: string,
): string[] {
  const rows = listStructureRows(reader, wholeWorkspace(workspacePk))
  const id = rows.find(({ pk }) => pk === structurePk)?.id
  return rows.flatMap((row) =>
    definitionOf(row).rollups.flatMap(({ key: name, rollup }) =>
      rollup?.via.structure === id && (rollup?.via.field === key || rollup?.field === key)
        ? [may(rights, row.id, 'see') ? `the roll-up "${name}"` : 'a roll-up']
        : [],
    ),
  )
}

/** Refuses to remove or retype a field that roll-ups use. */
export function refuseLossOfLinked(
  reader: Reader,
  caller: InWorkspace,
  structurePk: number,
  { key }: FieldDefinition,
): void {
  const users = rollupsOver(reader, caller, structurePk, key)
  if (users.length === 0) return
  throw new Refusal(
    'in_use',
    `The field "${key}" is used by ${listed(users)} and cannot be removed, renamed or retyped; change that first.`,
  )
}
