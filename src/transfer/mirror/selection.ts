import type { Access } from '../../kernel/caller.ts'
import { fail, refused } from '../../lib/refusal.ts'
import { fold } from '../../lib/text.ts'
import { keysIn } from '../../records/structures/formulas.ts'
import type { ChangeKind } from '../../storage/schema/changes.ts'
import type { RemoteChange, RemoteObject } from './remote-objects.ts'
import { knowledgeOfProgram } from './unknown.ts'

/** The requested selection, from the command line. */
export interface SelectionRequest {
  /** Names or ids of the structures whose rows are copied; null for all. */
  readonly structures: readonly string[] | null
  /** Whether the bytes of files are copied. */
  readonly hasFiles: boolean
  /** `Structure.field`, by name or id of the structure. */
  readonly omitFields: readonly string[]
}

/** The selection of a copy, with structures by id, which no rename changes. */
export interface Selection {
  readonly request: SelectionRequest
  readonly structures: readonly string[] | null
  readonly hasFiles: boolean
  /** The keys of the omitted fields, by structure. */
  readonly omitted: Readonly<Record<string, readonly string[]>>
  /** The access of the key; absent for the whole workspace. */
  readonly access?: Access
  /** The knowledge of the program when it omitted something unknown (`unknown.ts`). */
  readonly knowledge?: string
  /** The keys of the fields of unknown types, by structure. */
  readonly unknownFields?: Readonly<Record<string, readonly string[]>>
}

interface RemoteStructure extends RemoteObject {
  readonly id: string
  readonly name: string
  readonly fields: readonly RemoteField[]
}

interface RemoteField {
  readonly key: string
  readonly expression?: string | undefined
  readonly via?: object | undefined
}

const structureNamed = (structures: readonly RemoteStructure[], nameOrId: string): RemoteStructure =>
  structures.find(({ id }) => id === nameOrId) ??
  structures.find(({ name }) => fold(name) === fold(nameOrId)) ??
  fail(
    refused(
      `The remote has no structure "${nameOrId}"; it has ${structures.map(({ name }) => `"${name}"`).join(', ') || 'none'}.`,
    ),
  )

/** Splits `Structure.field`. The first part may contain dots too; it is empty without a dot. */
const splitField = (text: string): [structure: string, key: string] => {
  const dot = text.lastIndexOf('.')
  return [text.slice(0, Math.max(dot, 0)), text.slice(dot + 1)]
}

/** Resolves the named structures and fields; refuses a name that the remote does not have. */
export function resolveSelection(request: SelectionRequest, remote: readonly RemoteObject[]): Selection {
  const structures = remote as readonly RemoteStructure[]
  const omitted: Record<string, string[]> = {}
  for (const text of request.omitFields) {
    const [structure, key] = splitField(text)
    if (structure === '') throw refused(`--omit-fields must name fields as Structure.field, not "${text}".`)
    const { id, name, fields } = structureNamed(structures, structure)
    const field = fields.find((one) => one.key === key)
    if (!field)
      throw refused(`The structure "${name}" of the remote has no field "${key}"; correct --omit-fields.`)
    if (field.expression !== undefined || field.via)
      throw refused(
        `The copy computes "${key}" of "${name}" itself; name the fields that it uses in --omit-fields.`,
      )
    omitted[id] = [...(omitted[id] ?? []), key]
  }
  return {
    request,
    structures: request.structures?.map((nameOrId) => structureNamed(structures, nameOrId).id) ?? null,
    hasFiles: request.hasFiles,
    omitted,
  }
}

export const isSameRequest = (one: SelectionRequest, other: SelectionRequest): boolean =>
  JSON.stringify(one) === JSON.stringify(other)

/** The keys of the requested fields to omit, by the folded name or id of the structure. */
function omittedByName({ omitFields }: SelectionRequest): Map<string, string[]> {
  const keys = new Map<string, string[]>()
  for (const [structure, key] of omitFields.map(splitField)) {
    const name = fold(structure)
    keys.set(name, [...(keys.get(name) ?? []), key])
  }
  return keys
}

/** Removes everything that must not reach the copy from received objects, before anything is stored. */
export class Selector {
  #selection: Selection
  readonly #structures: Set<string> | null
  readonly #omitted: Map<string, ReadonlySet<string>>
  readonly #omittedByName: ReadonlyMap<string, readonly string[]>
  readonly #names: ReadonlySet<string>
  /** The fields that formulas have used, by structure and key of the formula. */
  readonly #operands = new Map<string, Map<string, Set<string>>>()

  /** `known` are the structures in the copy. */
  constructor(selection: Selection, known: readonly Pick<RemoteStructure, 'id' | 'fields'>[] = []) {
    const { structures, omitted, request } = selection
    this.#selection = selection
    this.#structures = structures === null ? null : new Set(structures)
    this.#omitted = new Map(Object.entries(omitted).map(([id, keys]) => [id, new Set(keys)]))
    this.#omittedByName = omittedByName(request)
    this.#names = new Set((request.structures ?? []).map(fold))
    for (const { id, fields } of known) this.#addOperands(id, fields)
  }

  /** Includes structures that have taken a requested name since. */
  get selection(): Selection {
    return this.#selection
  }

  /** Sets the access of the key, before everything is read. */
  reach(access: Access | undefined): void {
    const { access: _, knowledge: _old, unknownFields: _fields, ...others } = this.#selection
    this.#selection = { ...others, ...(access && { access }) }
  }

  /** Records that something unknown to this program was omitted. */
  noteUnknown(): void {
    this.#selection = { ...this.#selection, knowledge: knowledgeOfProgram() }
  }

  /** Omits the values of fields of unknown types; returns whether the omitted fields changed. */
  omitUnknown(structureId: string, keys: readonly string[]): boolean {
    const { unknownFields: { [structureId]: before = [], ...others } = {}, ...selection } = this.#selection
    if (before.length === 0 && keys.length === 0) return false
    this.#selection = {
      ...selection,
      unknownFields: { ...others, ...(keys.length > 0 && { [structureId]: keys }) },
    }
    return before.some((key) => !keys.includes(key))
  }

  /**
   * The keys of the omitted fields of a structure, and of the formulas that use one: the copy computes these without
   * the values that it lacks.
   */
  #keysLeftOut(structureId: string | null): ReadonlySet<string> | undefined {
    if (structureId === null) return undefined
    const omitted = this.#omitted.get(structureId)
    const unknown = this.#selection.unknownFields?.[structureId]
    if (!omitted && !unknown) return undefined
    const keys = new Set([...(omitted ?? []), ...(unknown ?? [])])
    const formulas = [...(this.#operands.get(structureId) ?? [])]
    return keys.union(
      new Set(formulas.filter(([, operands]) => !operands.isDisjointFrom(keys)).map(([key]) => key)),
    )
  }

  /** Formulas keep the operands of earlier expressions: changes of rows may hold values of these. */
  #addOperands(structureId: string, fields: readonly RemoteField[]): void {
    const known = this.#operands.get(structureId) ?? new Map<string, Set<string>>()
    for (const { key, expression } of fields) {
      if (expression === undefined) continue
      known.set(key, keysIn(expression).union(known.get(key) ?? new Set()))
    }
    if (known.size > 0) this.#operands.set(structureId, known)
  }

  /** The object as stored in the copy; undefined for an omitted one. */
  object(kind: ChangeKind, structureId: string | null, object: RemoteObject): RemoteObject | undefined {
    if (kind === 'structure') this.#addNamed(object as RemoteStructure)
    if (kind === 'structure') this.#addOperands(String(object.id), (object as RemoteStructure).fields)
    if (!this.#includes(kind, structureId)) return undefined
    const keys = this.#keysLeftOut(structureId)
    if (kind === 'record' && keys) return { ...object, data: withoutKeys(object.data as object, keys) }
    if (kind === 'structure') return this.#structure(object, this.#omitted.get(String(object.id)))
    if (kind === 'webhook') return { ...this.#webhook(object, keys), enabled: false, status: 'disabled' }
    if (kind === 'source') return sourceOfCopy(object)
    return object
  }

  /** The change as stored in the copy's log; undefined for an omitted one. */
  change(change: RemoteChange): RemoteChange | undefined {
    const { kind, structure_id } = change
    if (kind === 'structure') this.#refuseTakenName(change)
    if (kind === 'structure' && Array.isArray(change.previous.fields))
      this.#addOperands(String(change.id), change.previous.fields)
    if (!this.#includes(kind, structure_id)) return undefined
    const keys = this.#keysLeftOut(structure_id)
    const object = change.object === null ? null : (this.object(kind, structure_id, change.object) ?? null)
    if (!keys) return { ...change, object }
    if (kind === 'webhook') return { ...change, object, previous: this.#webhook(change.previous, keys) }
    if (kind !== 'record') return { ...change, object }
    return {
      ...change,
      object,
      changed: change.changed.filter((key) => !keys.has(key)),
      previous: withoutKeys(change.previous, keys),
    }
  }

  /** A requested name also selects a new structure that takes it. */
  #addNamed({ id, name }: RemoteStructure): void {
    if (!this.#isNewlyNamed(id, name)) return
    const keys = this.#omittedByName.get(fold(name))
    if (keys) this.#omitted.set(id, new Set(keys))
    if (this.#names.has(fold(name))) this.#structures?.add(id)
    this.#selection = {
      ...this.#selection,
      structures: this.#structures && [...this.#structures],
      omitted: Object.fromEntries(
        [...this.#omitted].map(([structure, omitted]) => [structure, [...omitted]]),
      ),
    }
  }

  #isNewlyNamed(id: string, name: string): boolean {
    const isOmitting = this.#omittedByName.has(fold(name)) && !this.#omitted.has(id)
    return isOmitting || (this.#names.has(fold(name)) && this.#structures?.has(id) === false)
  }

  /** The rows of a renamed structure are in the copy already, or are missing there. */
  #refuseTakenName({ op, changed, object }: RemoteChange): void {
    if (op !== 'updated' || object === null || !changed.includes('name')) return
    const { id, name } = object as RemoteStructure
    if (this.#isNewlyNamed(id, name))
      throw new NameTaken(`The structure ${id} of the remote has taken the name "${name}".`)
  }

  #includes(kind: ChangeKind, structureId: string | null): boolean {
    const isOfRow = kind === 'record' || (kind === 'comment' && structureId !== null)
    return !isOfRow || this.#structures === null || this.#structures.has(structureId ?? '')
  }

  /** Refuses a structure whose omitted field has another key now, because its values would not be recognized. */
  #structure(object: RemoteObject, keys: ReadonlySet<string> = new Set()): RemoteObject {
    const fields = (object as RemoteStructure).fields.map(({ key }) => key)
    for (const key of keys) {
      if (fields.includes(key)) continue
      throw new FieldLost(
        `The structure "${object.name}" of the remote no longer has the field "${key}", which --omit-fields names; restart the mirror with existing fields.`,
      )
    }
    if (this.#structures === null) return object
    const { record_count: _, ...others } = object
    return others as RemoteObject
  }

  /** A filter on an omitted field contains values of it. */
  #webhook<Webhook extends Readonly<Record<string, unknown>>>(
    webhook: Webhook,
    keys: ReadonlySet<string> | undefined,
  ): Webhook {
    if (!keys || !Array.isArray(webhook.filter)) return webhook
    const filter = webhook.filter.filter(({ field }: { field: string }) => !keys.has(field) && field !== '*')
    return { ...webhook, filter }
  }
}

/** Another structure has taken a requested name: the workspace must be copied again. */
export class NameTaken extends Error {}

/** A field has a known type now, and the copy lacks its values: the workspace must be copied again. */
export class FieldKnown extends Error {}

/** A deleted structure was created again under its id; no change says which rows of the first one are gone. */
export class StructureReplaced extends Error {}

/** Data that must not be copied can no longer be identified. */
export class FieldLost extends Error {}

const withoutKeys = (object: object, keys: ReadonlySet<string>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(object).filter(([key]) => !keys.has(key)))

/** Nothing calls the source of a copy, and it calls nothing: events stay on the remote. */
const sourceOfCopy = ({ forward, ...source }: RemoteObject): RemoteObject => ({
  ...source,
  url: null,
  enabled: false,
  ...(Array.isArray(forward) && { forward: forward.map(targetOfCopy) }),
  counts: Object.fromEntries(Object.keys(Object(source.counts)).map((status) => [status, 0])),
  last_event_at: null,
})

const targetOfCopy = (target: object) => ({
  ...target,
  url: null,
  status: 'enabled',
  paused_at: null,
  consecutive_failures: 0,
})
