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

/** A row whose fields are followed. */
interface Followed {
  readonly data: RecordData
}

interface FoundObject {
  readonly id: string
  /** JSON text. */
  readonly shown: string
  /** For records. */
  readonly data?: RecordData
}

const AMONG = 'IN (SELECT value FROM json_each(?))'

interface Wanted {
  readonly field: FieldDefinition
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

function* findRecords(
  reader: Reader,
  caller: InWorkspace,
  { field: { structure }, ids, most }: Wanted,
): Generator<FoundObject> {
  const readable = listStructureRows(reader, caller, 'read')
  const byPk = new Map(
    readable.filter(({ id }) => structure === null || id === structure).map((one) => [one.pk, one]),
  )
  if (byPk.size === 0) return
  const found = reader.sql.each<Pick<RecordRow, 'id' | 'structure' | 'data'>>(
    `SELECT id, structure, data FROM records WHERE id ${AMONG} AND structure ${AMONG} AND deleted_at IS NULL LIMIT ?`,
    ids,
    JSON.stringify([...byPk.keys()]),
    most,
  )
  for (const { id, structure: pk, data: text } of found) {
    const structureRow = byPk.get(pk)
    if (!structureRow || !may(caller.rights, structureRow.id, 'read')) continue
    const data = JSON.parse(text) as RecordData
    const { labelField } = structureRow
    const value = labelField === null ? undefined : valueIn(data, labelField)
    const label = value === undefined ? null : String(value)
    const shown = `{"kind":"record","label":${JSON.stringify(label)},"structure_id":"${structureRow.id}","data":${text}}`
    yield { id, shown, data }
  }
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

  /** Adds the objects that a step finds from these rows; returns those whose fields can be followed. */
  #take({ field }: Step, rows: readonly Followed[]): Followed[] {
    const ids = new Set(rows.flatMap(({ data }) => valueIn(data, field.key) ?? []).map(String))
    const missing = [...ids].filter((id) => !this.#objects.has(id))
    if (missing.length > 0) this.#find(field, missing)
    return [...ids].flatMap((id) => {
      const data = this.#objects.get(id)?.data
      return data ? [{ data }] : []
    })
  }

  #find(field: FieldDefinition, ids: readonly string[]): void {
    const room = MAX_OBJECTS - this.#objects.size
    const wanted = { field, ids: JSON.stringify(ids), most: room + 1 }
    for (const found of FIND[field.type as Expandable](this.reader, this.caller, wanted)) {
      if (this.#objects.size === MAX_OBJECTS || this.#length + found.shown.length > MAX_LENGTH) {
        this.#isTruncated = true
        return
      }
      this.#objects.set(found.id, found)
      this.#length += found.shown.length
    }
  }

  /** Follows the first field of every path before the second. */
  follow(steps: readonly Step[], rows: readonly Followed[]): void {
    const reached = steps.map((step) => ({ step, rows: this.#take(step, rows) }))
    for (const { step, rows: found } of reached) if (step.next.length > 0) this.follow(step.next, found)
  }

  /** The members of the response, which follow others. */
  get members(): string {
    const objects = [...this.#objects].map(([id, { shown }]) => `${JSON.stringify(id)}:${shown}`)
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
    rows.map(({ data }) => ({ data: JSON.parse(data) as RecordData })),
  )
  return expansion.members
}
