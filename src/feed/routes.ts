import type { AppContext } from '../context.ts'
import { endpoints } from '../http/endpoints.ts'
import type { Exchange } from '../http/exchange.ts'
import { type JsonBody, jsonResponse } from '../http/responses.ts'
import { eventStream, lastEventId } from '../http/sse.ts'
import { apply } from './apply.ts'
import { beginStream, checkBackwards, readChanges, readNewestFirst } from './feed.ts'
import * as schema from './schema.ts'
import { snapshotResponse } from './snapshot.ts'
import type { ChangeSubscribers } from './subscribers.ts'
import { listTransactions } from './transactions.ts'
import { undo } from './undo.ts'

const wantsStream = ({ request }: Exchange): boolean =>
  request.headers.get('accept')?.includes('text/event-stream') ?? false

const OK = 200

export function changeRoutes(ctx: AppContext, subscribers: ChangeSubscribers) {
  return endpoints('Changes', '/v1/changes', 'several')
    .get(
      '',
      async ({ exchange, query: request }) => {
        const isStream = wantsStream(exchange)
        const { before, wait = 0 } = request
        if (before !== undefined) {
          checkBackwards({ ...request, before, isStream })
          return exchange.call(readNewestFirst, { ...request, before })
        }
        const { credential } = exchange
        if (isStream) {
          const after = lastEventId(exchange) ?? request.after
          const { query, position } = await exchange.outputOf(beginStream, { ...request, after })
          return eventStream(ctx, exchange, subscribers.stream(credential, query, position))
        }
        const { query, page } = await exchange.outputOf(readChanges, request)
        const { changes } = await subscribers.waitBehind(page, credential, query, wait)
        return jsonResponse(changes as JsonBody)
      },
      {
        access: 'stream',
        cursor: true,
        query: schema.ChangesQuery,
        response: schema.ChangesResponse,
        operationId: 'listChanges',
        summary: 'Changes in the workspace, in order; also as a stream',
        description: schema.FEED_DESCRIPTION,
      },
    )
    .get('/transactions', ({ exchange, query }) => exchange.call(listTransactions, query), {
      access: 'read',
      cursor: true,
      query: schema.TransactionsQuery,
      response: schema.TransactionsResponse,
      operationId: 'listTransactions',
      summary: 'Transactions of the workspace, newest first',
      description: schema.TRANSACTIONS_DESCRIPTION,
    })
    .get('/snapshot', ({ exchange, query }) => snapshotResponse(ctx, exchange, query), {
      access: 'read',
      query: schema.SnapshotQuery,
      response: schema.SnapshotLines,
      operationId: 'getSnapshot',
      summary: 'Every live object of the workspace, and the place in the log to go on from',
      description: schema.SNAPSHOT_DESCRIPTION,
    })
    .post('/apply', ({ exchange, body }) => exchange.create(apply, { body }, OK), {
      access: 'write',
      once: true,
      body: schema.ApplyBody,
      response: { 200: schema.ApplyResponse },
      operationId: 'applyChanges',
      summary: 'Write changes of many notes and records at once',
      description: schema.APPLY_DESCRIPTION,
    })
    .post('/undo', ({ exchange, body }) => exchange.call(undo, { body }), {
      access: 'write',
      cursor: true,
      body: schema.UndoBody,
      response: schema.UndoResponse,
      operationId: 'undo',
      summary: 'Take back a transaction',
      description: schema.UNDO_DESCRIPTION,
    })
}
