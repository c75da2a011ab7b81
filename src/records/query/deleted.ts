import { type AppContext, type Caller, type InWorkspace, placeOf } from '../../context.ts'
import type { WorkerQuery } from '../../db/worker/client.ts'
import { hasMore, type PageRequest, pageRequest } from '../../http/pagination.ts'
import type { JsonBody } from '../../http/responses.ts'
import { invalid } from '../../refusal.ts'
import { getStructure } from '../../structures/store.ts'
import { pageResponse } from '../present.ts'
import { loadPage } from '../store.ts'
import type { ListRequest } from './list.ts'
import { parseRequest } from './row-query.ts'

interface DeletedInput {
  readonly caller: InWorkspace
  readonly structure: string
  readonly page: PageRequest
}

const DELETED = 'FROM records WHERE structure = ? AND deleted_at IS NOT NULL'

/** One page of the deleted rows of a structure, most recently deleted first, as the body of the response. */
export async function listDeletedRecords(
  ctx: AppContext,
  caller: Caller,
  request: ListRequest,
): Promise<JsonBody> {
  refuseOthers(request)
  parseRequest(request)
  const { structure = '' } = request
  const input = { caller: placeOf(caller), structure, page: pageRequest(request) }
  return ctx.worker.run(deletedQuery, input, caller)
}

/** Deleted rows are in no table by which they could be filtered or sorted. */
function refuseOthers(request: ListRequest): void {
  const other = (['view', 'filter', 'search', 'sort', 'direction'] as const).find(
    (name) => request[name] !== undefined,
  )
  if (!other) return
  throw invalid(
    `"${other}" does not go with "deleted": deleted rows come most recently deleted first, all of them. Leave it out.`,
  )
}

export const deletedQuery: WorkerQuery<DeletedInput, JsonBody> = {
  name: 'records.deleted',
  run: (reader, { caller, structure: name, page }) => {
    const structure = getStructure(reader, caller, name, 'read').pk
    const stop = reader.sql.stopCondition('pk').text
    const total = reader.sql.scalar<number>(`SELECT count(*) ${DELETED} AND ${stop}`, structure)
    const pks = reader.sql.column<number>(
      `SELECT pk ${DELETED} AND ${stop} ORDER BY deleted_at DESC, pk DESC LIMIT ? OFFSET ?`,
      structure,
      page.limit,
      page.offset,
    )
    const rows = loadPage(reader, pks)
    return pageResponse({ rows, total, hasMore: hasMore(page, { items: rows, total }) })
  },
}
