import type { KeyInput, Page } from 'puppeteer-core'
import { until } from './application-server.ts'
import type { randomSource } from './random.ts'

/*
 * Two people write in one note, each in separate passages between lines that never change. The keys alone determine the
 * final text of each passage, which a model tracks.
 */

type Random = ReturnType<typeof randomSource>

const PASSAGES = 6

/** The lines of each passage. The note joins all passages, each after a fixed line. */
export type Model = string[][]

export const newModel = (): Model => Array.from({ length: PASSAGES }, (_, at) => [`passage ${at}`])

const fixed = (at: number): string => `fixed line ${at}`

export const textOf = (model: Model): string =>
  [...model.flatMap((lines, at) => [fixed(at), ...lines]), fixed(model.length)].join('\n')

/** The text beside a line, and the step from there to the line. */
const besideLine = (at: number, edge: 'first' | 'last'): readonly [text: string, step: 1 | -1] =>
  edge === 'first' ? [fixed(at), 1] : [fixed(at + 1), -1]

/** Scrolls to the first or the last line of a passage, and returns the click position at its end. */
const endOfLine = (page: Page, at: number, edge: 'first' | 'last'): Promise<{ x: number; y: number }> =>
  page.$$eval(
    '.cm-line',
    (lines, beside, step) => {
      const line = lines[lines.findIndex(({ textContent }) => textContent === beside) + step]
      line?.scrollIntoView({ block: 'center' })
      const { right = 0, bottom = 0 } = line?.getBoundingClientRect() ?? {}
      return { x: right - 3, y: bottom - 8 }
    },
    ...besideLine(at, edge),
  )

/** Whether the cursor of the editor is in this line. */
const isCursorIn = (page: Page, at: number, edge: 'first' | 'last'): Promise<boolean> =>
  page.$$eval(
    '.cm-line',
    (lines, beside, step) => {
      const line = lines[lines.findIndex(({ textContent }) => textContent === beside) + step]
      const anchor = getSelection()?.anchorNode ?? null
      const place = anchor?.parentElement?.closest('.cm-line') ?? anchor
      return document.activeElement?.matches('.cm-content') === true && line !== undefined && line === place
    },
    ...besideLine(at, edge),
  )

let tokens = 0
const newToken = (): string => `w${(tokens++).toString(36)}`

const MARKS = ['', '**', '*', '`', '~~']
const PREFIXES = ['- ', '> ', '1. ', '- [ ] ', '## ']
const ITEM = /^(?:([-*])|(\d+)\.)( +)(\[[ x]\] +)?|^> /

/** The effect of Enter on the last line of a list, a quote or a paragraph. */
function enter(lines: string[]): void {
  const last = lines.at(-1) ?? ''
  const [prefix, bullet, number, blanks = '', box] = ITEM.exec(last) ?? []
  if (prefix === undefined) {
    const [indent = ''] = /^ */.exec(last) ?? []
    if (indent === last) lines[lines.length - 1] = ''
    lines.push(indent)
  } else if (prefix === last) lines.splice(-1, 1, '')
  else if (prefix === '> ') lines.push(prefix)
  else lines.push(`${bullet ?? `${Number(number) + 1}.`}${blanks}${box ? '[ ] ' : ''}`)
}

const edges = { first: 'Home', last: 'End' } as const

/** A person who writes in a page. */
export class Writer {
  constructor(
    readonly page: Page,
    readonly random: Random,
    /** 0 writes the even passages, 1 the odd ones. */
    readonly parity: 0 | 1,
    readonly model: Model,
  ) {}

  /** Makes one random change to the page and to the model. */
  async change(): Promise<void> {
    const at = 2 * this.random(PASSAGES / 2) + this.parity
    const lines = this.model[at] ?? []
    const kind = this.random(6)
    if (kind === 0) await this.#removeAtEnd(at, lines)
    else if (kind === 1) await this.#typeAtStart(at, lines)
    else if (kind === 2 && lines.length < 5) await this.#continue(at, lines)
    else if (kind === 3) await this.#embolden(at, lines)
    else if (kind === 4) await this.#tick(at, lines)
    else await this.#typeAtEnd(at, lines)
  }

  /** Moves the cursor to a position where it shows no marks. */
  async rest(): Promise<void> {
    await this.page.$eval('.cm-content', (content) => (content as HTMLElement).blur())
  }

  /** Clicks into the line. Retries if another writer's edit has just moved the line away. */
  async #cursorTo(at: number, edge: 'first' | 'last'): Promise<void> {
    for (;;) {
      const { x, y } = await endOfLine(this.page, at, edge)
      await this.page.mouse.click(x, y)
      if (await isCursorIn(this.page, at, edge)) break
    }
    await this.#toEdge(edges[edge])
  }

  /** Moves to the end of a line that may wrap on the screen: the first key leads to the end of the visual line. */
  async #toEdge(edge: 'Home' | 'End', ...held: KeyInput[]): Promise<void> {
    await this.#press(...held, edge)
    await this.#press(...held, edge)
  }

  async #press(...keys: KeyInput[]): Promise<void> {
    for (const key of keys) await this.page.keyboard.down(key)
    for (const key of keys.toReversed()) await this.page.keyboard.up(key)
  }

  async #typeAtEnd(at: number, lines: string[]): Promise<void> {
    const mark = MARKS[this.random(MARKS.length)] ?? ''
    const typed = ` ${mark}${newToken()}${mark}`
    await this.#cursorTo(at, 'last')
    await this.page.keyboard.type(typed, { delay: this.random(40) })
    lines.push(`${lines.pop() ?? ''}${typed}`)
  }

  async #typeAtStart(at: number, lines: string[]): Promise<void> {
    if (lines[0]?.startsWith(' ')) return this.#typeAtEnd(at, lines)
    const typed = `${PREFIXES[this.random(PREFIXES.length)] ?? ''}${newToken()} `
    await this.#cursorTo(at, 'first')
    await this.page.keyboard.type(typed, { delay: this.random(40) })
    lines[0] = `${typed}${lines[0] ?? ''}`
  }

  async #removeAtEnd(at: number, lines: string[]): Promise<void> {
    const last = lines.at(-1) ?? ''
    const count = Math.min(last.length, 1 + this.random(6))
    await this.#cursorTo(at, 'last')
    for (let key = 0; key < count; key++) await this.#press('Backspace')
    lines[lines.length - 1] = last.slice(0, last.length - count)
  }

  async #continue(at: number, lines: string[]): Promise<void> {
    const typed = newToken()
    await this.#cursorTo(at, 'last')
    await this.#press('Enter')
    await this.page.keyboard.type(typed, { delay: this.random(40) })
    enter(lines)
    lines.push(`${lines.pop() ?? ''}${typed}`)
  }

  async #embolden(at: number, lines: string[]): Promise<void> {
    const last = lines.at(-1) ?? ''
    // Home toggles between the start of a line and the start of its words.
    if (last === '' || /^[* ]/.test(last)) return
    await this.#cursorTo(at, 'last')
    await this.#toEdge('Home', 'Shift')
    await this.#press('Control', 'b')
    await this.#toEdge('End')
    lines[lines.length - 1] = `**${last}**`
  }

  /** Clicks the box of a task without the cursor in it. */
  async #tick(at: number, lines: string[]): Promise<void> {
    const [first = ''] = lines
    const box = /^- \[([ x])\] (?=\S)/.exec(first)
    if (!box) return this.#typeAtEnd(at, lines)
    await this.rest()
    await until(() => clickBox(this.page, at))
    lines[0] = `- [${box[1] === ' ' ? 'x' : ' '}] ${first.slice(6)}`
  }
}

/** Clicks the box in the first line of a passage once it is visible; returns whether it clicked. */
const clickBox = (page: Page, at: number): Promise<boolean> =>
  page.$$eval(
    '.cm-line',
    (lines, beside, step) => {
      const line = lines[lines.findIndex(({ textContent }) => textContent === beside) + step]
      const box = line?.querySelector<HTMLElement>('.md-box')
      box?.click()
      return Boolean(box)
    },
    ...besideLine(at, 'first'),
  )
