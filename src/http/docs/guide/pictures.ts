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
/** The width and height of a WebP file in pixels (RFC 9649, sections 2.5 and 2.7.1). */
function sizeOf(content: Buffer): readonly [width: number, height: number] {
  if (content.toString('latin1', 12, 16) === 'VP8X')
    return [content.readUIntLE(24, 3) + 1, content.readUIntLE(27, 3) + 1]
  return [content.readUInt16LE(26), content.readUInt16LE(28)]
}

function read(name: string, path: string): GuidePicture {
  const content = readFileSync(embeddedPath(path))
  const [width, height] = sizeOf(content)
  const hash = Bun.hash(content).toString(36)
  return {
    name: `${basename(name, '.webp')}.${hash}.webp`,
    content,
    width: width / SCALE,
    height: height / SCALE,
  }
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
