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

/** What is absent from a subscription that does not have it. */
const NOT_GIVEN = {
  ...{ headers: null, kind: null, format: null, template: null },
  ...{ quietSeconds: null, includeContent: null, due: null, pauseReason: null },
}

const insertWebhook = insertInto(webhooks)
const updateWebhook = updateOf(webhooks, webhooks.pk)

/** The remote never sends a secret, and in a copy no subscription is enabled: it sends nothing. */
export const subscriptions: Restorer<OfStructure> = {
  kind: 'webhook',
  remove: ({ tx }, ids) => {
    for (const id of ids) deleteWebhookAtOnce(tx, id)
  },
  write: ({ tx, workspacePk: workspace }, webhook) => {
    const structure =
      webhook.structure === null
        ? null
        : findStructureById(tx, wholeWorkspace(workspace), webhook.structure.id)?.pk
    if (structure === undefined) return
    const { id } = webhook
    const shown = columnsShown(webhooks, webhook) as typeof webhooks.$inferInsert
    const row = { ...NOT_GIVEN, ...shown, structure, secret: '', enabled: 0 }
    const known = tx.sql.get<{ pk: number }>('SELECT pk FROM webhooks WHERE id = ?', id)?.pk
    if (known === undefined) insertWebhook(tx, { ...row, id, workspace })
    else updateWebhook(tx, known, row)
  },
}

const insertSource = insertInto(sources)
const updateSource = updateOf(sources, sources.pk)

/** The remote never sends a secret or a URL, and in a copy no source is enabled: nothing can call it. */
export const incoming: Restorer<OfStructure> = {
  kind: 'source',
  remove: ({ tx }, ids) => {
    for (const id of ids) deleteSourceAtOnce(tx, id)
  },
  setAside: ({ tx }, id) =>
    void tx.sql.run('UPDATE sources SET name_fold = ? WHERE id = ?', placeholderOf(id), id),
  write: ({ tx, workspacePk: workspace }, source) => {
    const structure = findStructureById(tx, wholeWorkspace(workspace), source.structure?.id ?? '')?.pk
    if (structure === undefined) return
    const { id } = source
    const shown = columnsShown(sources, source) as typeof sources.$inferInsert
    const row = { ...shown, structure, secret: null, token: null, enabled: 0 }
    const known = tx.sql.get<{ pk: number }>('SELECT pk FROM sources WHERE id = ?', id)?.pk
    if (known === undefined) insertSource(tx, { ...row, id, workspace })
    else updateSource(tx, known, row)
  },
}
