import { memoryOf, type Pdfium } from './pdf.ts'

/*
 * Where a page shows every few glyphs by a command of their own, as a layer of recognized text does, PDFium guesses
 * spaces between them that split words. A guess holds only when the gap is wider than those between letters.
 */

/** The extent of a glyph along the line, and the line's direction. */
interface Glyph {
  readonly start: number
  readonly end: number
  /** The width of an em along the line. */
  readonly em: number
  /** A multiple of a right angle; text at other angles is left as PDFium has it. */
  readonly direction: Direction
  /** Across the line. */
  readonly baseline: number
}

type Direction = 'right' | 'up' | 'left' | 'down'

const SPACE = 0x20
const FIRST_LETTER = 0x21

/** Reads what PDFium knows of the glyphs of a page. */
class Glyphs {
  readonly #at: number

  constructor(
    private readonly library: Pdfium,
    private readonly text: number,
    readonly count: number,
  ) {
    this.#at = library.pdfium.wasmExports.malloc(32)
  }

  free(): void {
    this.library.pdfium.wasmExports.free(this.#at)
  }

  isGuessedSpace(index: number): boolean {
    return (
      this.library.FPDFText_GetUnicode(this.text, index) === SPACE &&
      this.library.FPDFText_IsGenerated(this.text, index) === 1
    )
  }

  /** Undefined for a space, for what PDFium made up, and at an odd angle. */
  find(index: number): Glyph | undefined {
    const { library, text } = this
    if (index < 0 || index >= this.count) return undefined
    if (library.FPDFText_GetUnicode(text, index) < FIRST_LETTER) return undefined
    if (library.FPDFText_IsGenerated(text, index) === 1) return undefined
    library.FPDFText_GetMatrix(text, index, this.#at)
    const [a = 0, b = 0] = this.#floats()
    const direction = directionOf(a, b)
    if (!direction || !library.FPDFText_GetLooseCharBox(text, index, this.#at)) return undefined
    const [left = 0, top = 0, right = 0, bottom = 0] = this.#floats()
    const em = library.FPDFText_GetFontSize(text, index) * Math.hypot(a, b)
    const baseline = direction === 'right' || direction === 'left' ? bottom : left
    return { ...extentOf(direction, { left, top, right, bottom }), em, direction, baseline }
  }

  #floats(): Float32Array {
    return new Float32Array(memoryOf(this.library.pdfium).buffer, this.#at, 4)
  }
}

function directionOf(a: number, b: number): Direction | undefined {
  const slack = Math.hypot(a, b) / 100
  if (Math.abs(b) <= slack) return a > 0 ? 'right' : 'left'
  if (Math.abs(a) <= slack) return b > 0 ? 'up' : 'down'
  return undefined
}

function extentOf(
  direction: Direction,
  { left, top, right, bottom }: Record<'left' | 'top' | 'right' | 'bottom', number>,
): { start: number; end: number } {
  if (direction === 'right') return { start: left, end: right }
  if (direction === 'left') return { start: -right, end: -left }
  return direction === 'up' ? { start: bottom, end: top } : { start: -top, end: -bottom }
}

/** Letters closer than this part of an em are not spaced out, and what PDFium guesses between them holds. */
const LEAST_LETTER_GAP = 0.05
/** Letters further apart than this part of an em are words of one letter. */
const WIDEST_LETTER_GAP = 0.6
/** How many times wider than between letters a gap within a word may be; a space makes it more than twice as wide. */
const SLACK = 1.6

/** The gap between two neighbouring glyphs of a line in ems; undefined when they are on different lines. */
function gapBetween(before: Glyph | undefined, after: Glyph | undefined): number | undefined {
  if (!before || !after || before.direction !== after.direction) return undefined
  const em = Math.min(before.em, after.em)
  if (!(em > 0) || Math.abs(before.baseline - after.baseline) > em) return undefined
  return (after.start - before.end) / em
}

/** The indexes of the spaces of a page that PDFium guessed within words, ascending. */
export function spacesInWords(library: Pdfium, text: number, count: number): number[] {
  const found: number[] = []
  const glyphs = new Glyphs(library, text, count)
  try {
    for (let index = 1; index < count - 1; index++)
      if (glyphs.isGuessedSpace(index) && isInWord(glyphs, index)) found.push(index)
  } finally {
    glyphs.free()
  }
  return found
}

function isInWord(glyphs: Glyphs, space: number): boolean {
  const gap = gapBetween(glyphs.find(space - 1), glyphs.find(space + 1))
  if (gap === undefined || gap < -1) return false
  const usual = letterGap(glyphs, space)
  return usual >= LEAST_LETTER_GAP && gap <= usual * SLACK
}

/** How far a pair of letters is looked for. */
const REACH = 40

/** The gap between the nearest two letters of the line that PDFium joined, in ems; 0 when there are none. */
function letterGap(glyphs: Glyphs, space: number): number {
  for (let distance = 1; distance < REACH; distance++) {
    for (const at of [space - distance - 1, space + distance]) {
      const gap = gapBetween(glyphs.find(at), glyphs.find(at + 1))
      if (gap !== undefined && gap < WIDEST_LETTER_GAP) return gap
    }
  }
  return 0
}
