import { isJson } from '../responses.ts'

/** Response headers that pages may read, besides the content type. */
const EXPOSED = [
  'X-Request-Id',
  'Retry-After',
  'Allow',
  'Idempotent-Replayed',
  'Content-Disposition',
  'Content-Range',
  'Accept-Ranges',
  'ETag',
  'RateLimit',
  'RateLimit-Policy',
].join(', ')

/** Request headers that pages may send. */
const ALLOWED = [
  'Authorization',
  'Content-Type',
  'Idempotency-Key',
  'Last-Event-ID',
  'Range',
  'If-Range',
  'If-None-Match',
  'If-Match',
  'MCP-Protocol-Version',
  'Mcp-Method',
  'Mcp-Name',
].join(', ')

/** Adds the headers that let a page of an allowed origin read the response; only `Vary` for any other. */
export function addCorsHeaders(headers: Headers, origins: readonly string[], request: Request): void {
  headers.append('Vary', 'Origin')
  const origin = request.headers.get('origin')
  if (origin === null || !origins.includes(origin)) return
  headers.set('Access-Control-Allow-Origin', origin)
  headers.set('Access-Control-Expose-Headers', EXPOSED)
  if (isJson(headers)) headers.set('Cross-Origin-Resource-Policy', 'cross-origin')
}

/** The response to a preflight request; `addCorsHeaders` states whether the origin is allowed. */
export const preflight = (methods: string): Response =>
  new Response(null, {
    status: 204,
    headers: {
      'Access-Control-Allow-Methods': methods,
      'Access-Control-Allow-Headers': ALLOWED,
      'Access-Control-Max-Age': '600',
    },
  })
