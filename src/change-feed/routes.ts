import { checkCursor } from '../changes/cursors.ts'
import { CHANGE_KINDS } from '../changes/entries.ts'
import type { AppContext } from '../context.ts'
import { type JsonBody, jsonResponse } from '../http/responses.ts'
import { type RequestContext, routes } from '../http/routes.ts'
import { eventStream, lastEventId } from '../http/sse.ts'
import { parseFeedRequest, startPosition } from './feed.ts'
import { checkBackwards, newestFirst } from './newest-first.ts'
import * as schema from './schema.ts'
import { snapshotResponse } from './snapshot-response.ts'
import type { ChangeSubscribers } from './subscribers.ts'
import { listTransactions } from './transactions.ts'
import { undo } from './undo.ts'

const wantsStream = ({ request }: RequestContext): boolean =>
  request.headers.get('accept')?.includes('text/event-stream') ?? false

export const changeRoutes = (ctx: AppContext, subscribers: ChangeSubscribers) =>
  routes('Changes', '/v1/changes')
    .get(
      '/',
      'listChanges',
      'What changed in the workspace, in order; also as a stream',
      async (request) => {
        const { caller, query } = request
        const isStream = wantsStream(request)
        const { before } = query
        if (before !== undefined) {
          checkBackwards({ ...query, before, isStream })
          return jsonResponse(await newestFirst(ctx, caller, { ...query, before }))
        }
        const after = (isStream ? lastEventId(request) : null) ?? query.after
        if (after !== undefined && after !== 'now') checkCursor(after, 'after')
        const wanted = parseFeedRequest(ctx.db, caller, query, CHANGE_KINDS)
        const position = startPosition(ctx.db, caller.workspacePk, after)
        if (isStream) return eventStream(ctx, request, subscribers.stream(caller, wanted, position))
        const { changes } = await subscribers.readWithin(wanted, position, caller, query.wait ?? 0)
        return jsonResponse(changes as JsonBody)
      },
      {
        tokenInQuery: true,
        cursor: true,
        query: schema.ChangesQuery,
        response: schema.ChangesResponse,
        description: schema.FEED_DESCRIPTION,
      },
    )
    .get(
      '/transactions',
      'listTransactions',
      'What changed in the workspace, write by write, newest first',
      async ({ caller, query }) => jsonResponse(await listTransactions(ctx, caller, query)),
      {
        cursor: true,
        query: schema.TransactionsQuery,
        response: schema.TransactionsResponse,
        description: schema.TRANSACTIONS_DESCRIPTION,
      },
    )
    .get(
      '/snapshot',
      'getSnapshot',
      'Every live object of the workspace, and the place in the log to go on from',
      (request) => snapshotResponse(ctx, request),
      { response: schema.SnapshotLines, description: schema.SNAPSHOT_DESCRIPTION },
    )
    .post(
      '/undo',
      'undo',
      'Take back a transaction',
      async ({ caller, body }) => {
        const { undone, transaction } = await undo(ctx, caller, body)
        return { undone: undone.map(({ kind, id, op }) => ({ kind, id, op })), transaction }
      },
      {
        write: true,
        cursor: true,
        body: schema.UndoBody,
        response: schema.UndoResponse,
        description: schema.UNDO_DESCRIPTION,
      },
    )
