/** Browsers draw nothing higher than about 33 million pixels, some only 17; longer lists are scrolled in proportion. */
export const MAX_PX = 12_000_000

/** The rows drawn above and below those that are seen. */
const OVERSCAN = 6

export interface Geometry {
  readonly total: number
  readonly rowPx: number
  /** The height in which rows are seen. */
  readonly viewPx: number
}

/** The height of what is scrolled. */
export const contentPx = ({ total, rowPx }: Geometry): number => Math.min(total * rowPx, MAX_PX)

/** How many pixels of rows one pixel of scrolling passes. */
function ratio(geometry: Geometry): number {
  const all = geometry.total * geometry.rowPx
  const content = contentPx(geometry)
  return all <= content ? 1 : (all - geometry.viewPx) / (content - geometry.viewPx)
}

/** Browsers round heights of millions of pixels, so that the end of scrolling may be so much before that of the rows. */
const END_PX = 2

/** How many pixels of rows are above a position of scrolling. */
function topAt(geometry: Geometry, scrollTop: number): number {
  const { total, rowPx, viewPx } = geometry
  const by = ratio(geometry)
  const isEnd = by > 1 && scrollTop >= contentPx(geometry) - viewPx - END_PX
  return isEnd ? total * rowPx - viewPx : scrollTop * by
}

export interface Slice {
  readonly first: number
  /** The row after the last that is drawn. */
  readonly end: number
  /** The heights of the empty places above and below. */
  readonly beforePx: number
  readonly afterPx: number
  readonly firstSeen: number
  readonly lastSeen: number
}

/** The rows to draw at a position of scrolling. */
export function sliceAt(geometry: Geometry, scrollTop: number): Slice {
  const { total, rowPx, viewPx } = geometry
  const top = topAt(geometry, scrollTop)
  const firstSeen = Math.min(Math.max(total - 1, 0), Math.floor(top / rowPx))
  const lastSeen = Math.max(0, Math.min(total, Math.ceil((top + viewPx) / rowPx)) - 1)
  const first = Math.max(0, firstSeen - OVERSCAN)
  const end = Math.min(total, lastSeen + 1 + OVERSCAN)
  const beforePx = beforePxOf(geometry, scrollTop, top, first)
  const afterPx = Math.max(0, contentPx(geometry) - beforePx - (end - first) * rowPx)
  return { first, end, beforePx, afterPx, firstSeen, lastSeen }
}

/** The height of the rows above those that are drawn; of a list scrolled in proportion, what keeps them in sight. */
function beforePxOf(geometry: Geometry, scrollTop: number, top: number, first: number): number {
  const { rowPx, viewPx } = geometry
  if (ratio(geometry) === 1) return first * rowPx
  const place = Math.min(scrollTop, contentPx(geometry) - viewPx)
  // Whole, because browsers keep parts of a pixel only of small numbers.
  return Math.max(0, Math.round(place - (top - first * rowPx)))
}

/** Where to scroll so that a row is the first that is seen. */
export const scrollTopOf = (geometry: Geometry, row: number): number =>
  Math.ceil((row * geometry.rowPx) / ratio(geometry))

/** Where to scroll so that a row is seen; undefined when it is. */
export function scrollTopFor(geometry: Geometry, scrollTop: number, row: number): number | undefined {
  const { rowPx, viewPx } = geometry
  const by = ratio(geometry)
  const top = topAt(geometry, scrollTop)
  const rowTop = row * rowPx
  if (rowTop < top) return Math.max(0, Math.floor(rowTop / by))
  if (rowTop + rowPx > top + viewPx) return Math.ceil((rowTop + rowPx - viewPx) / by) + (by > 1 ? 1 : 0)
  return undefined
}
