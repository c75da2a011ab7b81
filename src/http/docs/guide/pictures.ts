import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import connectedApps from '../../../../scripts/guide/pictures/connected-apps.webp' with { type: 'file' }
import consent from '../../../../scripts/guide/pictures/consent.webp' with { type: 'file' }
import { memoize } from '../../../lib/bounded-cache.ts'
import { embeddedPath } from '../../../lib/program.ts'

/** A picture of the guide, taken by `scripts/pictures`. */
export interface GuidePicture {
  /** With the hash of its content, so that browsers may keep it. */
  readonly name: string
  readonly content: Uint8Array<ArrayBuffer>
  /** In CSS pixels. */
  readonly width: number
  readonly height: number
}

/** Pixels of a picture in one CSS pixel. */
const SCALE = 2
/** The place of width and height in a WebP file without an alpha channel. */
const SIZE_AT = 26

function read(name: string, path: string): GuidePicture {
  const content = readFileSync(embeddedPath(path))
  const [width, height] = [content.readUInt16LE(SIZE_AT) / SCALE, content.readUInt16LE(SIZE_AT + 2) / SCALE]
  const hash = Bun.hash(content).toString(36)
  return { name: `${basename(name, '.webp')}.${hash}.webp`, content, width, height }
}

const FILES: ReadonlyMap<string, string> = new Map([
  ['consent.webp', consent],
  ['connected-apps.webp', connectedApps],
])

/** A picture by its name in `scripts/guide/pictures`; it is read once. */
export const findGuidePicture = memoize((name: string): GuidePicture | undefined => {
  const path = FILES.get(name)
  return path === undefined ? undefined : read(name, path)
})

const YEAR_SECONDS = 31_536_000

/** A picture by its name with its hash; undefined for another one. */
export function guidePictureResponse(name: string): Response | undefined {
  const picture = findGuidePicture(name.replace(/\.\w+(?=\.webp$)/, ''))
  if (picture?.name !== name) return undefined
  return new Response(picture.content, {
    headers: {
      'Content-Type': 'image/webp',
      'Cache-Control': `public, max-age=${YEAR_SECONDS}, immutable`,
      'Content-Security-Policy': "default-src 'none'",
    },
  })
}
