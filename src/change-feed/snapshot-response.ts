import type { AppContext, Caller } from '../context.ts'
import { markStreamed } from '../http/responses.ts'
import type { RequestContext } from '../http/routes.ts'
import { closedSentence } from '../http/sse.ts'
import type { CredentialMonitor } from '../sessions/credential-monitor.ts'
import { snapshotLines } from './snapshot.ts'

const HEADERS = { 'Content-Type': 'application/x-ndjson', 'Cache-Control': 'no-store' }

/**
 * Sends a snapshot; each part is read when the client has taken those before it. It is broken off when the key or the
 * session ends.
 */
export function snapshotResponse(
  ctx: AppContext,
  { request, caller }: RequestContext<Caller>,
  credentials: CredentialMonitor,
): Response {
  if (request.method === 'HEAD') return new Response(null, { headers: HEADERS })
  const gone = new AbortController()
  const lines = snapshotLines(ctx, caller, gone.signal)
  let release = () => {}
  const breakOff = (controller: ReadableStreamDefaultController, error: unknown) => {
    release()
    if (gone.signal.aborted) return
    gone.abort()
    ctx.log.warn('a snapshot was broken off', { error: String(error) })
    controller.error(error)
  }
  const stream = new ReadableStream<Uint8Array>(
    {
      start: (controller) => {
        release = credentials.onEnd(caller, (why) => breakOff(controller, new Error(closedSentence(why))))
        if (gone.signal.aborted) release()
      },
      pull: async (controller) => {
        try {
          const next = await lines.next()
          if (gone.signal.aborted) return
          if (!next.done) return controller.enqueue(next.value)
          release()
          controller.close()
        } catch (error) {
          breakOff(controller, error)
        }
      },
      cancel: () => {
        release()
        gone.abort()
      },
    },
    { highWaterMark: 0 },
  )
  return markStreamed(new Response(stream, { headers: HEADERS }))
}
