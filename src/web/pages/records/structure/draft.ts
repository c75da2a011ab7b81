import type { Field, Structure } from '../../../data/records/model.ts'

export const TYPES = [
  'text',
  'number',
  'date',
  'time',
  'datetime',
  'bool',
  'select',
  'record',
  'note',
  'file',
  'formula',
  'user',
  'rollup',
] as const

export const TYPE_LABELS: Readonly<Record<string, string>> = {
  text: 'Text',
  number: 'Number',
  date: 'Date',
  time: 'Time',
  datetime: 'Date and time',
  bool: 'Yes/no',
  select: 'Choice',
  record: 'Row of a table',
  note: 'Note',
  file: 'File',
  formula: 'Formula',
  user: 'Member',
  rollup: 'Roll-up',
}

/** A field while it is edited, with values as typed. */
export interface FieldDraft {
  readonly id: string
  readonly label: string
  readonly key: string
  readonly type: string
  readonly required: boolean
  readonly unique: boolean
  readonly hidden: boolean
  readonly unit: string
  readonly min: string
  readonly max: string
  /** One per line. */
  readonly options: string
  readonly structure: string
  readonly expression: string
  readonly multiple: boolean
  /** Of a roll-up: the linking field, the function, and the field whose values count. */
  readonly viaStructure: string
  readonly viaField: string
  readonly rollupFunction: NonNullable<Field['function']>
  readonly rolledField: string
  /** The style of the format; empty for none. */
  readonly style: string
  readonly decimals: string
  readonly currency: string
  /** The stored field, if it exists. */
  readonly stored: Field | undefined
}

export interface Draft {
  readonly name: string
  readonly description: string
  readonly fields: readonly FieldDraft[]
  readonly labelField: string
  readonly uniqueTogether: readonly (readonly string[])[]
  readonly maxRows: string
  readonly immutable: boolean
  /** Empty for none, like `color`. */
  readonly icon: string
  readonly color: string
}

let count = 0

export const newField = (): FieldDraft => ({
  id: `f${++count}`,
  label: '',
  key: '',
  type: 'text',
  required: false,
  unique: false,
  hidden: false,
  unit: '',
  min: '',
  max: '',
  options: '',
  structure: '',
  expression: '',
  multiple: false,
  viaStructure: '',
  viaField: '',
  rollupFunction: 'count',
  rolledField: '',
  style: '',
  decimals: '',
  currency: '',
  stored: undefined,
})

/** A stored field as a draft. */
export const draftOfField = (field: Field): FieldDraft => ({
  ...newField(),
  label: field.label,
  key: field.key,
  type: field.type,
  required: field.required,
  unique: field.unique,
  hidden: field.hidden,
  unit: field.unit ?? '',
  min: field.min === null ? '' : String(field.min),
  max: field.max === null ? '' : String(field.max),
  options: (field.options ?? []).join('\n'),
  structure: field.structure ?? '',
  expression: field.expression ?? '',
  multiple: field.multiple === true,
  viaStructure: field.via?.structure ?? '',
  viaField: field.via?.field ?? '',
  rollupFunction: field.function ?? 'count',
  rolledField: field.field ?? '',
  style: field.format?.style ?? '',
  decimals: String(field.format?.decimals ?? ''),
  currency: field.format?.currency ?? '',
  stored: field,
})

export const draftOf = (structure: Structure | undefined): Draft => ({
  name: structure?.name ?? '',
  description: structure?.description ?? '',
  fields: structure ? structure.fields.map(draftOfField) : [newField()],
  labelField: structure?.label_field ?? '',
  uniqueTogether: structure?.unique_together ?? [],
  maxRows: structure?.max_rows === null || structure === undefined ? '' : String(structure.max_rows),
  immutable: structure?.immutable ?? false,
  icon: structure?.icon ?? '',
  color: structure?.color ?? '',
})

/** The key for a label: `Due date` becomes `due_date`. */
export function keyFor(label: string): string {
  const plain = label
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replaceAll(/^[_0-9]+|_$/g, '')
  return plain.slice(0, 63)
}

export const keyOf = (field: FieldDraft): string => field.key || keyFor(field.label)

export const mayBeMultiple = (type: string): boolean =>
  ['select', 'note', 'file', 'record', 'user'].includes(type)

const BOUNDED_AS_NUMBER = new Set(['number', 'text'])

export const hasBounds = (type: string): boolean =>
  ['number', 'text', 'date', 'time', 'datetime'].includes(type)

/** A bound in the API's format. Invalid text is sent as typed, for the server to refuse. */
function boundOf(type: string, text: string): string | number | null {
  const trimmed = text.trim()
  if (trimmed === '' || !hasBounds(type)) return null
  if (BOUNDED_AS_NUMBER.has(type)) return Number.isFinite(Number(trimmed)) ? Number(trimmed) : trimmed
  return trimmed
}

/** The styles of formats by type, with their labels. */
export const STYLES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  number: { plain: 'Plain', grouped: 'Thousands separators', percent: 'Percent', currency: 'Currency' },
  text: { url: 'Web address', email: 'Email address', phone: 'Phone number', long: 'Long text' },
}

type Format = NonNullable<Field['format']>

/** Invalid decimals are sent as typed, for the server to refuse. */
function formatOf({ type, style, decimals, currency }: FieldDraft): Format | null {
  if (STYLES[type]?.[style] === undefined) return null
  const digits = decimals.trim()
  return {
    style: style as Format['style'],
    ...(type === 'number' && digits !== '' && { decimals: Number(digits) }),
    ...(style === 'currency' && currency.trim() !== '' && { currency: currency.trim().toUpperCase() }),
  }
}

/** Whether the server computes the values of fields of this type. */
export const isComputedType = (type: string): boolean => type === 'formula' || type === 'rollup'

const rollupOf = ({ viaStructure, viaField, rollupFunction, rolledField }: FieldDraft) => ({
  ...(viaField !== '' && { via: { structure: viaStructure, field: viaField } }),
  function: rollupFunction,
  ...(rollupFunction !== 'count' && rolledField !== '' && { field: rolledField }),
})

const optionsOf = (text: string): string[] | null => {
  const options = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
  return options.length === 0 ? null : options
}

/** The request body of a draft. */
export function bodyOf(draft: Draft) {
  return {
    name: draft.name.trim(),
    description: draft.description.trim() === '' ? null : draft.description,
    fields: draft.fields.map((field) => ({
      key: keyOf(field),
      type: field.type as (typeof TYPES)[number],
      label: field.label.trim() || keyOf(field),
      required: field.required && !isComputedType(field.type),
      unique: field.unique && !isComputedType(field.type) && !field.multiple,
      ...(field.multiple && mayBeMultiple(field.type) && { multiple: true }),
      hidden: field.hidden,
      unit: field.unit.trim() === '' ? null : field.unit.trim(),
      min: boundOf(field.type, field.min),
      max: boundOf(field.type, field.max),
      ...(field.type === 'select' && { options: optionsOf(field.options) }),
      ...(STYLES[field.type] && (field.style !== '' || field.stored) && { format: formatOf(field) }),
      ...(field.type === 'rollup' && rollupOf(field)),
      ...(field.type === 'formula' && { expression: field.expression }),
      ...(field.type === 'record' && field.structure !== '' && { structure: field.structure }),
    })),
    label_field: draft.labelField === '' ? null : draft.labelField,
    unique_together: draft.uniqueTogether.filter((set) => set.length > 1).map((set) => [...set]),
    max_rows: draft.maxRows.trim() === '' ? null : Number(draft.maxRows),
    immutable: draft.immutable,
    icon: draft.icon === '' ? null : draft.icon,
    color: draft.color === '' ? null : draft.color,
  }
}
