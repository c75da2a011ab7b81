import type { InWorkspace } from './context.ts'
import type { FindPermissions } from './kernel/caller.ts'
import type { Job } from './kernel/jobs.ts'
import { Refusal } from './lib/refusal.ts'
import { quoteList } from './lib/text.ts'
import type { ChangeAuthor } from './log/log.ts'
import type { Reader } from './storage/reader.ts'
import type { Tx } from './storage/writes/transaction.ts'

/** An object that refers to another one and thereby prevents its deletion. */
export interface UsedBy {
  id: string
  name: string
}

/** The part of a view that refers to a property. */
export type ViewRole = 'filter' | 'sort' | 'display'

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
export interface UsageFinder<Named, Usage> {
  find(reader: Reader, workspace: number, named: Named): FoundUsage<Usage>
  /** The usage of an object, in a transaction: reads only what changed since `found`. */
  now(reader: Reader, workspace: number, named: Named, found: FoundUsage<Usage>): Usage
}

/** The effect of a preset on the properties of a note, by key. */
export interface PresetPlan {
  readonly values: Readonly<Record<string, unknown>>
  readonly kept: string[]
  readonly unanswered: string[]
}

/** The input for a preset. */
export interface PresetInput {
  readonly answers?: Readonly<Record<string, unknown>> | undefined
  /** The IANA name of the time zone for its date and time. */
  readonly tz?: string | undefined
}

/** A preset with its input. */
export interface OpenedPreset {
  readonly tagIds: readonly number[]
  /** Its text for a note of this title, with the placeholders filled in; empty if it has no text. */
  contentFor(title: string): string
  /** The effect on a note with these values; refuses answers to prompts that the preset does not have. */
  plan(noteValues: Readonly<Record<string, unknown>>, overwrite?: boolean): PresetPlan
}

/** The number of objects of each kind except notes in a workspace, in the order of responses. */
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
 * Functions through which a feature calls the features that build on it without importing them. `features.ts`
 * implements them. Functions with a `Tx` run in the transaction of the change.
 */
export interface FeatureHooks {
  readonly findPermissions: FindPermissions
  readonly usageOfTag: UsageFinder<number, TagUsage>
  readonly usageOfProperty: UsageFinder<{ pk: number; id: string }, PropertyUsage>
  /** Descriptions of the references to a field of a structure, for the caller. */
  usageOfField(reader: Reader, structurePk: number, key: string, caller: ChangeAuthor): string[]
  /** By id or name; refuses an unknown one. */
  openPreset(tx: Tx, caller: InWorkspace, idOrName: string, input: PresetInput): OpenedPreset
  onNoteTrashed(tx: Tx, author: ChangeAuthor, notePk: number): void
  onTagDeleted(tx: Tx, author: ChangeAuthor, tag: number): void
  onStructureDeleted(tx: Tx, author: ChangeAuthor, structurePk: number): void
  countsOf(reader: Reader, caller: InWorkspace): FeatureCounts
  /** All kinds of jobs, in scheduling order. */
  readonly jobs: readonly Job[]
}

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
