const allowed = (origins: readonly string[], request: Request): string | undefined => {
  const origin = request.headers.get('origin')
  return origin !== null && origins.includes(origin) ? origin : undefined
}

/** The headers that let a page of an allowed origin read the answer; only `Vary` for any other. */
export function corsHeaders(origins: readonly string[], request: Request): [string, string][] {
  const origin = allowed(origins, request)
  if (origin === undefined) return [['Vary', 'Origin']]
  return [
    ['Vary', 'Origin'],
    ['Access-Control-Allow-Origin', origin],
    ['Access-Control-Expose-Headers', 'X-Request-Id, Retry-After, Allow, Idempotent-Replayed'],
  ]
}

/** The answer to a browser's question before a request; whether the origin may is said by `corsHeaders`. */
export const preflight = (methods: string): Response =>
  new Response(null, {
    status: 204,
    headers: {
      'Access-Control-Allow-Methods': methods,
      'Access-Control-Allow-Headers': 'Authorization, Content-Type, Idempotency-Key, Last-Event-ID',
      'Access-Control-Max-Age': '600',
    },
  })
