import { positionAfter } from '../changes/epochs.ts'
import { ChangeWriter, changesOfObject } from '../changes/read.ts'
import type { InWorkspace } from '../context.ts'
import type { Reader } from '../db/reader.ts'
import { fail, notFound } from '../refusal.ts'
import { findStructureByPk } from '../structures/store.ts'
import { findRecord, type RecordRow } from './store.ts'

const DEFAULT_LIMIT = 50

/** A record of the workspace, live or deleted. */
export function getAnyRecord(reader: Reader, { workspacePk }: InWorkspace, id: string): RecordRow {
  const row = findRecord(reader, id)
  const structure = row && findStructureByPk(reader, workspacePk, row.structure)
  return row && structure ? row : fail(notFound('record'))
}

/** The versions of a row as JSON text, newest first, as far back as the log is kept. */
export function historyResponse(
  reader: Reader,
  caller: InWorkspace,
  id: string,
  { limit = DEFAULT_LIMIT, before }: { limit?: number; before?: string },
): string {
  const { workspacePk } = caller
  const end = before === undefined ? undefined : positionAfter(reader, workspacePk, before, 'before')
  getAnyRecord(reader, caller, id)
  const changes = changesOfObject(reader, workspacePk, id, { before: end, limit: limit + 1 })
  const writer = new ChangeWriter(reader, workspacePk)
  const versions = changes.slice(0, limit).map((change) => `{${writer.versionMembers(change)}}`)
  return `{"versions":[${versions.join(',')}],"has_more":${changes.length > limit}}`
}
