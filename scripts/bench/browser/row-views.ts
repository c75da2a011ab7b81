import type { Page } from 'puppeteer-core'
import { writeRecords } from '../../../src/records/rows/writing/write-records.ts'
import { createStructure } from '../../../src/records/structures/service.ts'
import type { Dataset } from '../dataset.ts'
import type { Server } from '../servers.ts'
import { originOf } from './page.ts'

export const BOARD_ROWS = 100_000
export const MONTH_ROWS = 10_000
const BATCH = 500
const STATES = ['Backlog', 'Next', 'Doing', 'Blocked', 'Done']
const DAYS_EACH_MONTH = 28

/** Fills a table whose rows have a state and a day, all in one month; returns its id. */
export async function fillTasks({ ctx, caller }: Dataset, name: string, count: number): Promise<string> {
  const { id } = await ctx.db.write((tx): { id: string } =>
    createStructure(tx, caller, {
      name,
      fields: [
        { key: 'what', type: 'text', label: 'What' },
        { key: 'state', type: 'select', label: 'State', options: STATES },
        { key: 'day', type: 'date', label: 'Day' },
      ],
    }),
  )
  const month = new Date().toISOString().slice(0, 8)
  for (let made = 0; made < count; made += BATCH) {
    const rows = Array.from({ length: Math.min(BATCH, count - made) }, (_, at) => {
      const number = made + at
      const day = `${month}${String((number % DAYS_EACH_MONTH) + 1).padStart(2, '0')}`
      return { data: { what: `Task ${number}`, state: STATES[number % STATES.length] ?? '', day } }
    })
    await ctx.db.write((tx): void => void writeRecords(tx, caller, { structure: name, rows }))
  }
  ctx.db.checkpoint()
  return id
}

/** Creates a view of a table through the API. */
export async function makeView(server: Server, key: string, view: object): Promise<void> {
  const response = await fetch(`${originOf(server)}/v1/records/views`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(view),
  })
  if (!response.ok) throw new Error(await response.text())
}

/**
 * Opens a view from its tab, each time in a page that has not loaded it. Returns the times until part of it is drawn.
 */
export async function measureOpenings(
  page: Page,
  { url, name, shows }: { url: string; name: string; shows: string },
  count: number,
): Promise<number[]> {
  const samples: number[] = []
  for (let at = 0; at < count; at++) {
    await page.goto(url)
    await page.waitForSelector('tbody tr[aria-rowindex="2"]:not([aria-busy])')
    await page.waitForSelector('.row-tabs a:nth-of-type(2)')
    const took = await page.$$eval(
      '.row-tabs a',
      (tabs, wanted, selector) =>
        new Promise<number>((resolve) => {
          const from = performance.now()
          tabs.find(({ textContent }) => textContent.includes(wanted))?.click()
          const look = () => {
            if (document.querySelector(selector)) resolve(performance.now() - from)
            else requestAnimationFrame(look)
          }
          requestAnimationFrame(look)
        }),
      name,
      shows,
    )
    samples.push(took)
  }
  return samples
}

/**
 * Moves the first card of a board back and forth between two columns by keyboard. Returns the times until another
 * screen shows each move. A background page does not follow changes, so the other screen is in front.
 */
export async function measureMoves(page: Page, other: Page, url: string, count: number): Promise<number[]> {
  for (const one of [page, other]) {
    await one.bringToFront()
    await one.goto(url)
    await one.waitForSelector('.row-tabs a:nth-of-type(2)')
    await one.$$eval('.row-tabs a', (tabs) =>
      tabs.find(({ textContent }) => textContent.includes('Board'))?.click(),
    )
    await one.waitForSelector('a.card')
  }
  const samples: number[] = []
  await page.focus('[data-drop="0"] a.card')
  const id = await page.$eval('[data-drop="0"] a.card', (card) => card.id)
  for (let at = 0; at < count; at++) {
    const [key, column] = at % 2 === 0 ? (['ArrowRight', 1] as const) : (['ArrowLeft', 0] as const)
    const seen = other.waitForSelector(`[data-drop="${column}"] #${id}`)
    const from = performance.now()
    await page.keyboard.down('Control')
    await page.keyboard.press(key)
    await page.keyboard.up('Control')
    await seen
    samples.push(performance.now() - from)
    await page.waitForSelector(`[data-drop="${column}"] #${id}`)
  }
  return samples
}
