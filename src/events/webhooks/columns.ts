import type { Static } from '@sinclair/typebox'
import type { InWorkspace } from '../../context.ts'
import { checkFilter, parseConditions, type RawCondition } from '../../filter/record/parse.ts'
import { type FilterTree, parseTree } from '../../filter/tree/parse.ts'
import { withPlainHost } from '../../lib/addresses.ts'
import { isObject } from '../../lib/json.ts'
import { patched, patchedFlag } from '../../lib/patch.ts'
import { atPlace, invalid, refused } from '../../lib/refusal.ts'
import { quoteList } from '../../lib/text.ts'
import { checkTemplate, DUE_EVENT, EVENTS_OF, type Kind, MASK, RECORD_EVENTS } from '../../log/message.ts'
import { storedTree } from '../../notes/query/tree-query.ts'
import { type Definition, definitionOf, type StructureRow } from '../../records/structures/store.ts'
import type { Reader } from '../../storage/reader.ts'
import type { PatchWebhookBody } from './schema.ts'
import { dueOf, eventsOf, kindOf, type WebhookRow } from './store.ts'

/* The kind of a subscription (rows, notes or files) determines which attributes a caller may combine. */

export type UnparsedInput = Omit<Static<typeof PatchWebhookBody>, 'resume'>

export type WebhookInput = Omit<UnparsedInput, 'filter'> & {
  filter?: readonly RawCondition[] | FilterTree | null | undefined
}

const DEFAULT_EVENTS = { ...EVENTS_OF, record: RECORD_EVENTS }

const NEW_WEBHOOK = {
  kind: null,
  url: '',
  events: '',
  filter: null,
  format: null,
  template: null,
  quietSeconds: null,
  includeContent: null,
  ordered: null,
  due: null,
  delivery: null,
  fields: null,
  ignoreOwnKey: 0,
  ignoreKeyId: null,
  description: null,
  headers: null,
  enabled: 1,
}

/** The columns that a caller sets. */
export type WebhookColumns = Pick<WebhookRow, keyof typeof NEW_WEBHOOK>

export interface NewWebhook extends WebhookInput {
  kind?: Kind | undefined
  /** Present if and only if the events are about rows. */
  structure?: string | undefined
  delivery?: 'pull' | undefined
}

const newWebhook = ({ kind, delivery }: NewWebhook): WebhookColumns => ({
  ...NEW_WEBHOOK,
  delivery: delivery ?? null,
  kind: kind ?? null,
  events: JSON.stringify(DEFAULT_EVENTS[kind ?? 'record']),
  filter: (kind ?? 'record') === 'record' ? '[]' : null,
})

/** Parses the filter, and refuses repeated events or fields as invalid, which the schemas do not check. */
export function parseInput<Input extends UnparsedInput>({ filter, ...input }: Input) {
  const parsed: WebhookInput['filter'] = isObject(filter)
    ? parseTree(filter, 'filter')
    : filter === undefined || filter === null
      ? filter
      : parseConditions(filter)
  refuseRepeated('events', input.events ?? [])
  refuseRepeated('fields', input.fields ?? [])
  return { ...input, filter: parsed }
}

/** Parses the body of a new subscription, which needs a URL unless it is pulled. */
export function parseNew<Input extends UnparsedInput & Pick<NewWebhook, 'delivery'>>(body: Input) {
  checkDelivery(body.delivery ?? null, body)
  if (body.delivery === undefined && body.url === undefined)
    throw invalid('"url" is required.', atPlace('url'))
  return parseInput(body)
}

/** Refuses attributes of requests for a subscription that sends none. */
export function checkDelivery(
  delivery: 'pull' | null,
  { url, headers, format }: Pick<UnparsedInput, 'url' | 'headers' | 'format'>,
): void {
  if (delivery === null) return
  const isPushed = { url: url !== undefined, headers: !!headers, format: (format ?? 'json') !== 'json' }
  const misplaced = Object.entries(isPushed).find(([, isGiven]) => isGiven)?.[0]
  if (misplaced !== undefined)
    throw invalid(
      `"${misplaced}" does not go with "delivery": "pull", which sends no requests; leave it out.`,
      atPlace(misplaced),
    )
}

function refuseRepeated(name: string, values: readonly string[]): void {
  const repeated = values.find((value, at) => values.indexOf(value) < at)
  if (repeated !== undefined)
    throw invalid(`"${name}" names "${repeated}" twice; name each once.`, atPlace(name))
}

/** The columns of a new subscription; refuses the same inputs as a change. */
export const newColumns = (
  reader: Reader,
  caller: InWorkspace,
  structure: StructureRow | null,
  input: NewWebhook,
): WebhookColumns => mergedColumns(reader, caller, structure, newWebhook(input), input)

/** The columns after a change; refuses conflicting attributes and those that do not match the structure. */
export function mergedColumns(
  reader: Reader,
  caller: InWorkspace,
  structure: StructureRow | null,
  before: WebhookColumns,
  input: WebhookInput,
): WebhookColumns {
  const definition = structure && definitionOf(structure)
  const columns = {
    kind: before.kind,
    delivery: before.delivery,
    format: patched(input.format, before.format),
    template: patched(input.template, before.template),
    quietSeconds: patched(input.quiet_seconds, before.quietSeconds),
    includeContent: flagColumn(input.include_content, before.includeContent),
    ordered: flagColumn(input.ordered, before.ordered),
    due: input.due === undefined ? before.due : input.due && JSON.stringify(input.due),
    url: input.url === undefined ? before.url : withPlainHost(input.url),
    events: input.events ? JSON.stringify(input.events) : before.events,
    filter:
      input.filter === undefined
        ? before.filter
        : filterColumn(reader, caller, kindOf(before), definition, input.filter),
    fields: input.fields === undefined ? before.fields : checkedFields(definition, input.fields),
    ignoreOwnKey: patchedFlag(input.ignore_own_key, before.ignoreOwnKey),
    ignoreKeyId: patched(input.ignore_key_id, before.ignoreKeyId),
    description: patched(input.description, before.description),
    headers: input.headers === undefined ? before.headers : checkedHeaders(input.headers),
    enabled: patchedFlag(input.enabled, before.enabled),
  }
  checkKind(columns)
  checkNames(columns, structure)
  return columns
}

/** Null if it is not given. */
const flagColumn = (sent: boolean | null | undefined, before: number | null): number | null =>
  sent === undefined ? before : sent === null ? null : Number(sent)

/** `checkKind` refuses fields of a kind without fields. */
function checkedFields(definition: Definition | null, fields: string[] | null): string | null {
  if (fields === null) return null
  const unknown = fields.filter((key) => definition?.byKey.has(key) === false)
  if (unknown.length > 0)
    throw refused(
      `"fields" names ${quoteList(unknown)}, and the structure has no such field.`,
      atPlace('fields'),
    )
  const rollups = fields.filter((key) => definition?.byKey.get(key)?.type === 'rollup')
  if (rollups.length > 0)
    throw refused(
      `"fields" names ${quoteList(rollups)}, and roll-ups follow changes of other rows, which are no changes of this one; leave them out.`,
      atPlace('fields'),
    )
  return JSON.stringify(fields)
}

/** Attributes that belong to one kind, by their columns. */
const OWN: readonly { readonly column: keyof WebhookColumns; readonly name: string; readonly kind: Kind }[] =
  [
    { column: 'fields', name: 'fields', kind: 'record' },
    { column: 'due', name: 'due', kind: 'record' },
    { column: 'quietSeconds', name: 'quiet_seconds', kind: 'note' },
    { column: 'includeContent', name: 'include_content', kind: 'note' },
  ]

/** Refuses columns that conflict, whatever the workspace contains. */
function checkKind(columns: WebhookColumns): void {
  const kind = kindOf(columns)
  const misplaced = OWN.find((own) => columns[own.column] !== null && own.kind !== kind)
  if (misplaced)
    throw invalid(
      `"${misplaced.name}" applies to the kind "${misplaced.kind}", and this one is "${kind}".`,
      atPlace(misplaced.name),
    )
  const events: readonly string[] = EVENTS_OF[kind]
  const other = eventsOf(columns).find((event) => !events.includes(event))
  if (other !== undefined)
    throw invalid(
      `"events" names "${other}", and the kind "${kind}" has ${quoteList(events)}.`,
      atPlace('events'),
    )
  const wantsMoments = eventsOf(columns).some((event) => event === DUE_EVENT)
  if (wantsMoments !== (columns.due !== null))
    throw invalid(
      `"due" and the event "${DUE_EVENT}" go together; ${wantsMoments ? 'give' : 'leave out'} "due".`,
      atPlace('due'),
    )
  if (columns.template !== null && (columns.format ?? 'json') === 'json')
    throw invalid('"template" needs a "format" other than "json".', atPlace('template'))
}

/** Refuses names of missing fields, and a rule for moments that does not match its field. */
function checkNames(columns: WebhookColumns, structure: StructureRow | null): void {
  const definition = structure && definitionOf(structure)
  if (columns.template !== null)
    checkTemplate(columns.template, kindOf(columns), (key) => definition?.byKey.has(key) === true)
  const due = dueOf(columns)
  if (!due) return
  const type = definition?.byKey.get(due.field)?.type
  if (type !== 'date' && type !== 'datetime')
    throw refused(
      `"due.field" must name a field of type "date" or "datetime", not "${due.field}".`,
      atPlace('due.field'),
    )
  if (type === 'datetime' && (due.at !== undefined || due.tz !== undefined))
    throw refused(
      `"due.at" and "due.tz" go with a field of type "date", and "${due.field}" is a "datetime"; leave them out.`,
      atPlace('due.at'),
    )
}

function filterColumn(
  reader: Reader,
  { workspacePk }: InWorkspace,
  kind: Kind,
  definition: Definition | null,
  filter: readonly RawCondition[] | FilterTree | null,
): string | null {
  if (kind === 'record') {
    if (!definition || !isConditions(filter))
      throw invalid('"filter" must be a list of conditions on rows.', atPlace('filter'))
    checkFilter(filter, definition.byKey)
    return JSON.stringify(filter)
  }
  if (filter === null) return null
  if (kind === 'file')
    throw invalid('"filter" does not go with the kind "file"; leave it out.', atPlace('filter'))
  if (isConditions(filter)) throw invalid('"filter" must be a filter tree over notes.', atPlace('filter'))
  return storedTree(reader, workspacePk, filter, 'filter')
}

const isConditions = (filter: unknown): filter is readonly RawCondition[] => Array.isArray(filter)

const MAX_HEADERS = 10
const MAX_VALUE_LENGTH = 4_096

const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/
/** Printable ASCII, with spaces or tabs only inside. */
const VALUE = /^[!-~](?:[\t -~]*[!-~])?$/

/** Headers that HTTP itself, or the service, sets in each delivery. */
const RESERVED = new Set([
  'accept',
  'accept-encoding',
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'date',
  'expect',
  'host',
  'http2-settings',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'user-agent',
  'via',
])
const RESERVED_PREFIXES = ['x-service-', 'webhook-']

function nameError(name: string): string | undefined {
  if (!NAME.test(name)) return `"headers" has "${name}", which is not the name of a header.`
  const lower = name.toLowerCase()
  const isReserved = RESERVED.has(lower) || RESERVED_PREFIXES.some((prefix) => lower.startsWith(prefix))
  return isReserved ? `"headers" must not have "${name}", which the service sets itself.` : undefined
}

/** The sentences never repeat a value, because it may be a credential. */
function valueError(name: string, value: unknown): string | undefined {
  if (value === MASK)
    return `"headers.${name}" is the mask that stands for a value; send the value itself, or leave "headers" out.`
  if (typeof value === 'string' && value.length <= MAX_VALUE_LENGTH && VALUE.test(value)) return undefined
  return `"headers.${name}" must be a text of 1 to 4,096 printable ASCII characters without spaces around it.`
}

/** The column for the subscriber's own headers; null and `{}` mean none. */
function checkedHeaders(headers: Record<string, unknown> | null): string | null {
  const entries = Object.entries(headers ?? {})
  if (entries.length === 0) return null
  if (entries.length > MAX_HEADERS)
    throw invalid(`"headers" must have at most ${MAX_HEADERS} members.`, atPlace('headers'))
  const names = new Set<string>()
  for (const [name, value] of entries) {
    const error = nameError(name) ?? valueError(name, value)
    if (error !== undefined) throw invalid(error, atPlace('headers', name))
    if (names.has(name.toLowerCase()))
      throw invalid(`"headers" names "${name}" twice; name each once.`, atPlace('headers'))
    names.add(name.toLowerCase())
  }
  return JSON.stringify(headers)
}
