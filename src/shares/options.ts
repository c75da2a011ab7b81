import type { Static } from '@sinclair/typebox'
import { strict } from '../http/schema/types.ts'
import { createCheck, type FormCheck } from '../http/validation.ts'
import { quoteList } from '../lib/text.ts'
import { checkedChanges } from '../records/writing/row-values.ts'
import { refused } from '../refusal.ts'
import {
  type Definition,
  definitionOf,
  type FieldDefinition,
  type StructureRow,
} from '../structures/store.ts'
import { FormOptions, NoOptions, RowViewOptions, type ShareKind } from './schema.ts'

export type FormSettings = Static<typeof FormOptions>

/** A field as a form shows it. */
export interface FormField {
  readonly field: FieldDefinition
  readonly label: string
  readonly help: string | undefined
  readonly isRequired: boolean
}

const checkOf = (options: Parameters<typeof strict>[0][string]): FormCheck =>
  createCheck('body', strict({ options }))

const CHECKS: Readonly<Record<ShareKind, FormCheck>> = {
  note: checkOf(NoOptions),
  view: checkOf(NoOptions),
  row_view: checkOf(RowViewOptions),
  form: checkOf(FormOptions),
}

/** Refuses options that a share of this kind does not have. */
export const checkForm = (kind: ShareKind, options: object): void => CHECKS[kind]({ options })

/** No page without a session shows other objects of the workspace, nor takes their ids. */
const isAskable = ({ type }: FieldDefinition): boolean => type !== 'note' && type !== 'record'

/** The fields of a form in their order: those that are named, or all that can be asked. */
export function formFields({ fields, byKey }: Definition, settings: FormSettings): FormField[] {
  const { hidden = {} } = settings
  const named =
    settings.fields ??
    fields
      .filter((field) => !field.hidden && isAskable(field) && !Object.hasOwn(hidden, field.key))
      .map(({ key }) => ({ key }))
  return named.flatMap(({ key, label, help, required }: NonNullable<FormSettings['fields']>[number]) => {
    const field = byKey.get(key)
    return field
      ? [{ field, label: label ?? field.label ?? key, help, isRequired: field.required || required === true }]
      : []
  })
}

/** Refuses a form that this structure cannot have. */
export function checkFormOf(structure: StructureRow, settings: FormSettings): void {
  const definition = definitionOf(structure)
  if (structure.maxRows === 1)
    throw refused(
      `"${structure.name}" holds one row, which every post would replace; share a form of another structure.`,
    )
  checkFields(definition, settings)
  checkedChanges(definition, settings.hidden ?? {})
  const asked = new Set(formFields(definition, settings).map(({ field }) => field.key))
  const missing = definition.fields.filter(
    ({ key, required }) => required && !asked.has(key) && !Object.hasOwn(settings.hidden ?? {}, key),
  )
  if (missing.length === 0) return
  const keys = quoteList(missing.map(({ key }) => key))
  throw refused(`Every row needs ${keys}; add it to "fields", or give it a value in "hidden".`)
}

function checkFields({ byKey }: Definition, { fields = [], hidden = {} }: FormSettings): void {
  const keys = fields.map(({ key }) => key)
  const repeated = keys.find((key, at) => keys.indexOf(key) < at)
  if (repeated !== undefined) throw refused(`"options.fields" names "${repeated}" twice; name each once.`)
  for (const key of keys) {
    const field = byKey.get(key)
    if (!field) throw refused(`"options.fields" names "${key}", and the structure has no such field.`)
    if (!isAskable(field))
      throw refused(
        `"options.fields" names "${key}", a field of type "${field.type}", which a form cannot ask; leave it out.`,
      )
    if (Object.hasOwn(hidden, key))
      throw refused(`"${key}" is in "options.fields" and in "options.hidden"; leave it in one.`)
  }
}
