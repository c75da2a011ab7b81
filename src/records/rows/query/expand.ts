import { type InWorkspace, placeFor } from '../../../context.ts'
import { isReached } from '../../../files/store.ts'
import { may } from '../../../kernel/caller.ts'
import { type RecordData, valueIn } from '../../../lib/record-data.ts'
import { atPlace, fail, invalid, type Refusal, refused } from '../../../lib/refusal.ts'
import type { Reader } from '../../../storage/reader.ts'
import {
  type Definition,
  definitionOf,
  type FieldDefinition,
  findStructureById,
  listStructureRows,
  type StructureRow,
} from '../../structures/store.ts'
import type { RecordRow } from '../store.ts'

/*
 * `expand` adds the objects that fields of the returned rows name, and those that fields of these objects name. Each
 * step of a path is one statement for all rows. Each object is returned once; objects that the caller may not read are
 * absent.
 */

const MAX_PATHS = 5
const MAX_OBJECTS = 1_000
/** The total length of the objects, in characters. */
const MAX_LENGTH = 16_000_000

/** The kinds of fields that name objects. */
type Expandable = 'record' | 'note' | 'file' | 'user'

const EXPANDABLE: ReadonlySet<string> = new Set<Expandable>(['record', 'note', 'file', 'user'])

/** One field of a path, and the fields that follow it. */
interface Step {
  readonly field: FieldDefinition
  /** The structure that the field names; undefined if it names none, or one that the caller may not see. */
  readonly target: StructureRow | undefined
  readonly next: Step[]
}

const atExpand = atPlace('expand')

const notExpandable = (key: string, path: string): Refusal =>
  refused(
    `"expand" names "${key}" in "${path}", which is no field of type record, note, file or user.`,
    atExpand,
  )

function fieldIn({ byKey }: Definition, key: string, path: string): FieldDefinition {
  const field = byKey.get(key) ?? fail(notExpandable(key, path))
  return EXPANDABLE.has(field.type) ? field : fail(notExpandable(key, path))
}

/** Adds the step for a field to the steps at the same place, unless it is among them. */
function stepFor(reader: Reader, caller: InWorkspace, steps: Step[], field: FieldDefinition): Step {
  const known = steps.find((step) => step.field === field)
  if (known) return known
  const target = field.structure === null ? undefined : findStructureById(reader, caller, field.structure)
  const step = { field, target, next: [] }
  steps.push(step)
  return step
}

function addSecond(reader: Reader, caller: InWorkspace, first: Step, key: string, path: string): void {
  const { type, structure } = first.field
  if (type !== 'record')
    throw refused(`"expand" names "${path}", and a ${type} has no fields; end the path before it.`, atExpand)
  if (structure === null)
    throw refused(
      `"expand" names "${path}", and "${first.field.key}" names rows of any structure; end the path there.`,
      atExpand,
    )
  // The fields of a hidden structure stay hidden: none of its rows are expanded.
  if (first.target) {
    const field = fieldIn(definitionOf(first.target), key, path)
    stepFor(reader, caller, first.next, field)
  }
}

/** The steps of the paths; refuses paths that the fields do not allow. */
function stepsOf(reader: Reader, caller: InWorkspace, definition: Definition, expand: string): Step[] {
  const paths = expand.split(',')
  if (paths.length > MAX_PATHS)
    throw invalid(`"expand" names ${paths.length} paths; at most ${MAX_PATHS} are allowed.`, atExpand)
  const steps: Step[] = []
  for (const path of paths) {
    const [first = '', second, ...more] = path.split('.')
    if (first === '' || second === '')
      throw invalid('"expand" has an empty path; separate paths with single commas.', atExpand)
    if (more.length > 0) throw invalid(`"expand" names "${path}"; a path has at most two fields.`, atExpand)
    const step = stepFor(reader, caller, steps, fieldIn(definition, first, path))
    if (second !== undefined) addSecond(reader, caller, step, second, path)
  }
  return steps
}

/** The ids of the structures whose rows an `expand` shows. */
export const expandedStructures = (
  reader: Reader,
  caller: InWorkspace,
  structure: StructureRow,
  expand: string,
): string[] => {
  const idsOf = (steps: readonly Step[]): string[] =>
    steps.flatMap(({ target, next }) => [...(target ? [target.id] : []), ...idsOf(next)])
  return [...new Set(idsOf(stepsOf(reader, caller, definitionOf(structure), expand)))]
}

interface FoundObject {
  readonly id: string
  /** JSON text. */
  readonly shown: string
  /** The JSON text of a record's data. */
  readonly data?: string
}

const AMONG = 'IN (SELECT value FROM json_each(?))'

interface Wanted {
  readonly step: Step
  /** JSON array. */
  readonly ids: string
  readonly most: number
}

type Find = (reader: Reader, caller: InWorkspace, wanted: Wanted) => Iterable<FoundObject>

const labelled = (kind: Expandable, label: string | null): string =>
  `{"kind":"${kind}","label":${JSON.stringify(label)}}`

/** Finds the objects that fields of each type name. */
const FIND: Readonly<Record<Expandable, Find>> = {
  record: findRecords,
  note: ({ sql }, caller, { ids, most }) =>
    sql
      .all<{ id: string; title: string }>(
        `SELECT id, title FROM notes WHERE id ${AMONG} AND workspace = ? AND deleted_at IS NULL LIMIT ?`,
        ids,
        placeFor(caller, 'notes').workspacePk,
        most,
      )
      .map(({ id, title }) => ({ id, shown: labelled('note', title) })),
  file: ({ sql }, caller, { ids, most }) =>
    sql
      .all<{ id: string; name: string; ofNote: number }>(
        `SELECT id, file_name AS name, note IS NOT NULL AS ofNote FROM files f
         WHERE id ${AMONG} AND workspace = ? AND f.status IN ('processing', 'ready', 'failed') LIMIT ?`,
        ids,
        caller.workspacePk,
        most,
      )
      .filter((file) => isReached(caller, file))
      .map(({ id, name }) => ({ id, shown: labelled('file', name) })),
  user: ({ sql }, caller, { ids, most }) =>
    sql
      .all<{ id: string; name: string }>(
        `SELECT id, name FROM users WHERE id ${AMONG}
           AND pk IN (SELECT user FROM members WHERE workspace = ?) LIMIT ?`,
        ids,
        caller.workspacePk,
        most,
      )
      .map(({ id, name }) => ({ id, shown: labelled('user', name) })),
}

/** The structures whose rows a field may name, among those whose rows the caller may read. */
function readableTargets(reader: Reader, caller: InWorkspace, { field, target }: Step): StructureRow[] {
  if (field.structure === null) return listStructureRows(reader, caller, 'read')
  return target && may(caller.rights, target.id, 'read') ? [target] : []
}

/** Shorter rows are held together. In bytes. */
const LONG_ROW = 4_096

function* findRecords(
  reader: Reader,
  caller: InWorkspace,
  { step, ids, most }: Wanted,
): Generator<FoundObject> {
  const { sql } = reader
  const targets = readableTargets(reader, caller, step)
  const [only] = targets
  if (!only) return
  const isOne = targets.length === 1
  const found = sql.rows<[id: string, structure: number, data: string | null]>(
    `SELECT id, structure, iif(octet_length(data) < ${LONG_ROW}, data, NULL) FROM records
     WHERE id ${AMONG} AND structure ${isOne ? '= ?' : AMONG} AND deleted_at IS NULL LIMIT ?`,
    ids,
    isOne ? only.pk : JSON.stringify(targets.map(({ pk }) => pk)),
    most,
  )
  const textsOf = new Map(targets.map((target) => [target.pk, textOfRecords(target)]))
  const longer = longTexts(
    reader,
    found.filter(([, , data]) => data === null).map(([id]) => id),
  )
  try {
    for (const [id, structure, short] of found) {
      const data = short ?? longer.next().value
      const textOf = textsOf.get(structure)
      if (data !== undefined && textOf) yield { id, shown: textOf(data), data }
    }
  } finally {
    longer.return(undefined)
  }
}

/** The data of long rows, one at a time, in the order of their ids. */
function* longTexts({ sql }: Reader, ids: readonly string[]): Generator<string, undefined> {
  if (ids.length === 0) return
  const rows = sql.each<{ data: string }>(
    `SELECT data FROM records WHERE id ${AMONG} ORDER BY id`,
    JSON.stringify(ids),
  )
  for (const { data } of rows) yield data
}

/** Shows the data of a structure's rows. A label that comes first in the data is copied without parsing. */
function textOfRecords({ id, labelField }: StructureRow): (data: string) => string {
  const before = labelField === null ? undefined : `{${JSON.stringify(labelField)}:"`
  const labelOf = (data: string): string => {
    if (labelField === null || before === undefined) return 'null'
    if (data.startsWith(before)) {
      const label = data.slice(before.length - 1, data.indexOf('"', before.length) + 1)
      if (!label.includes('\\')) return label
    }
    const value = valueIn(JSON.parse(data) as RecordData, labelField)
    return value === undefined ? 'null' : JSON.stringify(String(value))
  }
  return (data) => `{"kind":"record","label":${labelOf(data)},"structure_id":"${id}","data":${data}}`
}

/** The ids that the field of these rows names, each once. */
function idsIn({ key }: FieldDefinition, rows: readonly RecordData[]): Set<string> {
  const ids = new Set<string>()
  for (const data of rows) {
    const value = valueIn(data, key)
    if (typeof value === 'object') for (const id of value) ids.add(id)
    else if (value !== undefined) ids.add(String(value))
  }
  return ids
}

/** The objects found so far, in order. */
class Expansion {
  readonly #objects = new Map<string, FoundObject>()
  #length = 0
  #isTruncated = false

  constructor(
    private readonly reader: Reader,
    private readonly caller: InWorkspace,
  ) {}

  /** Adds the objects that a step finds from these rows; returns the data of those that the next steps follow. */
  #take(step: Step, rows: readonly RecordData[]): RecordData[] {
    const ids = [...idsIn(step.field, rows)]
    const missing = ids.filter((id) => !this.#objects.has(id))
    if (missing.length > 0) this.#find(step, missing)
    if (step.next.length === 0) return []
    return ids.flatMap((id) => {
      const data = this.#objects.get(id)?.data
      return data === undefined ? [] : [JSON.parse(data) as RecordData]
    })
  }

  #find(step: Step, ids: readonly string[]): void {
    const room = MAX_OBJECTS - this.#objects.size
    const wanted = { step, ids: JSON.stringify(ids), most: room + 1 }
    for (const found of FIND[step.field.type as Expandable](this.reader, this.caller, wanted)) {
      if (this.#objects.size === MAX_OBJECTS || this.#length + found.shown.length > MAX_LENGTH) {
        this.#isTruncated = true
        return
      }
      this.#objects.set(found.id, found)
      this.#length += found.shown.length
    }
  }

  /** Follows the first field of every path before the second. */
  follow(steps: readonly Step[], rows: readonly RecordData[]): void {
    const reached = steps.map((step) => ({ step, rows: this.#take(step, rows) }))
    for (const { step, rows: found } of reached) if (step.next.length > 0) this.follow(step.next, found)
  }

  /** The members of the response, which follow others. */
  get members(): string {
    const objects = Array.from(this.#objects, ([id, { shown }]) => `"${id}":${shown}`)
    return `,"expanded":{${objects.join(',')}}${this.#isTruncated ? ',"expanded_truncated":true' : ''}`
  }
}

/** The members that `expand` adds to a response with these rows, as JSON text after a comma; none without it. */
export function expandedMembers(
  reader: Reader,
  caller: InWorkspace,
  structure: StructureRow,
  rows: readonly Pick<RecordRow, 'data'>[],
  expand: string,
): string {
  const steps = stepsOf(reader, caller, definitionOf(structure), expand)
  const expansion = new Expansion(reader, caller)
  expansion.follow(
    steps,
    rows.map(({ data }) => JSON.parse(data) as RecordData),
  )
  return expansion.members
}
