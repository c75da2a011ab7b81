/** Request headers for responses that `streamOf` can read. */
export const ACCEPTED = { 'Accept-Encoding': 'gzip' }

/**
 * The bytes of a response that was fetched with `decompress: false`. The runtime would decompress everything that has
 * arrived, however slowly it is read.
 */
export function streamOf({ headers, body }: Response): ReadableStream<Uint8Array> | null {
  if (headers.get('content-encoding') !== 'gzip') return body
  return body?.pipeThrough(new DecompressionStream('gzip')) ?? null
}
