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
