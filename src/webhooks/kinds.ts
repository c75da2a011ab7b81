import type { InWorkspace } from '../context.ts'
import type { Reader } from '../db/reader.ts'
import { checkTemplate, type Kind } from '../delivery/formats.ts'
import { DUE_EVENT, EVENTS_OF } from '../delivery/payload.ts'
import { checkFilter, type RawCondition } from '../filter/record/parse.ts'
import type { FilterTree } from '../filter/tree/parse.ts'
import { quoteList } from '../lib/text.ts'
import { storedTree } from '../notes/query/stored-trees.ts'
import { invalid, refused } from '../refusal.ts'
import { type Definition, definitionOf, type StructureRow } from '../structures/store.ts'
import { dueOf, eventsOf, kindOf, type WebhookColumns } from './store.ts'

/* What goes with a subscription depends on what it is about: rows, notes or files. */

/** Attributes that belong to one kind, by their columns. */
const OWN: readonly { readonly column: keyof WebhookColumns; readonly name: string; readonly kind: Kind }[] =
  [
    { column: 'fields', name: 'fields', kind: 'record' },
    { column: 'due', name: 'due', kind: 'record' },
    { column: 'quietSeconds', name: 'quiet_seconds', kind: 'note' },
    { column: 'includeContent', name: 'include_content', kind: 'note' },
  ]

/** Refuses columns that do not go together, whatever is in the workspace. */
export function checkKind(columns: WebhookColumns): void {
  const kind = kindOf(columns)
  const misplaced = OWN.find((own) => columns[own.column] !== null && own.kind !== kind)
  if (misplaced)
    throw invalid(`"${misplaced.name}" goes with the kind "${misplaced.kind}", and this one is "${kind}".`)
  const events: readonly string[] = EVENTS_OF[kind]
  const other = eventsOf(columns).find((event) => !events.includes(event))
  if (other !== undefined)
    throw invalid(`"events" names "${other}", and the kind "${kind}" has ${quoteList(events)}.`)
  const wantsMoments = eventsOf(columns).some((event) => event === DUE_EVENT)
  if (wantsMoments !== (columns.due !== null))
    throw invalid(
      `"due" and the event "${DUE_EVENT}" go together; ${wantsMoments ? 'give' : 'leave out'} "due".`,
    )
  if (columns.template !== null && (columns.format ?? 'json') === 'json')
    throw invalid('"template" goes with a "format" other than "json".')
}

/** Refuses names of fields that the rows do not have, and a rule for moments that does not fit its field. */
export function checkNames(columns: WebhookColumns, structure: StructureRow | null): void {
  const definition = structure && definitionOf(structure)
  if (columns.template !== null)
    checkTemplate(columns.template, kindOf(columns), (key) => definition?.byKey.has(key) === true)
  const due = dueOf(columns)
  if (!due) return
  const type = definition?.byKey.get(due.field)?.type
  if (type !== 'date' && type !== 'datetime')
    throw refused(`"due.field" must name a field of type "date" or "datetime", not "${due.field}".`)
  if (type === 'datetime' && (due.at !== undefined || due.tz !== undefined))
    throw refused(
      `"due.at" and "due.tz" go with a field of type "date", and "${due.field}" is a "datetime"; leave them out.`,
    )
}

/** The column for a filter of the form that the kind has. */
export function filterColumn(
  reader: Reader,
  { workspacePk }: InWorkspace,
  kind: Kind,
  definition: Definition | null,
  filter: readonly RawCondition[] | FilterTree | null,
): string | null {
  if (kind === 'record') {
    if (!definition || !isConditions(filter)) throw invalid('"filter" must be a list of conditions on rows.')
    checkFilter(filter, definition.byKey)
    return JSON.stringify(filter)
  }
  if (filter === null) return null
  if (kind === 'file') throw invalid('"filter" does not go with the kind "file"; leave it out.')
  if (isConditions(filter)) throw invalid('"filter" must be a filter tree over notes.')
  return storedTree(reader, workspacePk, filter, 'filter')
}

const isConditions = (filter: unknown): filter is readonly RawCondition[] => Array.isArray(filter)
