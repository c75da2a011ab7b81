import { Kind, type TSchema } from '@sinclair/typebox'
import type { ValueError } from '@sinclair/typebox/errors'
import { parseTree } from '../../filter/tree/parse.ts'
import { memoize } from '../../lib/bounded-cache.ts'
import { isObject, type JsonObject } from '../../lib/json.ts'
import { Refusal, refused } from '../../lib/refusal.ts'
import { sha256 } from '../../lib/sha256.ts'
import { CHANGE_KINDS, CHANGE_OPERATIONS, type ChangeKind } from '../../storage/schema/changes.ts'
import { isStrict, meantSchema } from './missing-attributes.ts'
import { SCHEMAS } from './object-schemas.ts'

/*
 * A remote of a newer version may send data that this program does not know: attributes, kinds of objects,
 * operations, and words in place of known ones, such as the type of a field. The copy cannot store them. They are
 * omitted, `mirror status` lists the objects, and everything is read again once the program knows more
 * (`knowledgeOfProgram`).
 */

/** An object that only a newer daybook knows; `isThere` is false once the remote has deleted it. */
export interface OmittedObject {
  readonly kind: string
  readonly id: string
  readonly isThere: boolean
}

/** The kind of an omitted field of a structure; its id is the id of the structure, a dot and its key. */
export const FIELD = 'field'

const MAX_WORD = 50

/** A name that a version of daybook could use for a kind, a type or an operation. */
export const isWord = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= MAX_WORD && /^[a-z][a-z0-9_.]*$/.test(value)

/** The parts of a response that only a newer daybook knows. */
export class Unknown {
  readonly omitted: OmittedObject[] = []
  /** The keys of the fields of unknown types, by the id of each received structure. */
  readonly unknownFields = new Map<string, readonly string[]>()
  isAny = false

  get isEmpty(): boolean {
    return !this.isAny && this.unknownFields.size === 0
  }

  note(): void {
    this.isAny = true
  }

  /** Refuses a kind or an id that no daybook could use. */
  leaveOut(kind: unknown, id: unknown, isThere = true): void {
    const isNamed = isWord(kind) && /^[\w.-]{1,150}$/.test(String(id))
    if (!isNamed) throw refused('The remote sent an object without a kind and an id.')
    this.omitted.push({ kind, id: String(id), isThere })
    this.isAny = true
  }
}

export const isKnownKind = (kind: unknown): kind is ChangeKind => CHANGE_KINDS.some((one) => one === kind)

const hasWords = (schema: TSchema): boolean =>
  schema[Kind] === 'DaybookChoice' ||
  schema[Kind] === 'Literal' ||
  (schema.anyOf as TSchema[] | undefined)?.some(hasWords) === true

/** Whether a value is wrong only because it is not a word that this version knows. */
export const isUnknownWord = ({ schema, value }: ValueError): boolean => isWord(value) && hasWords(schema)

const TREES = ['filter', 'scope'] as const

/** Whether this version knows all conditions on notes. */
export function hasKnownTrees(object: JsonObject): boolean {
  try {
    for (const name of TREES) if (isObject(object[name])) parseTree(object[name], name)
    return true
  } catch (error) {
    if (error instanceof Refusal) return false
    throw error
  }
}

/** The attributes that a change names, without those that only a newer daybook knows. */
export function knownDifference<Named extends { changed: readonly string[]; previous: JsonObject }>(
  kind: ChangeKind,
  change: Named,
): Named {
  // The attributes of a record are the fields of its structure.
  if (kind === 'record') return change
  const isKnown = (name: string) => Object.hasOwn(SCHEMAS[kind].properties ?? {}, name)
  const previous = Object.entries(change.previous).filter(([name]) => isKnown(name))
  return { ...change, changed: change.changed.filter(isKnown), previous: Object.fromEntries(previous) }
}

/** A value without the attributes that its schema does not name; the value itself if there are none. */
export function knownAttributes(schema: TSchema, value: unknown, unknown: Unknown): unknown {
  const meant = meantSchema(schema, value)
  if (Array.isArray(value)) {
    if (!meant.items) return value
    const items = value.map((item) => knownAttributes(meant.items, item, unknown))
    return items.some((item, at) => item !== value[at]) ? items : value
  }
  if (!isObject(value) || !isStrict(meant)) return value
  const attributes = meant.properties as Record<string, TSchema>
  let isSame = true
  const known: JsonObject = {}
  for (const [name, own] of Object.entries(value)) {
    const attribute = Object.hasOwn(attributes, name) ? attributes[name] : undefined
    if (attribute) known[name] = knownAttributes(attribute, own, unknown)
    else unknown.note()
    isSame &&= attribute !== undefined && known[name] === own
  }
  return isSame ? value : known
}

/** The names and words of a schema. */
function outlineOf(schema: TSchema): unknown {
  if (Array.isArray(schema.enum)) return schema.enum
  if (Array.isArray(schema.anyOf)) return schema.anyOf.map(outlineOf)
  if (schema.const !== undefined) return schema.const
  if (schema.items) return [outlineOf(schema.items)]
  if (!isStrict(schema)) return schema.type
  const attributes = Object.entries(schema.properties as Record<string, TSchema>)
  return Object.fromEntries(attributes.map(([name, attribute]) => [name, outlineOf(attribute)]))
}

const knowledgeOf = memoize((kinds: readonly ChangeKind[]) =>
  sha256(JSON.stringify([CHANGE_OPERATIONS, kinds.map((kind) => [kind, outlineOf(SCHEMAS[kind])])])),
)

/** Differs between versions of the program that know different kinds, attributes or words. */
export const knowledgeOfProgram = (): string => knowledgeOf(CHANGE_KINDS)
