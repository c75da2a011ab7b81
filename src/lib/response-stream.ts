/** Request headers for responses that `streamOf` can read. */
export const ACCEPTED = { 'Accept-Encoding': 'zstd, gzip' }

/**
 * The bytes of a response that was fetched with `decompress: false`. The runtime would decompress everything that has
 * arrived, however slowly it is read.
 */
export function streamOf({ headers, body }: Response): ReadableStream<Uint8Array> | null {
  const coding = headers.get('content-encoding')
  if (coding !== 'gzip' && coding !== 'zstd') return body
  return body?.pipeThrough(new DecompressionStream(coding)) ?? null
}

const STREAMED = Symbol('streamed')

/** A response whose body is generated while it is sent. */
export const streamedResponse = (body: ReadableStream, init: ResponseInit): Response =>
  Object.assign(new Response(body, init), { [STREAMED]: true })

/** Whether the body of a response is generated while it is sent, so that its length is not known in advance. */
export const isStreamed = (response: Response): boolean => STREAMED in response
