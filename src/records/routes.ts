import type { AppContext } from '../context.ts'
import type { Tx } from '../db/writes/write-queue.ts'
import { respondOnce } from '../http/idempotency/respond-once.ts'
import { jsonResponse } from '../http/responses.ts'
import { routes } from '../http/routes.ts'
import { eventStream, lastEventId } from '../http/sse.ts'
import { foundResponse, pageResponse, presentBuckets, recordResponse, writtenResponse } from './present.ts'
import { listRecords } from './query/list.ts'
import { summarise } from './query/summary.ts'
import { shareRecentWrites } from './recent-writes.ts'
import * as schema from './schema.ts'
import { getRecord } from './store.ts'
import type { Watches } from './watch/watches.ts'
import { deleteRecord, patchRecord, restoreRecord } from './writing/change.ts'
import { checkedWrite, isBatch, writeRecords } from './writing/create.ts'

export function recordRoutes(ctx: AppContext, watches: Watches) {
  shareRecentWrites(ctx)
  return routes('Records', '/v1/records')
    .get(
      '/',
      'listRecords',
      'List, filter and sort the rows of a structure',
      async ({ caller, query }) => jsonResponse(pageResponse(await listRecords(ctx, caller, query))),
      { query: schema.ListQuery, response: schema.RecordsResponse },
    )
    .post(
      '/',
      'writeRecords',
      'Write one row or a batch, whole or not at all',
      (request) => {
        const wanted = checkedWrite(request.body)
        const write = (tx: Tx) => writtenResponse(writeRecords(ctx, tx, request.caller, wanted))
        return respondOnce(ctx.db, request, write, { isLong: isBatch(wanted) })
      },
      { write: true, creates: true, body: schema.WriteBody, response: schema.WrittenResponse },
    )
    .get(
      '/watch',
      'watchRecords',
      'The answer of the list, now and after every change',
      (request) =>
        eventStream(ctx, request, watches.watch(request.caller, request.query, lastEventId(request))),
      {
        tokenInQuery: true,
        query: schema.WatchQuery,
        response: schema.WatchStream,
        description: schema.WATCH_DESCRIPTION,
      },
    )
    .get(
      '/summary',
      'summariseRecords',
      'Count, sum, average, least and greatest, per period or per value',
      async ({ caller, query }) => ({ buckets: presentBuckets(await summarise(ctx, caller, query)) }),
      { query: schema.SummaryQuery, response: schema.SummaryResponse },
    )
    .get(
      '/:id',
      'getRecord',
      'Read a row',
      ({ caller, params }) => jsonResponse(foundResponse(getRecord(ctx.db, caller, params.id))),
      { response: schema.FoundRecordResponse },
    )
    .patch(
      '/:id',
      'updateRecord',
      'Merge values into a row',
      async ({ caller, params, body }) =>
        jsonResponse(recordResponse(await patchRecord(ctx, caller, params.id, body))),
      { write: true, body: schema.PatchBody, response: schema.RecordResponse },
    )
    .delete(
      '/:id',
      'deleteRecord',
      'Delete a row; it can be restored',
      async ({ caller, params }) => {
        await deleteRecord(ctx, caller, params.id)
        return { deleted: true, id: params.id }
      },
      { write: true, response: schema.DeletedRecordResponse },
    )
    .post(
      '/:id/restore',
      'restoreRecord',
      'Bring a deleted row back',
      async ({ caller, params }) => jsonResponse(recordResponse(await restoreRecord(ctx, caller, params.id))),
      { write: true, response: schema.RecordResponse },
    )
}
