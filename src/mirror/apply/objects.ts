import { getTableName } from 'drizzle-orm'
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'
import { wholeWorkspace } from '../../context.ts'
import { insertInto, updateOf } from '../../db/query.ts'
import { sources } from '../../db/schema/sources.ts'
import { webhooks } from '../../db/schema/webhooks.ts'
import { lensKind } from '../../lenses/service.ts'
import { markAllForSearch } from '../../notes/search/indexing.ts'
import { indexTagName, removeTagName } from '../../notes/search/tables.ts'
import { findNoteSummary } from '../../notes/store.ts'
import { type AnyRow, type ObjectKind, placeholderOf } from '../../objects/objects.ts'
import { columnsShown } from '../../objects/shown-columns.ts'
import { presetKind } from '../../presets/service.ts'
import { type PresetProperty, replaceProperties, replaceTags } from '../../presets/store.ts'
import { propertyKind } from '../../properties/service.ts'
import { findPropertyHeadByPk } from '../../properties/store.ts'
import { itemKind } from '../../quick-access/service.ts'
import { rowViewKind } from '../../row-views/service.ts'
import { deleteSourceAtOnce } from '../../sources/deletion.ts'
import { findStructureById } from '../../structures/store.ts'
import { tagKind } from '../../tags/service.ts'
import { listNotesTagged, replaceLinks } from '../../tags/store.ts'
import { viewKind } from '../../views/service.ts'
import { deleteWebhookAtOnce } from '../../webhooks/deletion.ts'
import type { CopyTransaction, Restorer } from './copy-transaction.ts'

/* Tags, properties, presets, views, lenses, the items of Quick Access, views of rows and webhooks. */

/**
 * `own` finds the columns that do not follow from what is shown, or nothing if there is no place for an object; `then`
 * writes what other tables hold.
 */
function restorer<Row extends AnyRow, Shown extends object>(
  kind: ObjectKind<Row, Shown>,
  own: (copy: CopyTransaction, shown: Shown) => Partial<Row> | undefined = () => ({}),
  then: (copy: CopyTransaction, pk: number, shown: Shown) => void = () => {},
): Restorer<Shown & Pick<AnyRow, 'id'>> {
  return {
    kind: kind.kind,
    remove: ({ tx }, ids) => {
      for (const id of ids) kind.remove(tx, id)
    },
    setAside: ({ tx }, id) => kind.setAside(tx, id),
    write: (copy, shown) => {
      const columns = own(copy, shown)
      if (columns) then(copy, kind.put(copy.tx, copy.workspacePk, shown, columns), shown)
    },
  }
}

type Tag = ReturnType<typeof tagKind.present>

export const tags: Restorer<Tag> = {
  ...restorer(tagKind, undefined, ({ tx, workspacePk }, tag, { name }) => {
    indexTagName(tx, workspacePk, tag, name)
  }),
  remove: ({ tx, workspacePk }, ids) => {
    for (const text of ids) {
      const id = Number(text)
      const notes = listNotesTagged(tx, id)
      markAllForSearch(tx, workspacePk, JSON.stringify(notes), { canWait: true })
      removeTagName(tx, workspacePk, id)
      tagKind.remove(tx, id)
    }
  },
  finish: ({ tx, workspacePk, stage }) => {
    const exists = (tag: number) => tagKind.findById(tx, workspacePk, tag) !== undefined
    for (const { id, linked_tags } of stage.present<Tag>('tag'))
      replaceLinks(tx, id, linked_tags.map((linked) => linked.id).filter(exists))
  },
}

export const properties = restorer(propertyKind, (_, { label, key }) => ({
  label: label === key ? null : label,
}))

const contentOf = (_: CopyTransaction, { content = null }: { readonly content?: string | null }) => ({
  content,
})

export const presets = restorer(presetKind, contentOf, (copy, pk, shown) => {
  const entries = (list: readonly { key: string; value: unknown }[]): PresetProperty[] =>
    list.flatMap(({ key, value }) => {
      const rule = propertyNamed(copy, key)
      return rule ? [{ rule, value }] : []
    })
  replaceTags(copy.tx, pk, copy.names.findAll('tag', shown.tags))
  replaceProperties(copy.tx, pk, { properties: entries(shown.properties), asks: entries(shown.asks) })
})

export const views = restorer(viewKind, (copy, { sort, display_properties }) => {
  const idOf = (key: string): string | undefined => propertyNamed(copy, key)?.id
  return {
    sortField: sort.field,
    sortDirection: sort.direction,
    sortProperty: sort.property === undefined ? null : (idOf(sort.property) ?? null),
    displayProperties: JSON.stringify(display_properties.map(idOf).filter((id) => id !== undefined)),
  }
})

function propertyNamed({ tx, names }: CopyTransaction, key: string) {
  const pk = names.find('property', key)
  return pk === undefined ? undefined : findPropertyHeadByPk(tx, pk)
}

export const lenses = restorer(lensKind)

export const items = restorer(itemKind, ({ tx, workspacePk }, { note_id }) => {
  const note = findNoteSummary(tx, workspacePk, note_id)?.pk
  return note === undefined ? undefined : { note }
})

/** A copy has no users of its remote: it keeps the owner's name beside the id. */
export const rowViews = restorer(rowViewKind, ({ tx, workspacePk }, { structure_id, owner }) => {
  const structure = findStructureById(tx, wholeWorkspace(workspacePk), structure_id)?.pk
  return structure === undefined
    ? undefined
    : { structure, owner: owner?.id ?? null, ownerName: owner?.name ?? null }
})

/** A webhook or a source. */
interface OfStructure {
  readonly id: string
  readonly structure: { readonly id: string } | null
}

/**
 * Writes webhooks or sources, unless their structure is gone. The remote never sends a secret or a URL, and in a copy
 * none is enabled: nothing is sent, and nothing can call it. `absent` are the columns of what is not shown where there is
 * none, `own` those that a copy has in any case.
 */
function writerOf(table: typeof webhooks | typeof sources, absent: object, own: object) {
  const insert = insertInto<SQLiteTable>(table)
  const update = updateOf<SQLiteTable>(table, table.pk)
  const find = `SELECT pk FROM ${getTableName(table)} WHERE id = ?`
  return ({ tx, workspacePk: workspace }: CopyTransaction, shown: OfStructure): void => {
    const { id, structure: of } = shown
    const structure = of && findStructureById(tx, wholeWorkspace(workspace), of.id)?.pk
    if (structure === undefined) return
    const row = { ...absent, ...columnsShown(table, shown), structure, ...own, enabled: 0 }
    const known = tx.sql.get<{ pk: number }>(find, id)?.pk
    if (known === undefined) insert(tx, { ...row, id, workspace })
    else update(tx, known, row)
  }
}

/** What is absent from a subscription that does not have it. */
const NOT_GIVEN = {
  ...{ headers: null, kind: null, format: null, template: null },
  ...{ quietSeconds: null, includeContent: null, due: null, pauseReason: null },
}

export const subscriptions: Restorer<OfStructure> = {
  kind: 'webhook',
  remove: ({ tx }, ids) => {
    for (const id of ids) deleteWebhookAtOnce(tx, id)
  },
  write: writerOf(webhooks, NOT_GIVEN, { secret: '' }),
}

export const incoming: Restorer<OfStructure> = {
  kind: 'source',
  remove: ({ tx }, ids) => {
    for (const id of ids) deleteSourceAtOnce(tx, id)
  },
  setAside: ({ tx }, id) =>
    void tx.sql.run('UPDATE sources SET name_fold = ? WHERE id = ?', placeholderOf(id), id),
  write: writerOf(sources, {}, { secret: null, token: null }),
}
