import type { Static } from '@sinclair/typebox'
import { checkAbility } from '../access/rights.ts'
import { getPosition } from '../changes/cursors.ts'
import { ChangeWriter, eachChange, selectOfObject } from '../changes/read.ts'
import { type Caller, type InWorkspace, placeOf } from '../context.ts'
import type { Reader } from '../db/reader.ts'
import type { WorkerClient, WorkerQuery } from '../db/worker/client.ts'
import { encoded, type JsonBody } from '../http/responses.ts'
import { notFound } from '../refusal.ts'
import { findStructureByPk } from '../structures/store.ts'
import type { HistoryQuery } from './schema.ts'

const DEFAULT_LIMIT = 50

/** Whether a record of the workspace is live; undefined where there is no such record, live or deleted. */
export function isLive(reader: Reader, caller: InWorkspace, id: string): boolean | undefined {
  const row = reader.sql.get<{ structure: number; isLive: number }>(
    'SELECT structure, deleted_at IS NULL AS isLive FROM records WHERE id = ?',
    id,
  )
  const structure = row && findStructureByPk(reader, caller, row.structure)
  if (!structure) return undefined
  checkAbility(caller.rights, structure, 'read')
  return row.isLive === 1
}

type HistoryRequest = Static<typeof HistoryQuery>

interface HistoryInput extends HistoryRequest {
  readonly caller: InWorkspace
  readonly id: string
}

/** A page with more text than this ends early. */
const MAX_PAGE_LENGTH = 2_097_152

/** The versions of a row as JSON text, newest first, as far back as the log is kept. */
export const historyQuery: WorkerQuery<HistoryInput, JsonBody> = {
  name: 'records.history',
  run: (reader, { caller, id, limit = DEFAULT_LIMIT, before }) => {
    const { workspacePk } = caller
    const end = before === undefined ? undefined : getPosition(reader, workspacePk, before, 'before')
    if (isLive(reader, caller, id) === undefined) throw notFound('record')
    const range = { before: end, limit: limit + 1 }
    const writer = new ChangeWriter(reader, workspacePk)
    const versions: string[] = []
    let length = 0
    let hasMore = false
    for (const change of eachChange(reader, selectOfObject(reader, workspacePk, id, range))) {
      hasMore = versions.length === limit || length > MAX_PAGE_LENGTH
      if (hasMore) break
      const version = `{${writer.versionMembers(change)}}`
      versions.push(version)
      length += version.length
    }
    return encoded(`{"versions":[${versions.join(',')}],"has_more":${hasMore}}`)
  },
}

/** The same as the body of a response. */
export const historyResponse = (
  { worker }: { readonly worker: WorkerClient },
  caller: Caller,
  id: string,
  request: HistoryRequest,
): Promise<JsonBody> => worker.run(historyQuery, { ...request, caller: placeOf(caller), id }, caller)
