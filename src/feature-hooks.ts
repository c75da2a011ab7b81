import type { ChangeAuthor } from './changes/log.ts'
import type { InWorkspace } from './context.ts'
import type { Reader } from './db/reader.ts'
import type { Tx } from './db/writes/transaction.ts'
import type { Moments } from './delivery/outbox.ts'
import type { FindStanding } from './kernel/caller.ts'
import type { Job } from './kernel/jobs.ts'
import { quoteList } from './lib/text.ts'
import { Refusal } from './refusal.ts'

/** An object that refers to another one, which therefore cannot be deleted. */
export interface UsedBy {
  id: string
  name: string
}

/** The part of a view that refers to a property. */
export type ViewRole = 'filter' | 'sort' | 'display'

export interface TagUsage {
  views: UsedBy[]
  lenses: UsedBy[]
  /** Each named by its URL; `usage` does not show them. */
  webhooks: UsedBy[]
}

export interface PropertyUsage {
  views: (UsedBy & { roles: ViewRole[] })[]
  presets: UsedBy[]
  lenses: UsedBy[]
  webhooks: UsedBy[]
}

/** What uses an object, as it was found. */
export interface FoundUsage<Usage> {
  readonly usage: Usage
  /** The number of the last change of the workspace by then, or of an earlier one. */
  readonly upTo: number
}

/**
 * Finds what uses an object. This reads every stored filter tree, which takes long where they are long: a write takes what a
 * read has found before it.
 */
export interface UsageFinder<Named, Usage> {
  find(reader: Reader, workspace: number, named: Named): FoundUsage<Usage>
  /** The users of an object in a transaction: reads again only what changed since they were found. */
  now(reader: Reader, workspace: number, named: Named, found: FoundUsage<Usage>): Usage
}

/** What applying a preset does to the properties of a note, by key. */
export interface PresetPlan {
  readonly values: Readonly<Record<string, unknown>>
  readonly kept: string[]
  readonly unanswered: string[]
}

/** What is sent with a preset. */
export interface PresetInput {
  readonly answers?: Readonly<Record<string, unknown>> | undefined
  /** The IANA name of the time zone of its date and time. */
  readonly tz?: string | undefined
}

/** A preset, and what is sent with it. */
export interface OpenedPreset {
  readonly tagIds: readonly number[]
  /** Its text with the holes filled in for a note of this title; empty for none. */
  contentFor(title: string): string
  /** What is written onto a note with these values; refuses answers that it does not ask for. */
  plan(noteValues: Readonly<Record<string, unknown>>, overwrite?: boolean): PresetPlan
}

/** How many objects of each kind a workspace holds, apart from its notes, in the order in which responses show them. */
export interface FeatureCounts {
  structures: number
  records: number
  tags: number
  properties: number
  presets: number
  views: number
  lenses: number
  quick_access: number
  files: number
  webhooks: number
  sources: number
  row_views: number
}

/**
 * What a feature calls in the features that build on it, so that it does not import them. `features.ts` implements it.
 * Functions with a `Tx` run in the transaction of the change.
 */
export interface FeatureHooks {
  readonly findStanding: FindStanding
  readonly usageOfTag: UsageFinder<number, TagUsage>
  readonly usageOfProperty: UsageFinder<{ pk: number; id: string }, PropertyUsage>
  /** What refers to a field of a structure, in words for who asks. */
  usageOfField(reader: Reader, structurePk: number, key: string, caller: ChangeAuthor): string[]
  /** By id or name; refuses an unknown one. */
  openPreset(tx: Tx, caller: InWorkspace, idOrName: string, input: PresetInput): OpenedPreset
  onNoteTrashed(tx: Tx, author: ChangeAuthor, notePk: number): void
  onTagDeleted(tx: Tx, author: ChangeAuthor, tag: number): void
  onStructureDeleted(tx: Tx, author: ChangeAuthor, structurePk: number): void
  countsOf(reader: Reader, caller: InWorkspace): FeatureCounts
  /** What becomes an event at its instant. */
  readonly moments: readonly Moments[]
  /** All kinds of jobs; they take turns in this order. */
  readonly jobs: readonly Job[]
}

const SINGULAR = { views: 'view', presets: 'preset', lenses: 'lens', webhooks: 'webhook' } as const
type Kind = keyof typeof SINGULAR

/**
 * Refuses with `in_use` while anything uses the object, with the kind and name of every user: `The tag "work" is used
 * by the views "Due" and "Open" and the lens "Map"; change those first.`
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
