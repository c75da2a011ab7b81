import type { AppContext, Caller } from '../context.ts'
import { byteStream } from '../http/byte-stream.ts'
import type { Exchange } from '../http/exchange.ts'
import { markStreamed } from '../http/streamed.ts'
import { snapshotLines } from './snapshot.ts'

const HEADERS = { 'Content-Type': 'application/x-ndjson', 'Cache-Control': 'no-store' }

/** Sends a snapshot; each part is read when the client has taken those before it. */
export function snapshotResponse(ctx: AppContext, exchange: Exchange, caller: Caller): Response {
  if (exchange.request.method === 'HEAD') return new Response(null, { headers: HEADERS })
  const gone = new AbortController()
  const lines = snapshotLines(ctx, caller, gone.signal)
  const body = byteStream(exchange, {
    next: async () => (await lines.next()).value ?? undefined,
    close: (reason) => {
      gone.abort()
      if (reason !== undefined) ctx.log.warn('a snapshot was broken off', { error: String(reason) })
    },
  })
  return markStreamed(new Response(body, { headers: HEADERS }))
}
