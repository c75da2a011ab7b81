import type { Static } from '@sinclair/typebox'
import { and, eq, getTableColumns, ne, sql } from 'drizzle-orm'
import type { Caller, InWorkspace } from '../../context.ts'
import { type FilterTree, parseOptionalTree } from '../../filter/tree/parse.ts'
import { read, write } from '../../kernel/operation.ts'
import { isoTimestamp } from '../../lib/dates.ts'
import { refused } from '../../lib/refusal.ts'
import { objectKind } from '../../log/objects/objects.ts'
import { from, rowBy } from '../../storage/query.ts'
import type { Reader } from '../../storage/reader.ts'
import { lenses } from '../../storage/schema/lenses.ts'
import type { Tx } from '../../storage/writes/transaction.ts'
import { readStoredTree, storedTree } from '../query/tree-query.ts'
import type { CreateLensBody, LensSettings, PatchLensBody } from './schema.ts'

export const DEFAULT_SETTINGS: LensSettings = {
  layers: { links: true, tags: false },
  nodes: { orphans: true, dangling: false },
  look: { arrows: true, titles: 'zoom' },
}

export const lensKind = objectKind({
  kind: 'lens',
  table: lenses,
  read: getTableColumns(lenses),
  order: [lenses.pk],
  present: (row) => {
    const { layers, nodes, look }: LensSettings = JSON.parse(row.settings)
    return {
      id: row.id,
      name: row.name,
      scope: readStoredTree(row.scope),
      settings: {
        layers: { links: layers.links, tags: layers.tags },
        nodes: { orphans: nodes.orphans, dangling: nodes.dangling },
        look: { arrows: look.arrows, titles: look.titles },
      },
      is_default: row.isDefault === 1,
      created_at: isoTimestamp(row.createdAt),
      updated_at: isoTimestamp(row.updatedAt),
    }
  },
})

export const listLenses = read({
  name: 'lenses.list',
  covers: 'notes',
  run: (snapshot, caller) => ({ lenses: lensKind.list(snapshot, caller) }),
})

export const getLens = read({
  name: 'lenses.get',
  covers: 'notes',
  run: (snapshot, caller, { id }: { id: string }) => ({ lens: lensKind.get(snapshot, caller, id) }),
})

const findByDefault = lensKind.findBy((isDefault: number) => eq(lenses.isDefault, isDefault))

/** Undefined if the workspace has no lens. */
export function findDefaultLens(reader: Reader, { workspacePk }: InWorkspace) {
  const row = findByDefault(reader, workspacePk, 1)
  return row && lensKind.present(row, reader)
}

export type LensRequest = Static<typeof PatchLensBody>

type LensInput = Omit<LensRequest, 'scope'> & { scope?: FilterTree | null }

/** Parses the scope of a request without any lookup. */
export const parseLens = <Request extends LensRequest>(request: Request) => ({
  ...request,
  scope: parseOptionalTree(request.scope, 'scope'),
})

/** Creates a lens; joins the caller's transaction. The first lens always becomes the default. */
export function insertLens(tx: Tx, caller: Caller, input: LensInput & { name: string }) {
  const isFirst = lensKind.count(tx, caller.workspacePk) === 0
  const columns = { isDefault: 0, ...columnsOf(tx, caller, DEFAULT_SETTINGS, input) }
  return lensKind.create(tx, caller, isFirst ? { ...columns, isDefault: 1 } : columns)
}

export const createLens = write({
  name: 'lenses.create',
  covers: 'notes',
  run: (tx, caller, { body }: { body: Static<typeof CreateLensBody> }) => ({
    lens: insertLens(tx, caller, parseLens(body)),
  }),
})

/** Changes the sent attributes; settings are merged individually, the scope is replaced as a whole. */
export const patchLens = write({
  name: 'lenses.patch',
  covers: 'notes',
  run: (tx, caller, { id, body }: { id: string; body: LensRequest }) => {
    const input = parseLens(body)
    const before = lensKind.getRow(tx, caller, id)
    const columns = columnsOf(tx, caller, JSON.parse(before.settings), input)
    if (input.is_default === false && before.isDefault === 1)
      throw refused(
        `The lens "${before.name}" is the default, and there always is one; make another lens the default instead.`,
      )
    return { lens: lensKind.update(tx, caller, before, columns) }
  },
})

const columnsOf = (
  reader: Reader,
  { workspacePk }: InWorkspace,
  before: LensSettings,
  { scope, settings = {}, ...sent }: LensInput,
) => ({
  ...lensKind.columnsOf(sent),
  ...(scope !== undefined && { scope: storedTree(reader, workspacePk, scope, 'scope') }),
  settings: JSON.stringify({
    layers: { ...before.layers, ...settings.layers },
    nodes: { ...before.nodes, ...settings.nodes },
    look: { ...before.look, ...settings.look },
  }),
})

/** The lens created next after this one, else the first of the others. */
const findNextLens = rowBy((workspace: number, pk: number) =>
  from(lenses, getTableColumns(lenses))
    .where(and(eq(lenses.workspace, workspace), ne(lenses.pk, pk)))
    .orderBy(sql`${lenses.pk} < ${pk}`, lenses.pk)
    .limit(1),
)

/** Deletes a lens. If it was the default, the next one by creation becomes the default, else the first. */
export const deleteLens = write({
  name: 'lenses.delete',
  covers: 'notes',
  run: (tx, caller, { id }: { id: string }) => {
    const lens = lensKind.getRow(tx, caller, id)
    const heir = lens.isDefault === 1 ? findNextLens(tx, caller.workspacePk, lens.pk) : undefined
    lensKind.delete(tx, caller, lens)
    if (heir) lensKind.update(tx, caller, heir, { isDefault: 1 })
    return { deleted: true, id }
  },
})
