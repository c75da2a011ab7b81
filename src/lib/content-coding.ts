import { nodeZlib } from './node-modules.ts'

/* Content codings (RFC 9110, section 8.4.1). */

export type Coding = 'zstd' | 'gzip'

/** More bytes are compressed in a thread of the runtime. */
const MOST_AT_ONCE = 65_536

/** The coding that `Accept-Encoding` prefers, zstd among equals; undefined for an uncompressed response. */
export function acceptedCoding(header: string): Coding | undefined {
  const weights = new Map<string, number>()
  for (const part of header.toLowerCase().split(',')) {
    const [name = '', ...parameters] = part.split(';').map((text) => text.trim())
    const [, weight = '1'] = /^q\s*=\s*([01](?:\.\d{0,3})?)$/.exec(parameters[0] ?? '') ?? []
    if (name !== '') weights.set(name, Number(weight))
  }
  const weightOf = (coding: Coding) => weights.get(coding) ?? weights.get('*') ?? 0
  const best = weightOf('gzip') > weightOf('zstd') ? 'gzip' : 'zstd'
  return weightOf(best) > 0 && weightOf(best) >= (weights.get('identity') ?? 0) ? best : undefined
}

/** Compresses bytes, at once if they are few. */
export function compress(
  coding: Coding,
  bytes: Uint8Array<ArrayBuffer>,
): Uint8Array<ArrayBuffer> | Promise<Uint8Array<ArrayBuffer>> {
  if (bytes.length <= MOST_AT_ONCE) return AT_ONCE[coding](bytes)
  return compressLater(coding, bytes)
}

const AT_ONCE: Readonly<Record<Coding, (bytes: Uint8Array<ArrayBuffer>) => Uint8Array<ArrayBuffer>>> = {
  zstd: (bytes) => new Uint8Array(Bun.zstdCompressSync(bytes)),
  gzip: (bytes) => Bun.gzipSync(bytes),
}

function compressLater(coding: Coding, bytes: Uint8Array): Promise<Uint8Array<ArrayBuffer>> {
  const { gzip, zstdCompress } = nodeZlib()
  const { promise, resolve, reject } = Promise.withResolvers<Uint8Array<ArrayBuffer>>()
  const done = (error: Error | null, shorter: Uint8Array) =>
    error ? reject(error) : resolve(new Uint8Array(shorter))
  if (coding === 'zstd') zstdCompress(bytes, done)
  else gzip(bytes, done)
  return promise
}

function newStream(coding: Coding) {
  const { constants, createGzip, createZstdCompress } = nodeZlib()
  return coding === 'zstd'
    ? { stream: createZstdCompress(), flush: constants.ZSTD_e_flush }
    : { stream: createGzip(), flush: constants.Z_SYNC_FLUSH }
}

/** Compresses a stream. Each part is flushed before the next one is awaited, so that nothing is held back. */
export function compressStream(coding: Coding, body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  const { stream, flush } = newStream(coding)
  let parts: Uint8Array[] = []
  stream.on('data', (part: Uint8Array) => void parts.push(part))
  // An error rejects what waits for the stream. After a cancellation nothing does, and it is no failure.
  stream.on('error', () => {})
  const taken = () => {
    const bytes = new Uint8Array(Buffer.concat(parts))
    parts = []
    return bytes
  }
  const flushed = (part: Uint8Array) =>
    new Promise<void>((resolve, reject) => {
      stream.once('error', reject)
      stream.write(part)
      stream.flush(flush, () => {
        stream.off('error', reject)
        resolve()
      })
    })
  const ended = () =>
    new Promise<void>((resolve, reject) => {
      stream.once('error', reject).once('end', resolve).end()
    })
  return new ReadableStream(
    {
      async pull(controller) {
        let bytes = taken()
        while (bytes.length === 0) {
          const { value, done } = await reader.read().catch((error) => {
            stream.destroy()
            throw error
          })
          if (done) await ended()
          else await flushed(value)
          bytes = taken()
          if (bytes.length > 0) controller.enqueue(bytes)
          if (done) return controller.close()
        }
      },
      async cancel(reason) {
        stream.destroy()
        await reader.cancel(reason)
      },
    },
    { highWaterMark: 0 },
  )
}
