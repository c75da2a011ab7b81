import type { Page } from 'puppeteer-core'
import { writeRecords } from '../../../src/records/rows/writing/write-records.ts'
import { createStructure } from '../../../src/records/structures/service.ts'
import { wordOfRank } from '../corpus.ts'
import type { Dataset } from '../dataset.ts'
import type { Server } from '../servers.ts'
import { originOf } from './page.ts'

/*
 * The speed of everyday work, from a click or key until the result is painted, in a page that is already open. Each
 * kind is tried on several objects in turn, so that caches of the browser help as much as they help a user.
 */

const TRIES = 24
const BATCH = 500
const TYPES = ['text', 'number', 'date', 'select'] as const
const OPTIONS = ['Next', 'Doing', 'Done']

/** A table for `measureSwitches`. */
export interface WideTable {
  readonly id: string
  readonly name: string
}

const cellValue = (type: (typeof TYPES)[number], row: number, column: number): string | number => {
  if (type === 'number') return (row * 7 + column) % 1_000
  if (type === 'date')
    return `2026-${String((row % 12) + 1).padStart(2, '0')}-${String((column % 28) + 1).padStart(2, '0')}`
  if (type === 'select') return OPTIONS[row % OPTIONS.length] ?? ''
  return `${wordOfRank(row % 5_000)} ${wordOfRank(column * 31)}`
}

/** Fills a table of text, numbers, dates and options. */
export async function fillWideTable(
  { ctx, caller }: Dataset,
  name: string,
  size: { rows: number; columns: number },
): Promise<WideTable> {
  const fields = Array.from({ length: size.columns }, (_, column) => {
    const type = TYPES[column % TYPES.length] ?? 'text'
    return {
      key: `c${column}`,
      type,
      label: `Column ${column}`,
      ...(type === 'select' && { options: OPTIONS }),
    }
  })
  const { id } = await ctx.db.write((tx): { id: string } => createStructure(tx, caller, { name, fields }))
  for (let made = 0; made < size.rows; made += BATCH) {
    const rows = Array.from({ length: Math.min(BATCH, size.rows - made) }, (_, index) => ({
      data: Object.fromEntries(
        fields.map(({ key, type }, column) => [key, cellValue(type, made + index, column)]),
      ),
    }))
    await ctx.db.write((tx): void => void writeRecords(tx, caller, { structure: name, rows }))
  }
  return { id, name }
}

declare global {
  /** Calls an action and resolves with the milliseconds until a condition holds and that frame is painted. */
  var timed: (action: () => void, isDone: () => unknown) => Promise<number>
}

/** Defines `timed` in the open page. */
const defineTimed = (page: Page): Promise<void> =>
  page.evaluate(() => {
    globalThis.timed = (action, isDone) =>
      new Promise((resolve) => {
        const from = performance.now()
        const channel = new MessageChannel()
        channel.port1.onmessage = () => resolve(performance.now() - from)
        const look = () => requestAnimationFrame(() => (isDone() ? channel.port2.postMessage(0) : look()))
        action()
        look()
      })
  })

/** Opens notes by clicks on the rows of the list. */
export async function measureNoteOpenings(page: Page, server: Server): Promise<number[]> {
  await page.goto(`${originOf(server)}/app/notes`)
  await page.waitForSelector('.notes-rows a')
  // The newest note opens beside the list.
  await page.waitForSelector('#note .cm-line')
  await defineTimed(page)
  const samples: number[] = []
  for (let at = 0; at <= TRIES; at++) {
    const took = await page.$$eval(
      '.notes-rows a',
      (links, index) => {
        const link = links[index]
        if (!link) throw new Error('the list has too few notes')
        const before = document.querySelector('#note .cm-content')
        return timed(
          () => link.click(),
          () =>
            location.pathname === new URL(link.href).pathname &&
            document.querySelector('#note .cm-content') !== before &&
            document.querySelector('#note .cm-line'),
        )
      },
      1 + (at % 8),
    )
    // Code that only some notes need is loaded with the first ones.
    if (at > 0) samples.push(took)
  }
  return samples
}

/** Switches to a table from another one, by their links at the side. */
export async function measureSwitches(
  page: Page,
  server: Server,
  { from, to }: { from: WideTable; to: WideTable },
): Promise<number[]> {
  await page.goto(`${originOf(server)}/app/records/${from.id}`)
  const go = (table: WideTable) =>
    page.$eval(
      `a[href$="/records/${table.id}"]`,
      (link, { id, name }) =>
        timed(
          () => link.click(),
          () =>
            location.pathname.endsWith(`/${id}`) &&
            document.querySelector('.bar h2.cut')?.textContent.includes(name) &&
            document.querySelector('tbody tr[aria-rowindex="2"]:not([aria-busy])'),
        ),
      table,
    )
  await page.waitForFunction(
    (name) => document.querySelector('.bar h2.cut')?.textContent.includes(name),
    {},
    from.name,
  )
  await page.waitForSelector('tbody tr[aria-rowindex="2"]:not([aria-busy])')
  await defineTimed(page)
  const samples: number[] = []
  for (let at = 0; at <= TRIES; at++) {
    const took = await go(to)
    if (at > 0) samples.push(took)
    await go(from)
  }
  return samples
}

/** Opens the finder and enters the title of an old note: measures until this note is found. */
export async function measureFinder(page: Page, server: Server): Promise<number[]> {
  await page.goto(`${originOf(server)}/app/notes`)
  await page.waitForSelector('.notes-rows a')
  await defineTimed(page)
  const samples: number[] = []
  for (let at = 0; at <= TRIES; at++) {
    await page.keyboard.down('Control')
    await page.keyboard.press('k')
    await page.keyboard.up('Control')
    await page.waitForSelector('#find input')
    const title = `Note ${at * 31 + 100}`
    const took = await page.$eval(
      '#find input',
      (input, wanted) => {
        const { set } = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value') ?? {}
        return timed(
          () => {
            set?.call(input, wanted)
            input.dispatchEvent(new InputEvent('input', { bubbles: true }))
          },
          () =>
            [...document.querySelectorAll('#find [role=option]')].some(({ textContent }) =>
              textContent.startsWith(`${wanted} `),
            ),
        )
      },
      title,
    )
    if (at > 0) samples.push(took)
    await page.keyboard.press('Escape')
    await page.waitForSelector('#find:not([open])')
  }
  return samples
}
