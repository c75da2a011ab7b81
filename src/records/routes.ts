import { Elysia } from 'elysia'
import type { AppContext } from '../context.ts'
import { respondOnce } from '../http/idempotency/respond-once.ts'
import { jsonResponse } from '../http/json.ts'
import { keyed } from '../http/request-context.ts'
import { NoBody, NoQuery } from '../http/schema/types.ts'
import { eventStream } from '../http/sse.ts'
import { pageAnswer, presentBuckets, recordAnswer, writtenAnswer } from './present.ts'
import { listRecords, summarise } from './query/read.ts'
import * as schema from './schema.ts'
import type { Watches } from './watch/watches.ts'
import { deleteRecord, patchRecord, restoreRecord } from './writing/change.ts'
import { checkedWrite, writeRecords } from './writing/create.ts'

const tags = ['Records']

export const recordRoutes = (ctx: AppContext, watches: Watches) =>
  new Elysia({ prefix: '/v1/records' })
    .use(keyed())
    .get('/', async ({ caller, query }) => jsonResponse(pageAnswer(await listRecords(ctx, caller, query))), {
      query: schema.ListQuery,
      response: schema.RecordsAnswer,
      detail: { operationId: 'listRecords', tags, summary: 'List, filter and sort the rows of a structure' },
    })
    .post(
      '/',
      ({ caller, request, body }) => {
        const wanted = checkedWrite(body)
        return respondOnce(ctx.db, request, (tx) => writtenAnswer(writeRecords(ctx, tx, caller, wanted)))
      },
      {
        write: true,
        creates: true,
        query: NoQuery,
        body: schema.WriteBody,
        response: { 201: schema.WrittenAnswer },
        detail: {
          operationId: 'writeRecords',
          tags,
          summary: 'Write one row or a batch, whole or not at all',
        },
      },
    )
    .get(
      '/watch',
      ({ caller, query, request }) =>
        eventStream(ctx, request, watches.watch(caller, query, request.headers.get('last-event-id'))),
      {
        tokenInQuery: true,
        query: schema.WatchQuery,
        response: schema.WatchStream,
        detail: {
          operationId: 'watchRecords',
          tags,
          summary: 'The answer of the list, now and after every change',
          description: schema.WATCH_DESCRIPTION,
        },
      },
    )
    .get(
      '/summary',
      async ({ caller, query }) => ({ buckets: presentBuckets(await summarise(ctx, caller, query)) }),
      {
        query: schema.SummaryQuery,
        response: schema.SummaryAnswer,
        detail: {
          operationId: 'summariseRecords',
          tags,
          summary: 'Count, sum, average, least and greatest, per period or per value',
        },
      },
    )
    .patch(
      '/:id',
      async ({ caller, params, body }) =>
        jsonResponse(recordAnswer(await patchRecord(ctx, caller, params.id, body.data))),
      {
        write: true,
        query: NoQuery,
        body: schema.PatchBody,
        response: schema.RecordAnswer,
        detail: { operationId: 'updateRecord', tags, summary: 'Merge values into a row' },
      },
    )
    .delete(
      '/:id',
      async ({ caller, params }) => {
        await deleteRecord(ctx, caller, params.id)
        return { deleted: true, id: params.id }
      },
      {
        write: true,
        query: NoQuery,
        body: NoBody,
        response: schema.DeletedRecordAnswer,
        detail: { operationId: 'deleteRecord', tags, summary: 'Delete a row; it can be restored' },
      },
    )
    .post(
      '/:id/restore',
      async ({ caller, params }) => jsonResponse(recordAnswer(await restoreRecord(ctx, caller, params.id))),
      {
        write: true,
        query: NoQuery,
        body: NoBody,
        response: schema.RecordAnswer,
        detail: { operationId: 'restoreRecord', tags, summary: 'Bring a deleted row back' },
      },
    )
