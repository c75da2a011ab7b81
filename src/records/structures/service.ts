import type { Static } from '@sinclair/typebox'
import { type Caller, wholeWorkspace } from '../../context.ts'
import { checkMaking } from '../../kernel/caller.ts'
import { read, write } from '../../kernel/operation.ts'
import { isId } from '../../lib/ids.ts'
import { isSame, patched, patchedFlag } from '../../lib/patch.ts'
import { atPlace, nameTaken, Refusal, refuseDotName, refused } from '../../lib/refusal.ts'
import { counted, fold } from '../../lib/text.ts'
import { logChange, logUpdate, notifyAfterCommit } from '../../log/log.ts'
import type { Reader } from '../../storage/reader.ts'
import type { Tx } from '../../storage/writes/transaction.ts'
import {
  type Check,
  checkLabelField,
  checkUniqueTogether,
  type FindStructureId,
  type FoundRefusal,
  fieldDefinitions,
  lostFields,
  refuseLossOfField,
  refuseLossOfUsedField,
  refuseManyUnique,
} from './fields.ts'
import { completeFormulas, refuseLossOfOperand } from './formulas.ts'
import { completeRollups, refuseLossOfLinked } from './rollups.ts'
import type { CreateStructureBody, PatchStructureBody } from './schema.ts'
import { changeRows, dropRows, startRows } from './storage/changed-definition.ts'
import { enqueueFormulas } from './storage/formula-values.ts'
import { collisionOf, uniqueIndex } from './storage/row-table-schema.ts'
import * as store from './store.ts'
import {
  type Definition,
  definitionOf,
  type FieldDefinition,
  findStructure,
  getStructure,
  presentStructure,
  presentStructureTo,
  type UniqueSet,
  uniqueSetsOf,
} from './store.ts'

/** Structures in creation order. */
export const listStructures = read({
  name: 'structures.list',
  covers: 'structures',
  run: (snapshot, caller) => ({
    structures: store.listStructureRows(snapshot, caller).map((row) => presentStructureTo(caller, row)),
  }),
})

export const readStructure = read({
  name: 'structures.get',
  covers: 'structures',
  run: (snapshot, caller, { nameOrId }: { nameOrId: string }) => ({
    structure: presentStructureTo(caller, getStructure(snapshot, caller, nameOrId, 'see')),
  }),
})

export type NewStructure = Static<typeof CreateStructureBody>

export const declareStructure = write({
  name: 'structures.create',
  covers: 'structures',
  check: (_, { rights }) => checkMaking(rights),
  run: (tx, caller, { body }: { body: NewStructure }) => {
    const { name, unique_together = [], fields } = body
    refuseDotName(name, 'structure')
    refuseManyUnique([...unique_together, ...fields.filter(({ unique }) => unique)].flat().length)
    return { structure: presentStructure(createStructure(tx, caller, body)) }
  },
})

/**
 * Creates a structure; joins the caller's transaction. `findStructureId` resolves the structures that record fields
 * name. By default it finds existing structures and the new one itself.
 */
export function createStructure(
  tx: Tx,
  caller: Caller,
  input: NewStructure,
  findStructureId?: FindStructureId,
): store.StructureRow {
  refuseUnusableName(tx, caller, input.name)
  const id = tx.newId()
  const named = { name: input.name, id }
  const find = findStructureId ?? ((nameOrId: string) => resolveStructure(tx, caller, nameOrId, named))
  const defined = fieldDefinitions(input.fields, [], find)
  const owner = { ...named, before: [] }
  // An import may bring the other structures later.
  const linked = findStructureId ? defined : completeRollups(tx, caller, defined, owner)
  const fields = completeFormulas(linked, { fields: [], hasRows: false })
  const { label_field = null, unique_together = [] } = input
  checkUniqueTogether(unique_together, fields)
  checkLabelField(label_field, fields)
  const pk = store.insertStructure(tx, {
    id,
    workspace: caller.workspacePk,
    name: input.name,
    nameFold: fold(input.name),
    description: input.description ?? null,
    fields: JSON.stringify(fields),
    labelField: label_field,
    uniqueTogether: JSON.stringify(unique_together),
    maxRows: input.max_rows ?? null,
    immutable: input.immutable ? 1 : 0,
    icon: input.icon ?? null,
    color: input.color ?? null,
    createdAt: tx.now,
    updatedAt: tx.now,
  })
  startRows(tx, pk, { fields, uniqueSets: uniqueSetsOf(fields, unique_together) })
  logChange(tx, caller, changedStructure(id), 'created')
  return getStructure(tx, wholeWorkspace(caller.workspacePk), id, 'see')
}

function refuseUnusableName(reader: Reader, { workspacePk }: Caller, name: string, except?: number): void {
  if (isId(fold(name)))
    throw refused(
      'A structure cannot have a name in the form of an id; choose another name.',
      atPlace('name'),
    )
  const holder = store.findStructureByName(reader, workspacePk, fold(name))
  if (!holder || holder.pk === except) return
  // Repeats the name as sent: it does not reveal the spelling of a structure that is hidden from the caller.
  throw nameTaken(`A structure named "${name}" exists already; choose another name.`, atPlace('name'))
}

/** The id of the structure that a record field names; `self` may name itself before it exists. */
const resolveStructure = (
  reader: Reader,
  caller: Caller,
  nameOrId: string,
  self: { name: string; id: string },
): string | undefined =>
  fold(nameOrId) === fold(self.name) ? self.id : findStructure(reader, caller, nameOrId)?.id

type PatchBody = Static<typeof PatchStructureBody>
export type StructurePatch = Omit<PatchBody, 'dry_run'>

interface PatchInput {
  readonly nameOrId: string
  readonly body: PatchBody
}

/** Changes a definition and its row table. Sent lists replace the old ones. */
export const patchStructure = write({
  name: 'structures.patch',
  covers: 'structures',
  object: readStructure,
  run: (tx, caller, { nameOrId, body: { dry_run: _, ...patch } }: PatchInput) => ({
    structure: presentStructure(changeStructure(tx, caller, nameOrId, patch)),
  }),
})

/** Returns the structure after the change, or unchanged, with every part that would be refused; writes nothing. */
export const tryStructure = read({
  name: 'structures.try',
  covers: 'structures',
  object: readStructure,
  run: (snapshot, caller, { nameOrId, body: { dry_run: _, ...patch } }: PatchInput) => {
    const before = getStructure(snapshot, caller, nameOrId, 'change')
    const refusals: FoundRefusal[] = []
    const collect: Check = (field, run) => {
      try {
        return run()
      } catch (refusal) {
        if (!(refusal instanceof Refusal)) throw refusal
        refusals.push({ refusal, field })
        return undefined
      }
    }
    const { columns, definition } = checkedPatch(snapshot, caller, before, patch, collect)
    refusals.push(...collisions(snapshot, before, definition.uniqueSets))
    return {
      structure: presentStructure(refusals.length > 0 ? before : { ...before, ...columns }),
      refusals: refusals.map(({ refusal, field }) => ({
        error: refusal.message,
        code: refusal.code,
        field,
      })),
    }
  },
})

/** The refusals for sets of fields that cannot become unique, because rows collide. */
const collisions = (
  reader: Reader,
  before: store.StructureRow,
  after: readonly UniqueSet[],
): FoundRefusal[] =>
  newUniqueSets(before, after).flatMap((set) => {
    const sentence = collisionOf(reader, before, set)
    const [only, ...others] = set
    const field = only && others.length === 0 ? only.key : null
    return sentence === undefined ? [] : { refusal: refused(sentence, atPlace('fields')), field }
  })

/** The sets of fields that are not unique yet. */
function newUniqueSets(before: store.StructureRow, after: readonly UniqueSet[]): UniqueSet[] {
  if (before.live === 0) return []
  const { byKey, uniqueSets } = definitionOf(before)
  const nameOf = (set: UniqueSet) => uniqueIndex(before.pk, set).name
  const had = new Set(uniqueSets.map(nameOf))
  const known = after.filter((set) => !had.has(nameOf(set)) && set.every(({ key }) => byKey.has(key)))
  return known.map((set) => set.flatMap(({ key }) => byKey.get(key) ?? []))
}

/** Changes a definition and its row table; joins the caller's transaction. */
export function changeStructure(
  tx: Tx,
  caller: Caller,
  nameOrId: string,
  patch: StructurePatch,
): store.StructureRow {
  const before = getStructure(tx, caller, nameOrId, 'change')
  const { columns, definition } = checkedPatch(tx, caller, before, patch)
  const { nameFold: _, ...shown } = columns
  if (isSame<typeof shown>(before, shown)) return before
  changeTable(tx, before, definition)
  store.updateStructure(tx, before.pk, columns, tx.now)
  if (definition.fields.some(({ computing }) => computing)) enqueueFormulas(tx, before, definition.fields)
  notifyAfterCommit(tx, before.id)
  const after = getStructure(tx, caller, before.id, 'change')
  const object = changedStructure(before.id)
  logUpdate(tx, caller, object, presentStructure(before), presentStructure(after), ['record_count'])
  return after
}

export const changedStructure = (id: string) => ({ kind: 'structure', id, structureId: id }) as const

/**
 * The definition after a change. Every rule runs through `check`, which throws the first refusal unless it collects
 * them.
 */
export function checkedPatch(
  reader: Reader,
  caller: Caller,
  before: store.StructureRow,
  patch: StructurePatch,
  check: Check = (_, run) => run(),
) {
  const { fields: oldFields, uniqueSets: oldSets } = definitionOf(before)
  const { name = before.name } = patch
  const find = (nameOrId: string) => resolveStructure(reader, caller, nameOrId, { name, id: before.id })
  const defined = patch.fields ? fieldDefinitions(patch.fields, oldFields, find, check) : oldFields
  const labelField = patched(patch.label_field, before.labelField)
  const together = patch.unique_together ?? (JSON.parse(before.uniqueTogether) as string[][])
  const use = { structurePk: before.pk, labelField, uniqueTogether: together }
  const lost = lostFields(oldFields, defined)
  for (const field of lost) {
    check(field.key, () => refuseLossOfOperand(field, defined))
    check(field.key, () => refuseLossOfLinked(reader, caller, before.pk, field))
  }
  const hasRows = before.live > 0
  const owner = { id: before.id, name, before: oldFields }
  const fields = patch.fields
    ? completeFormulas(
        completeRollups(reader, caller, defined, owner, check),
        { fields: oldFields, hasRows },
        check,
      )
    : oldFields
  for (const field of retypedFormulas(oldFields, fields))
    check(field.key, () => refuseLossOfUsedField(reader, caller, field, use))
  for (const field of before.lastId === null ? [] : lost)
    check(field.key, () => refuseLossOfField(field, fields))
  for (const field of before.lastId === null ? lost : [])
    check(field.key, () => refuseLossOfUsedField(reader, caller, field, use))
  const isNamed = (key: string | null) => lost.some((field) => field.key === key)
  if (!isNamed(labelField)) check(null, () => checkLabelField(labelField, fields))
  if (!together.flat().some(isNamed)) check(null, () => checkUniqueTogether(together, fields))
  if (name !== before.name) check(null, () => refuseDotName(name, 'structure'))
  if (patch.name !== undefined) check(null, () => refuseUnusableName(reader, caller, name, before.pk))
  const uniqueSets = uniqueSetsOf(fields, together)
  check(null, () => refuseManyUnique(uniqueSets.flat().length, oldSets.flat().length))
  const maxRows = patched(patch.max_rows, before.maxRows)
  check(null, () => refuseLowMaxRows(before, maxRows))
  const columns = {
    name,
    nameFold: fold(name),
    description: patched(patch.description, before.description),
    fields: JSON.stringify(fields),
    labelField,
    uniqueTogether: JSON.stringify(together),
    maxRows,
    immutable: patchedFlag(patch.immutable, before.immutable),
    icon: patched(patch.icon, before.icon),
    color: patched(patch.color, before.color),
  }
  return { columns, definition: { fields, uniqueSets } }
}

/** The formulas whose results change their type. */
const retypedFormulas = (
  before: readonly FieldDefinition[],
  after: readonly FieldDefinition[],
): FieldDefinition[] =>
  before.filter(
    ({ key, result }) =>
      result !== undefined &&
      after.some((now) => now.key === key && now.expression !== undefined && now.result !== result),
  )

function refuseLowMaxRows({ live }: store.StructureRow, maxRows: number | null): void {
  if (maxRows === null || live <= maxRows) return
  throw new Refusal(
    'max_rows_reached',
    `"max_rows" cannot be ${maxRows} while the structure holds ${counted(live, 'row')}; delete rows first.`,
  )
}

/** A structure that never had rows gets a new row table; any other only gains fields. */
function changeTable(
  tx: Tx,
  structure: store.StructureRow,
  after: Pick<Definition, 'fields' | 'uniqueSets'>,
): void {
  if (structure.lastId !== null) changeRows(tx, structure, definitionOf(structure), after)
  else {
    dropRows(tx, structure.pk)
    startRows(tx, structure.pk, after)
  }
}
