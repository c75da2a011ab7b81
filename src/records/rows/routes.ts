import type { AppContext } from '../../context.ts'
import { applicationEndpoints, endpoints } from '../../http/endpoints.ts'
import { eventStream, lastEventId } from '../../http/sse.ts'
import { convertField, tryConversion } from './convert.ts'
import { readRecord, recordHistory } from './one-record.ts'
import { readBoard, readDays } from './query/board.ts'
import { listRecords } from './query/list.ts'
import { summariseRecords } from './query/summary.ts'
import * as schema from './schema.ts'
import type { Watches } from './watches.ts'
import { deleteRecord, patchRecord, restoreRecord, revertRecord } from './writing/one-record.ts'
import { writeRows } from './writing/write-records.ts'

export function recordRoutes(ctx: AppContext, watches: Watches) {
  return endpoints('Records', '/v1/records', 'structures')
    .get('', ({ exchange, query }) => exchange.call(listRecords, query), {
      access: 'read',
      query: schema.ListQuery,
      response: schema.RecordsResponse,
      operationId: 'listRecords',
      summary: 'List, filter and sort the rows of a structure',
      description: schema.LIST_DESCRIPTION,
    })
    .post('', ({ exchange, body }) => exchange.create(writeRows, { body }), {
      access: 'write',
      once: true,
      body: schema.WriteBody,
      response: schema.WrittenResponse,
      operationId: 'writeRecords',
      summary: 'Write one row or a batch, whole or not at all',
      description:
        'Either `data`, one row, or `rows`, up to 500. When one row is refused nothing is written, and the sentence names the row. With `on_conflict: update` a row that collides in a unique field updates the one it collides with. In a structure with `max_rows: 1` the new row replaces the old.',
    })
    .get(
      '/watch',
      ({ exchange, caller, query }) =>
        eventStream(ctx, exchange, watches.watch(caller, query, lastEventId(exchange))),
      {
        access: 'stream',
        query: schema.WatchQuery,
        response: schema.WatchStream,
        operationId: 'watchRecords',
        summary: 'The answer of the list, now and after every change',
        description: schema.WATCH_DESCRIPTION,
      },
    )
    .get('/summary', ({ exchange, query }) => exchange.call(summariseRecords, query), {
      access: 'read',
      query: schema.SummaryQuery,
      response: schema.SummaryResponse,
      operationId: 'summariseRecords',
      summary: 'Count, sum, average, least and greatest, per period or per value',
      description:
        'One bucket per period, per value of `by`, or per pair of both; without either exactly one. Weeks begin on Monday. Rows without a date have `period` null and come last. The operators of `filter` are in the description of `GET /v1/records`.',
    })
    .get('/board', ({ exchange, query }) => exchange.call(readBoard, query), {
      access: 'read',
      query: schema.BoardQuery,
      response: schema.BoardResponse,
      operationId: 'readBoard',
      summary: 'The rows in columns, one for each value of a field',
      description:
        'The options of the field in their order, then other values in use, ascending, then null; of a `bool` false, true and null. More of a column: `GET /v1/records` with its value, by `eq` or `is_empty`.',
    })
    .get('/:id', ({ exchange, params, query }) => exchange.call(readRecord, { ...params, ...query }), {
      access: 'read',
      entity: true,
      query: schema.FoundRecordQuery,
      response: schema.FoundRecordResponse,
      operationId: 'getRecord',
      summary: 'Read a row',
      description: '`structure_id` says which structure it belongs to. A deleted row is not found.',
    })
    .get(
      '/:id/history',
      ({ exchange, params, query }) => exchange.call(recordHistory, { ...params, ...query }),
      {
        access: 'read',
        cursor: true,
        query: schema.HistoryQuery,
        response: schema.HistoryResponse,
        operationId: 'listRecordHistory',
        summary: 'List the changes of a row, newest first',
        description:
          'Each with its time and author, as far back as the change log reaches; works for deleted rows.',
      },
    )
    .post('/:id/revert', ({ exchange, params, body }) => exchange.call(revertRecord, { ...params, body }), {
      access: 'write',
      cursor: true,
      body: schema.RevertBody,
      response: schema.RecordResponse,
      operationId: 'revertRecord',
      summary: 'Set a row back to how it was after a change',
      description:
        'An update like any other, under all rules and with its event. A deleted row is not found: restore it first.',
    })
    .patch('/:id', ({ exchange, params, body }) => exchange.create(patchRecord, { ...params, body }, 200), {
      access: 'write',
      entity: true,
      once: true,
      body: schema.PatchBody,
      response: { 200: schema.RecordResponse },
      operationId: 'updateRecord',
      summary: 'Merge values into a row',
      description:
        'Only the keys that are sent are checked and changed. With `if_unchanged` the call is refused (409) when the row changed since it was read. The rows of an immutable structure are never edited.',
    })
    .delete('/:id', ({ exchange, params }) => exchange.call(deleteRecord, params), {
      access: 'write',
      entity: true,
      response: schema.DeletedRecordResponse,
      operationId: 'deleteRecord',
      summary: 'Delete a row; it can be restored',
      description:
        'Subscriptions receive `record.deleted`. `POST /v1/records/{id}/restore` brings the row back.',
    })
    .post('/:id/restore', ({ exchange, params }) => exchange.call(restoreRecord, params), {
      access: 'write',
      response: schema.RecordResponse,
      operationId: 'restoreRecord',
      summary: 'Bring a deleted row back',
      description:
        'It keeps its `id` and `created_at` and is checked like a new row. Subscriptions receive `record.created`. A row that is not deleted is not found.',
    })
}

/** Routes for field conversions of structures with rows. */
export function conversionRoutes() {
  return endpoints('Structures', '/v1/records/structures', 'structures').post(
    '/:nameOrId/convert',
    ({ exchange, params, body }) =>
      exchange.call(body.dry_run ? tryConversion : convertField, { ...params, body }),
    {
      access: 'write',
      body: schema.ConvertBody,
      response: schema.ConvertedResponse,
      operationId: 'convertField',
      summary: 'Give a field another type: a new field with its values',
      description:
        'Values are read as `import` reads the cells of a column. The old field is hidden and keeps all of them; what cannot be read stays in it alone. One transaction, of at most 200,000 rows, with the log entries and events of any change of these rows.',
    },
  )
}

/** The rows of a calendar, for the application only. */
export const recordDayRoutes = () =>
  applicationEndpoints('structures').get(
    '/records/days',
    ({ exchange, query }) => exchange.call(readDays, query),
    { access: 'session', query: schema.DaysQuery, response: schema.BoardResponse },
  )
