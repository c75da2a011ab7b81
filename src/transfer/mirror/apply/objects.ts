import type { SQLiteTable } from 'drizzle-orm/sqlite-core'
import { wholeWorkspace } from '../../../context.ts'
import { sourceKind } from '../../../events/sources/store.ts'
import { deleteWebhookAtOnce } from '../../../events/webhooks/deletion.ts'
import type { AnyRow, ObjectKind } from '../../../log/objects/objects.ts'
import { columnsShown } from '../../../log/objects/statements.ts'
import { lensKind } from '../../../notes/lenses/service.ts'
import { itemKind } from '../../../notes/pinned/service.ts'
import {
  type PresetProperty,
  presetKind,
  replaceProperties,
  replaceTags,
} from '../../../notes/presets/service.ts'
import { findPropertyHeadByPk, propertyKind, removeProperty } from '../../../notes/properties/service.ts'
import { markAllForSearch } from '../../../notes/search/indexing.ts'
import { indexTagName, removeTagName } from '../../../notes/search/tables.ts'
import { findNoteSummary } from '../../../notes/store.ts'
import { listNotesTagged, removeTag, replaceLinks, tagKind } from '../../../notes/tags/service.ts'
import { viewKind } from '../../../notes/views/service.ts'
import { findStructureById } from '../../../records/structures/store.ts'
import { rowViewKind } from '../../../records/views/service.ts'
import { insertInto, updateOf } from '../../../storage/query.ts'
import { webhooks } from '../../../storage/schema/webhooks.ts'
import type { CopyTransaction, Restorer } from './copy-transaction.ts'
import { files } from './files.ts'
import { notes } from './notes.ts'
import { Records, structures } from './structures.ts'

/* Tags, properties, presets, views, lenses, Quick Access items, row views and webhooks. */

/**
 * `own` computes the columns that are not shown, or nothing if the object cannot be placed; `then` writes other
 * tables.
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
      removeTagName(tx, id)
      removeTag(tx, id)
    }
  },
  finish: ({ tx, workspacePk, stage }) => {
    const exists = (tag: number) => tagKind.findById(tx, workspacePk, tag) !== undefined
    for (const { id, linked_tags } of stage.present<Tag>('tag'))
      replaceLinks(tx, id, linked_tags.map((linked) => linked.id).filter(exists))
  },
}

type Property = ReturnType<typeof propertyKind.present>

export const properties: Restorer<Property> = {
  ...restorer(propertyKind, (_, { label, key }) => ({ label: label === key ? null : label })),
  remove: ({ tx, workspacePk }, ids) => {
    for (const id of ids) removeProperty(tx, workspacePk, id)
  },
}

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

/** A copy has no users of its remote: it stores the owner's name beside the id. */
export const rowViews = restorer(rowViewKind, (copy, { structure_id, owner }) => {
  const structure = structurePk(copy, structure_id)
  if (structure === undefined) return undefined
  return { structure, owner: owner?.id ?? null, ownerName: owner?.name ?? null }
})

/** Undefined for a deleted structure. */
const structurePk = ({ tx, workspacePk }: CopyTransaction, id: string): number | undefined =>
  findStructureById(tx, wholeWorkspace(workspacePk), id)?.pk

/** Nothing can call a source of a copy. */
const incoming: Restorer<Parameters<typeof sourceKind.put>[2]> = {
  ...restorer(sourceKind, (copy, { structure: of, counts }) => {
    const structure = structurePk(copy, of.id)
    if (structure === undefined) return undefined
    return { structure, secret: null, token: null, enabled: 0, counts: JSON.stringify(counts) }
  }),
  remove: ({ tx }, ids) => {
    for (const id of ids) sourceKind.remove(tx, id)
  },
}

interface Subscription {
  readonly id: string
  readonly structure: { readonly id: string } | null
}

/** Defaults of absent attributes of a subscription. */
const NOT_GIVEN = {
  ...{ headers: null, kind: null, format: null, template: null },
  ...{ quietSeconds: null, includeContent: null, due: null, pauseReason: null },
}

const insertWebhook = insertInto<SQLiteTable>(webhooks)
const updateWebhook = updateOf<SQLiteTable>(webhooks, webhooks.pk)

/** The remote never sends secrets. Subscriptions of a copy are disabled, so nothing is sent. */
const subscriptions: Restorer<Subscription> = {
  kind: 'webhook',
  remove: ({ tx }, ids) => {
    for (const id of ids) deleteWebhookAtOnce(tx, id)
  },
  write: (copy, shown) => {
    const { tx, workspacePk: workspace } = copy
    const { id, structure: of } = shown
    const structure = of && structurePk(copy, of.id)
    if (structure === undefined) return
    const row = { ...NOT_GIVEN, ...columnsShown(webhooks, shown), structure, secret: '', enabled: 0 }
    const known = tx.sql.get<{ pk: number }>('SELECT pk FROM webhooks WHERE id = ?', id)?.pk
    if (known === undefined) insertWebhook(tx, { ...row, id, workspace })
    else updateWebhook(tx, known, row)
  },
}

/** Each kind refers only to earlier ones, so deletions run in reverse order before anything is written. */
export function applyObjects(copy: CopyTransaction): void {
  const { stage, isFresh } = copy
  const kinds: readonly Restorer[] = [
    tags,
    properties,
    structures,
    notes,
    new Records(),
    files,
    presets,
    views,
    lenses,
    items,
    rowViews,
    subscriptions,
    incoming,
  ]
  for (const restorer of isFresh ? [] : kinds.toReversed()) {
    restorer.remove(copy, stage.gone(restorer.kind))
    if (!restorer.setAside) continue
    for (const { id, json } of stage.objects(restorer.kind)) if (json !== null) restorer.setAside(copy, id)
  }
  for (const restorer of kinds) {
    for (const { json, structureId } of stage.objects(restorer.kind))
      if (json !== null) restorer.write(copy, JSON.parse(json) as never, structureId)
    restorer.finish?.(copy)
  }
}
