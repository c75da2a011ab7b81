import { findWorkspace } from '../account/store.ts'
import type { ChangeKind } from '../changes/entries.ts'
import type { Reader } from '../db/reader.ts'
import type { FeatureHooks } from '../feature-hooks.ts'
import { isoTimestamp } from '../lib/dates.ts'
import { fail, refused } from '../refusal.ts'
import { findState, type MirrorState } from './state.ts'

/** After this time without the remote a copy counts as one that does not follow. */
const SILENCE_MS = 60_000

export const getState = (reader: Reader, file: string): MirrorState =>
  findState(reader) ?? fail(refused(`${file} is no copy of another daybook; name the --db of a mirror.`))

export interface MirrorStatus {
  readonly isFollowing: boolean
  readonly status: {
    readonly remote: string
    readonly workspace: { readonly id: string; readonly name: string }
    readonly cursor: string
    readonly lag_ms: number
    readonly last_contact_at: string
    readonly counts: Readonly<Record<ChangeKind, number>>
  }
}

/** Where a copy is; one that does not follow is behind by the time since it last did. */
export function statusOf(reader: Reader, features: FeatureHooks, file: string, now: number): MirrorStatus {
  const { workspace, remote, cursor, delayMs, lastContactAt } = getState(reader, file)
  const row = findWorkspace(reader, workspace) ?? fail(refused('The copy has no workspace.'))
  const silence = Math.max(0, now - lastContactAt)
  const isFollowing = silence <= SILENCE_MS
  const counts = features.countsOf(reader, workspace)
  return {
    isFollowing,
    status: {
      remote,
      workspace: { id: row.id, name: row.name },
      cursor,
      lag_ms: isFollowing ? delayMs : silence,
      last_contact_at: isoTimestamp(lastContactAt),
      counts: {
        note: row.liveNotes,
        record: counts.records,
        tag: counts.tags,
        property: counts.properties,
        structure: counts.structures,
        preset: counts.presets,
        view: counts.views,
        lens: counts.lenses,
        quick_access_item: counts.quickAccess,
        file: counts.files,
        webhook: counts.webhooks,
      },
    },
  }
}
