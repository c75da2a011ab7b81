/** Browsers limit heights to 17 or 33 million pixels. Taller lists scroll in proportion. */
export const MAX_PX = 12_000_000

/** Rows drawn above and below the visible ones. */
const OVERSCAN = 6

export interface Geometry {
  readonly total: number
  readonly rowPx: number
  /** Height of the visible area. */
  readonly viewPx: number
}

/** Height of the scrolled content. */
export const contentPx = ({ total, rowPx }: Geometry): number => Math.min(total * rowPx, MAX_PX)

/** Pixels of rows per pixel of scrolling. */
function ratio(geometry: Geometry): number {
  const all = geometry.total * geometry.rowPx
  const content = contentPx(geometry)
  return all <= content ? 1 : (all - geometry.viewPx) / (content - geometry.viewPx)
}

/** Browsers round heights of millions of pixels, so scrolling can end this much before the last row. */
const END_PX = 2

/** Pixels of rows above a scroll position. */
function topAt(geometry: Geometry, scrollTop: number): number {
  const { total, rowPx, viewPx } = geometry
  const by = ratio(geometry)
  const isEnd = by > 1 && scrollTop >= contentPx(geometry) - viewPx - END_PX
  return isEnd ? total * rowPx - viewPx : scrollTop * by
}

export interface Slice {
  readonly first: number
  /** Exclusive. */
  readonly end: number
  /** Heights of the space above and below the drawn rows. */
  readonly beforePx: number
  readonly afterPx: number
  readonly firstVisible: number
  readonly lastVisible: number
}

/** The rows to draw at a scroll position. */
export function sliceAt(geometry: Geometry, scrollTop: number): Slice {
  const { total, rowPx, viewPx } = geometry
  const top = topAt(geometry, scrollTop)
  const firstVisible = Math.min(Math.max(total - 1, 0), Math.floor(top / rowPx))
  const lastVisible = Math.max(0, Math.min(total, Math.ceil((top + viewPx) / rowPx)) - 1)
  const first = Math.max(0, firstVisible - OVERSCAN)
  const end = Math.min(total, lastVisible + 1 + OVERSCAN)
  const beforePx = beforePxOf(geometry, scrollTop, top, first)
  const afterPx = Math.max(0, contentPx(geometry) - beforePx - (end - first) * rowPx)
  return { first, end, beforePx, afterPx, firstVisible, lastVisible }
}

/** The height above the drawn rows; in a proportionally scrolled list, the height that keeps them visible. */
function beforePxOf(geometry: Geometry, scrollTop: number, top: number, first: number): number {
  const { rowPx, viewPx } = geometry
  if (ratio(geometry) === 1) return first * rowPx
  const offset = Math.min(scrollTop, contentPx(geometry) - viewPx)
  // Rounded: browsers lose fractions of a pixel in large numbers.
  return Math.max(0, Math.round(offset - (top - first * rowPx)))
}

/** The scroll position where a row is the first visible one. */
export const scrollTopOf = (geometry: Geometry, row: number): number =>
  Math.ceil((row * geometry.rowPx) / ratio(geometry))

/** The scroll position that makes a row visible; undefined if it is visible. */
export function scrollTopFor(geometry: Geometry, scrollTop: number, row: number): number | undefined {
  const { rowPx, viewPx } = geometry
  const by = ratio(geometry)
  const top = topAt(geometry, scrollTop)
  const rowTop = row * rowPx
  if (rowTop < top) return Math.max(0, Math.floor(rowTop / by))
  if (rowTop + rowPx > top + viewPx) return Math.ceil((rowTop + rowPx - viewPx) / by) + (by > 1 ? 1 : 0)
  return undefined
}
