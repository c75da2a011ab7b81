import type { Page } from 'puppeteer-core'
import { writeRecords } from '../../../src/records/rows/writing/write-records.ts'
import { createStructure } from '../../../src/records/structures/service.ts'
import { type Data, ROW_FIELDS, rowsOf } from '../corpus.ts'
import type { Dataset } from '../dataset.ts'
import type { Server } from '../servers.ts'
import { originOf } from './page.ts'

const BATCH = 500
const EDITS = 20

/** Fills a structure; returns its id and the id of its oldest row, which an open grid shows first. */
export async function fillRows(
  { ctx, caller }: Dataset,
  count: number,
): Promise<{ id: string; row: string }> {
  const fields = ROW_FIELDS.filter(({ type }) => type !== 'note').map((field) => ({
    ...field,
    options: 'options' in field ? [...field.options] : null,
  }))
  const { id } = await ctx.db.write((tx): { id: string } =>
    createStructure(tx, caller, { name: 'entries', fields }),
  )
  const rows = rowsOf(count, ['none'])
  let row = ''
  for (let made = 0; made < count; made += BATCH) {
    const batch = Array.from({ length: Math.min(BATCH, count - made) }, () => {
      const { note: _, ...data } = rows.next().value as Data
      return { data }
    })
    const [first] = await ctx.db.write((tx) =>
      writeRecords(tx, caller, { structure: 'entries', rows: batch }).rows.map((written) => written.id),
    )
    row ||= first ?? ''
  }
  ctx.db.checkpoint()
  return { id, row }
}

/** Scrolls to a fraction of all rows; resolves with the time until every visible row is drawn. */
const jump = (page: Page, share: number): Promise<number> =>
  page.$eval(
    'section.scroll',
    (scroller, part) =>
      new Promise<number>((resolve) => {
        const from = performance.now()
        const firstRow = () => document.querySelector('tbody tr[aria-rowindex]')?.ariaRowIndex
        const before = firstRow()
        scroller.scrollTop = part * (scroller.scrollHeight - scroller.clientHeight)
        const look = () => {
          const isThere = ![before, undefined].includes(firstRow())
          const isBusy = document.querySelector('tbody tr[aria-busy=true]') !== null
          if (isThere && !isBusy) resolve(performance.now() - from)
          else requestAnimationFrame(look)
        }
        requestAnimationFrame(look)
      }),
    share,
  )

export const gridAddress = (server: Server, structure: string, query = ''): string =>
  `${originOf(server)}/app/records/${structure}${query}`

export async function openGrid(page: Page, url: string): Promise<void> {
  await page.goto(url)
  await page.waitForSelector('tbody tr[aria-rowindex="2"]:not([aria-busy])')
}

/** Measures jumps to positions along the golden ratio, so that each is far from the earlier ones. */
export async function measureJumps(page: Page, count: number): Promise<number[]> {
  const samples: number[] = []
  for (let at = 1; at <= count; at++) samples.push(await jump(page, (at * 0.618_034) % 1))
  return samples
}

/** Measures from a write through the API until the open grid shows it. */
export async function measureEdits(page: Page, server: Server, key: string, row: string): Promise<number[]> {
  const samples: number[] = []
  for (let at = 0; at < EDITS; at++) {
    const text = `edited ${at} times`
    const shown = page.waitForFunction(
      (wanted) => document.querySelector('tbody')?.textContent.includes(wanted),
      {},
      text,
    )
    const from = performance.now()
    const response = await fetch(`${originOf(server)}/v1/records/${row}`, {
      method: 'PATCH',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ data: { title: text } }),
    })
    if (!response.ok) throw new Error(await response.text())
    await shown
    samples.push(performance.now() - from)
  }
  return samples
}

/** Returns the memory of the page in MiB after each minute of scrolling back and forth, after a garbage collection. */
export async function measureMemory(page: Page, minutes: number): Promise<number[]> {
  const client = await page.createCDPSession()
  const held: number[] = []
  for (let minute = 0; minute <= minutes; minute++) {
    const until = performance.now() + (minute === 0 ? 10_000 : 60_000)
    while (performance.now() < until) await jump(page, Math.random())
    await client.send('HeapProfiler.collectGarbage')
    const { JSHeapUsedSize = 0 } = await page.metrics()
    held.push(JSHeapUsedSize / 1_048_576)
  }
  return held
}
