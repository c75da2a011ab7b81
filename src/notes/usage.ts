import { Refusal } from '../lib/refusal.ts'
import { quoteList } from '../lib/text.ts'
import { lastChange } from '../log/log.ts'
import { subscriptionsFiltering } from '../log/outbox.ts'
import { changedAfter } from '../log/read.ts'
import type { Reader } from '../storage/reader.ts'
import { lensKind } from './lenses/service.ts'
import { presetsNamingProperty } from './presets/service.ts'
import { storedTreeReferences } from './query/tree-query.ts'
import { type ViewRole, viewKind, viewsNaming } from './views/service.ts'

/** An object that refers to another one and thereby prevents its deletion. */
export interface UsedBy {
  id: string
  name: string
}

export interface TagUsage {
  views: UsedBy[]
  lenses: UsedBy[]
  /** Identified by URL; `usage` does not show them. */
  webhooks: UsedBy[]
}

export interface PropertyUsage {
  views: (UsedBy & { roles: ViewRole[] })[]
  presets: UsedBy[]
  lenses: UsedBy[]
  webhooks: UsedBy[]
}

/** The usage of an object at the time of the search. */
export interface FoundUsage<Usage> {
  readonly usage: Usage
  /** The number of the workspace's last change at that time, or of an earlier change. */
  readonly upTo: number
}

/**
 * Finds the objects that use an object. This reads every stored filter tree, which is slow for long trees. Writes
 * therefore reuse the result of a preceding read.
 */
interface UsageFinder<Named, Usage> {
  find(reader: Reader, workspace: number, named: Named): FoundUsage<Usage>
  /** The usage of an object, in a transaction: reads only what changed since `found`. */
  now(reader: Reader, workspace: number, named: Named, found: FoundUsage<Usage>): Usage
}

/** Reads the usage of an object in a workspace, optionally limited to the views and lenses with these ids. */
type ReadUsage<Named, Usage> = (
  reader: Reader,
  workspace: number,
  named: Named,
  ids?: readonly string[],
) => Usage

const usages = <Named, Usage extends { views: UsedBy[]; lenses: UsedBy[] }>(
  read: ReadUsage<Named, Usage>,
): UsageFinder<Named, Usage> => ({
  find: (reader, workspace, named) => ({
    upTo: lastChange(reader, workspace),
    usage: read(reader, workspace, named),
  }),
  now: (reader, workspace, named, { usage, upTo }) => {
    const changed = changedAfter(reader, workspace, upTo, ['view', 'lens'])
    const again = read(reader, workspace, named, changed)
    const unchanged = ({ id }: UsedBy) => !changed.includes(id)
    const views = [...usage.views.filter(unchanged), ...again.views]
    const lenses = [...usage.lenses.filter(unchanged), ...again.lenses]
    return { ...again, views, lenses }
  },
})

export const tagUsage = usages<number, TagUsage>((reader, workspace, tag, ids) => ({
  views: viewKind.usersOf(reader, workspace, ({ filter }) => tagsIn(filter).includes(tag), ids),
  lenses: lensKind.usersOf(reader, workspace, ({ scope }) => tagsIn(scope).includes(tag), ids),
  webhooks: subscriptionsFiltering(reader, workspace, (filter) => tagsIn(filter).includes(tag)),
}))

const tagsIn = (tree: string | null) => storedTreeReferences(tree).tagIds

export const propertyUsage = usages<{ pk: number; id: string }, PropertyUsage>(
  (reader, workspace, { pk, id }, ids) => ({
    views: viewsNaming(reader, workspace, id, ids),
    presets: presetsNamingProperty(reader, pk),
    lenses: lensKind.usersOf(
      reader,
      workspace,
      ({ scope }) => storedTreeReferences(scope).propertyIds.includes(id),
      ids,
    ),
    webhooks: subscriptionsFiltering(reader, workspace, (filter) =>
      storedTreeReferences(filter).propertyIds.includes(id),
    ),
  }),
)

const SINGULAR = { views: 'view', presets: 'preset', lenses: 'lens', webhooks: 'webhook' } as const
type Kind = keyof typeof SINGULAR

/**
 * Refuses with `in_use` while anything refers to the object, with the kind and name of every reference: `The tag
 * "work" is used by the views "Due" and "Open" and the lens "Map"; change those first.`
 */
export function refuseWhileUsed(
  object: string,
  usage: { readonly [kind in Kind]?: readonly UsedBy[] },
  consequence: string,
): void {
  const users = (Object.keys(SINGULAR) as Kind[]).flatMap((kind) => {
    const names = usage[kind]?.map(({ name }) => name) ?? []
    return names.length === 0 ? [] : [`the ${names.length === 1 ? SINGULAR[kind] : kind} ${quoteList(names)}`]
  })
  if (users.length === 0) return
  throw new Refusal('in_use', `${object} is used by ${users.join(' and ')}; ${consequence}.`)
}
