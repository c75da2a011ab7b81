import type { Caller } from '../context.ts'
import type { Reader } from '../db/reader.ts'
import { countFiles } from '../files/store.ts'
import { countLenses } from '../lenses/store.ts'
import { countPresets } from '../presets/store.ts'
import { countProperties } from '../properties/store.ts'
import { countItems } from '../quick-access/store.ts'
import { fail, notFound } from '../refusal.ts'
import { countStructures } from '../structures/store.ts'
import { countTags } from '../tags/store.ts'
import { countViews } from '../views/store.ts'
import { countWebhooks } from '../webhooks/store.ts'
import { findWorkspace } from './store.ts'

export interface WorkspaceCounts {
  notes: number
  trashedNotes: number
  structures: number
  records: number
  tags: number
  properties: number
  files: number
  presets: number
  views: number
  lenses: number
  quickAccess: number
  webhooks: number
}

/** The caller's workspace and how much of everything it holds. */
export function getWorkspace(reader: Reader, { workspacePk }: Caller) {
  const row = findWorkspace(reader, workspacePk) ?? fail(notFound('workspace'))
  const counts: WorkspaceCounts = {
    notes: row.liveNotes,
    trashedNotes: row.trashedNotes,
    ...countStructures(reader, workspacePk),
    tags: countTags(reader, workspacePk),
    properties: countProperties(reader, workspacePk),
    files: countFiles(reader, workspacePk),
    presets: countPresets(reader, workspacePk),
    views: countViews(reader, workspacePk),
    lenses: countLenses(reader, workspacePk),
    quickAccess: countItems(reader, workspacePk),
    webhooks: countWebhooks(reader, workspacePk),
  }
  return { row, counts }
}
