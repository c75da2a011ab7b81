import type { AppContext } from '../context.ts'
import { jsonResponse } from '../http/responses.ts'
import { routes } from '../http/routes.ts'
import { eventStream, lastEventId } from '../http/sse.ts'
import { historyResponse } from './history.ts'
import { foundResponse, presentBuckets } from './present.ts'
import { listDeletedRecords } from './query/deleted.ts'
import { listResponse } from './query/list.ts'
import { summarise } from './query/summary.ts'
import { shareRecentWrites } from './query/total-cache.ts'
import * as schema from './schema.ts'
import { getRecord } from './store.ts'
import type { Watches } from './watch/watches.ts'
import { deleteRecord, patchRecord, restoreRecord } from './writing/patch-and-delete.ts'
import { revertRecord } from './writing/revert.ts'
import { respondToWrite } from './writing/write-once.ts'

export function recordRoutes(ctx: AppContext, watches: Watches) {
  shareRecentWrites(ctx)
  return routes('Records', '/v1/records')
    .get(
      '/',
      'listRecords',
      'List, filter and sort the rows of a structure',
      async ({ caller, query: { deleted, ...query } }) =>
        jsonResponse(await (deleted ? listDeletedRecords : listResponse)(ctx, caller, query)),
      { query: schema.ListQuery, response: schema.RecordsResponse, description: schema.LIST_DESCRIPTION },
    )
    .post(
      '/',
      'writeRecords',
      'Write one row or a batch, whole or not at all',
      (request) => respondToWrite(ctx, request),
      {
        write: true,
        creates: true,
        body: schema.WriteBody,
        response: schema.WrittenResponse,
        description:
          'Either `data`, one row, or `rows`, up to 500. When one row is refused nothing is written, and the sentence names the row. With `on_conflict: update` a row that collides in a unique field updates the one it collides with. In a structure with `max_rows: 1` the new row replaces the old.',
      },
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
      {
        query: schema.SummaryQuery,
        response: schema.SummaryResponse,
        description:
          'One bucket per period, per value of `by`, or per pair of both; without either exactly one. Weeks begin on Monday. Rows without a date have `period` null and come last. The operators of `filter` are in the description of `GET /v1/records`.',
      },
    )
    .get(
      '/:id',
      'getRecord',
      'Read a row',
      ({ caller, params }) => jsonResponse(foundResponse(getRecord(ctx.db, caller, params.id))),
      {
        response: schema.FoundRecordResponse,
        description: '`structure_id` says which structure it belongs to. A deleted row is not found.',
      },
    )
    .get(
      '/:id/history',
      'listRecordHistory',
      'What changed in a row, when and by whom, newest first',
      async ({ caller, params, query }) => jsonResponse(await historyResponse(ctx, caller, params.id, query)),
      {
        cursor: true,
        query: schema.HistoryQuery,
        response: schema.HistoryResponse,
        description: 'As far back as the change log is kept; also of a deleted row.',
      },
    )
    .post(
      '/:id/revert',
      'revertRecord',
      'Set a row back to how it was after a change',
      async ({ caller, params, body }) => jsonResponse(await revertRecord(ctx, caller, params.id, body.to)),
      {
        write: true,
        cursor: true,
        body: schema.RevertBody,
        response: schema.RecordResponse,
        description:
          'An update like any other, under all rules and with its event. A deleted row is not found: restore it first.',
      },
    )
    .patch(
      '/:id',
      'updateRecord',
      'Merge values into a row',
      async ({ caller, params, body, bodyText }) =>
        jsonResponse(await patchRecord(ctx, caller, params.id, body, bodyText)),
      {
        write: true,
        body: schema.PatchBody,
        response: schema.RecordResponse,
        description:
          'Only the keys that are sent are checked and changed. With `if_unchanged` the call is refused (409) when the row changed since it was read. The rows of an immutable structure are never edited.',
      },
    )
    .delete(
      '/:id',
      'deleteRecord',
      'Delete a row; it can be restored',
      async ({ caller, params }) => {
        await deleteRecord(ctx, caller, params.id)
        return { deleted: true, id: params.id }
      },
      {
        write: true,
        response: schema.DeletedRecordResponse,
        description:
          'Subscriptions receive `record.deleted`. `POST /v1/records/{id}/restore` brings the row back.',
      },
    )
    .post(
      '/:id/restore',
      'restoreRecord',
      'Bring a deleted row back',
      async ({ caller, params }) => jsonResponse(await restoreRecord(ctx, caller, params.id)),
      {
        write: true,
        response: schema.RecordResponse,
        description:
          'It keeps its `id` and `created_at` and is checked like a new row. Subscriptions receive `record.created`. A row that is not deleted is not found.',
      },
    )
}
