/** Request headers that ask for what `streamOf` can read. */
export const ACCEPTED = { 'Accept-Encoding': 'gzip' }

/**
 * The bytes of a response that was fetched with `decompress: false`: the runtime decompresses everything that has
 * arrived, however little of it is taken.
 */
export function streamOf({ headers, body }: Response): ReadableStream<Uint8Array> | null {
  if (headers.get('content-encoding') !== 'gzip') return body
  return body?.pipeThrough(new DecompressionStream('gzip')) ?? null
}
