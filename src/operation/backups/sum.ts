import type { OnProgress } from './target.ts'

type Chunks = AsyncIterable<Uint8Array>

/** Size and SHA-256 of the content of an object. */
export interface Sum {
  readonly size: number
  readonly sha256: string
}

/** Passes chunks on, and sums those that were passed. Ends early once they are longer than `limit` bytes. */
export function summed(
  chunks: Chunks,
  {
    limit = Number.POSITIVE_INFINITY,
    onProgress = () => {},
  }: { limit?: number; onProgress?: OnProgress } = {},
): { readonly chunks: Chunks; sum(): Sum } {
  const hash = new Bun.CryptoHasher('sha256')
  let size = 0
  async function* pass() {
    for await (const chunk of chunks) {
      onProgress()
      size += chunk.length
      if (size > limit) return
      hash.update(chunk)
      yield chunk
    }
  }
  return { chunks: pass(), sum: () => ({ size, sha256: hash.digest('hex') }) }
}

export async function sumOf(chunks: Chunks, limit: number): Promise<Sum> {
  const content = summed(chunks, { limit })
  for await (const _ of content.chunks);
  return content.sum()
}
