import { checkedFileName } from '../../files/service.ts'
import { MAX_VALUES } from '../../filter/record/field-types.ts'
import { splitValues } from '../../lib/csv-cells.ts'
import { isoTimestamp, parseInstant } from '../../lib/dates.ts'
import { formEntries } from '../../lib/form-entries.ts'
import { isObject } from '../../lib/json.ts'
import type { FieldValue, RecordData } from '../../lib/record-data.ts'
import { atFields, invalid, Refusal, refused } from '../../lib/refusal.ts'
import { checkStorable, READ_LIMITS, storableJson } from '../../lib/storable-json.ts'
import { findTimeZone, instantOfLocal } from '../../lib/time-zones.ts'
import { checkedValue } from '../../records/rows/writing/field-values.ts'
import type { FormField, FormSettings } from '../service.ts'

/** A file that was chosen in a form. */
export interface SentFile {
  readonly name: string
  readonly bytes: Uint8Array
}

/**
 * The contents of a post: texts and files by the names of the inputs of the page, in the order sent, or values by the
 * keys of fields.
 */
export type Sent =
  | {
      readonly isJson: false
      readonly texts: ReadonlyMap<string, readonly string[]>
      readonly files: ReadonlyMap<string, readonly SentFile[]>
    }
  | { readonly isJson: true; readonly data: Readonly<Record<string, unknown>> }

/** Whether a request declares a JSON body; any other body comes from the page. */
export const sendsJson = ({ headers }: Request): boolean =>
  /^application\/(?:[\w.+-]+\+)?json\b/i.test(headers.get('content-type') ?? '')

export const sendsFiles = ({ headers }: Request): boolean =>
  /^multipart\/form-data\b/i.test(headers.get('content-type') ?? '')

/** The texts of a post as its page shows them again: several values one per line. */
export const typedTexts = (sent: Sent): ReadonlyMap<string, string> =>
  new Map(sent.isJson ? [] : Array.from(sent.texts, ([name, texts]) => [name, texts.join('\n')]))

/** Parses a body. Refuses a form that sends a name twice which it may not repeat. */
export function readSent(
  request: Request,
  bytes: Uint8Array,
  repeatable: ReadonlySet<string> = new Set(),
): Promise<Sent> {
  return sendsJson(request) ? Promise.resolve(readJson(bytes)) : readForm(request, bytes, repeatable)
}

function readJson(bytes: Uint8Array): Sent {
  const body = parsed(bytes)
  if (!isObject(body) || !isObject(body.data) || Object.keys(body).length !== 1)
    throw invalid('The body must be a JSON object with "data" alone: the values by the keys of the fields.')
  return { isJson: true, data: body.data }
}

function parsed(bytes: Uint8Array): unknown {
  const text = new TextDecoder().decode(bytes)
  return storableJson(text, 'The body', READ_LIMITS)
}

async function readForm(request: Request, bytes: Uint8Array, repeatable: ReadonlySet<string>): Promise<Sent> {
  const entries = await formEntries(request.headers.get('content-type') ?? '', bytes)
  if (!entries) throw invalid('A form, or a JSON object with "data", is required as the body.')
  const texts = new Map<string, string[]>()
  const files = new Map<string, SentFile[]>()
  const names = new Set<string>()
  let length = 0
  for (const [name, value] of entries) {
    if (names.has(name) && !repeatable.has(name))
      throw invalid(`The field "${name.slice(0, 100)}" is sent twice; send it once.`)
    names.add(name)
    if (typeof value === 'string') length += name.length + value.length
    if (length > MAX_TEXT_LENGTH) throw invalid('The texts of the form are longer than 1 MiB; send less.')
    if (typeof value === 'string') append(texts, name, value.replaceAll('\r\n', '\n'))
    // Browsers send an empty file without a name if none was chosen.
    else if (value.name || value.size > 0)
      append(files, name, {
        name: value.name || 'file',
        bytes: new Uint8Array(await value.arrayBuffer()),
      })
  }
  return { isJson: false, texts, files }
}

function append<Value>(lists: Map<string, Value[]>, name: string, value: Value): void {
  const list = lists.get(name)
  if (list) list.push(value)
  else lists.set(name, [value])
}

const MAX_TEXT_LENGTH = 1024 * 1024

export interface FieldFile {
  readonly key: string
  readonly file: SentFile
  readonly isMultiple: boolean
}

/** A field may be called `constructor`. */
const ownOf = (data: Readonly<Record<string, unknown>>, key: string): unknown =>
  Object.hasOwn(data, key) ? data[key] : undefined

/** The values of the row of a post, the files that come with it, and the refusals of fields, by key. */
export interface FormValues {
  readonly data: RecordData
  readonly files: readonly FieldFile[]
  readonly refusals: ReadonlyMap<string, Refusal>
}

/** The names of inputs that are not fields: keys of fields begin with a letter. */
export const TOKEN_INPUT = '_token'
/** People never see it. */
export const TRAP_INPUT = '_address'

export const MAX_FILE_BYTES = 10 * 1024 * 1024

/** The field that a post names and the form lacks, if any. */
export function unknownName(sent: Sent, fields: readonly FormField[]): string | undefined {
  const names = sent.isJson ? Object.keys(sent.data) : [...sent.texts.keys(), ...sent.files.keys()]
  const own = sent.isJson ? [] : [TOKEN_INPUT, TRAP_INPUT]
  const known = new Set([...own, ...fields.map(({ field }) => field.key)])
  return names.find((name) => !known.has(name))
}

/** Reads and checks every field of a post separately, so that one response lists all refusals. */
export function readValues(fields: readonly FormField[], settings: FormSettings, sent: Sent): FormValues {
  const data: RecordData = { ...(settings.hidden as RecordData) }
  const files: FieldFile[] = []
  const refusals = new Map<string, Refusal>()
  for (const form of fields) {
    const { key } = form.field
    try {
      const chosen = filesOf(form, sent)
      const isMultiple = form.field.multiple === true
      files.push(...chosen.map((file) => ({ key, file, isMultiple })))
      if (chosen.length === 0) {
        const value = sent.isJson
          ? sentValue(form, ownOf(sent.data, key))
          : form.field.multiple
            ? typedValues(form, sent.texts.get(key) ?? [])
            : typedValue(form, sent.texts.get(key)?.[0], settings)
        if (value === undefined && form.isRequired) throw refused(`“${form.label}” is required; fill it in.`)
        if (value !== undefined) data[key] = checked(form, value, sent.isJson)
      }
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      refusals.set(key, new Refusal(error.code, error.message, { ...error.data, ...atFields(key) }))
    }
  }
  return { data, files, refusals }
}

function filesOf({ field, label }: FormField, sent: Sent): readonly SentFile[] {
  const files = (sent.isJson ? undefined : sent.files.get(field.key)) ?? []
  if (files.length === 0) return []
  if (field.type !== 'file') throw refused(`“${label}” takes no file.`)
  if (files.length > MAX_VALUES) throw refused(`“${label}” takes at most ${MAX_VALUES} files.`)
  for (const file of files) {
    if (file.bytes.byteLength > MAX_FILE_BYTES)
      throw refused(`The file for “${label}” is larger than 10 MiB; choose a smaller one.`)
    checkedFileName(file.name)
  }
  return files
}

/** Several values: one in each input, or typed into one as `splitValues` reads them. */
function typedValues({ field, label }: FormField, texts: readonly string[]): unknown {
  if (field.type === 'file' && texts.some((text) => text !== ''))
    throw refused(`“${label}” takes a file; choose one.`)
  const values = texts.flatMap((text) =>
    field.options !== null || texts.length > 1 ? text || [] : splitValues(text),
  )
  return values.length === 0 ? undefined : values
}

/** A JSON value; null means none. */
function sentValue({ field, label }: FormField, value: unknown): unknown {
  if (value === undefined || value === null || value === '') return undefined
  if (field.type === 'file') throw refused(`“${label}” takes a file, which only a form can send.`)
  return value
}

const NUMBER = /^-?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/
const LOCAL = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?$/

/** The value of an input's text. An empty text means none, and an unchecked box means false. */
function typedValue({ field, label }: FormField, text: string | undefined, settings: FormSettings): unknown {
  if (field.type === 'bool') return boxValue(text)
  if (text === undefined || text === '') return undefined
  if (field.type === 'file') throw refused(`“${label}” takes a file; choose one.`)
  if (field.type === 'number') return NUMBER.test(text.trim()) ? Number(text) : text
  return field.type === 'datetime' ? instantOf(text, settings.tz) : text
}

const boxValue = (text: string | undefined): unknown => {
  if (text === undefined || text === '' || text === 'false') return false
  return text === 'true' || text === 'on' ? true : text
}

/** Returns an instant unchanged, or converts a local time in the zone of the form. */
function instantOf(text: string, tz = 'UTC'): string {
  const local = LOCAL.test(text) ? parseInstant(`${text}Z`) : undefined
  const zone = findTimeZone(tz)
  return local === undefined || !zone ? text : isoTimestamp(instantOfLocal(zone, local))
}

/** Programs know a field by its key; visitors know only its label. */
function checked({ field, label }: FormField, value: unknown, isJson: boolean): FieldValue {
  checkStorable(value, `“${label}”`)
  return isJson ? checkedValue(field, value) : checkedValue(field, value, `“${label}”`)
}
