import { contentOf } from '../data/files.ts'
import { fetchBytes, request } from '../data/request.ts'

/*
 * The images of the stored notes, up to a limit. The service worker serves them while the server cannot be reached.
 */

/** The cache of the images; the service worker uses the same name. */
const PICTURES = 'daybook-pictures'
const MAX_BYTES = 100_000_000
const MAX_PICTURE_BYTES = 10_000_000

interface Stored {
  readonly id: string
  readonly mime_type: string
  readonly size: number
}

const NOTHING = { count: 0, bytes: 0 }

const MENTIONED = /(?:\[\[file:|\/v1\/files\/)([0-9a-f-]{36})/gi

/** Stores the images in these texts, those of the last text first, and deletes all others. Returns their number and size. */
export async function keepPictures(texts: readonly string[]): Promise<{ count: number; bytes: number }> {
  // Pages without HTTPS have no caches.
  if (!('caches' in globalThis)) return NOTHING
  const mentioned = texts.toReversed().flatMap((text) => [...text.matchAll(MENTIONED)].map(([, id]) => id))
  if (mentioned.length === 0 && !(await caches.has(PICTURES))) return NOTHING
  const { files } = await request<{ files: readonly Stored[] }>('GET', '/v1/files', { isFresh: true })
  const byId = new Map(files.map((file) => [file.id, file]))
  const wanted = new Set<string>()
  let bytes = 0
  for (const id of new Set(mentioned)) {
    const { mime_type = '', size = 0 } = byId.get(id?.toLowerCase() ?? '') ?? {}
    const isKept = mime_type.startsWith('image/') && size <= MAX_PICTURE_BYTES
    if (!isKept || bytes + size > MAX_BYTES) continue
    wanted.add(contentOf(id?.toLowerCase() ?? ''))
    bytes += size
  }
  const cache = await caches.open(PICTURES)
  const current = (await cache.keys()).map(({ url }) => new URL(url).pathname)
  for (const path of current) if (!wanted.has(path)) await cache.delete(path)
  for (const path of wanted)
    if (!current.includes(path)) {
      const picture = await fetchBytes(path)
      await cache.put(path, new Response(picture, { headers: { 'Content-Type': picture.type } }))
    }
  return { count: wanted.size, bytes }
}

export const emptyPictures = async (): Promise<void> => void (await caches.delete(PICTURES))
