import type { Browser, Page } from 'puppeteer-core'
import { startLine } from '../../../test/support/line.ts'
import { untilStoredOn } from '../../../test/support/offline.ts'
import type { Dataset } from '../dataset.ts'
import { type Times, timesOf } from '../measure.ts'
import type { Server } from '../servers.ts'
import { newPage, nextPage, originOf, shownAt, signIn } from './page.ts'

const LOADS = 15
const SIGN_INS = 5

/** Measures from the page request of a signed-in browser until its rows are painted, compared with an idle page. */
export async function measureLoads(page: Page, server: Server): Promise<{ list: Times; still: Times }> {
  const list: number[] = []
  const still: number[] = []
  for (let round = 0; round < LOADS; round++) {
    await page.goto(`${originOf(server)}/healthz`)
    const [own] = await page.evaluate(() =>
      performance
        .getEntriesByType('navigation')
        .map((entry) => (entry as PerformanceNavigationTiming).loadEventEnd),
    )
    still.push(own ?? Number.NaN)
    await page.goto(`${originOf(server)}/app/notes`)
    list.push(await shownAt(page))
  }
  return { list: timesOf(list), still: timesOf(still) }
}

/** Measures from the response that signs a user in until the first rows are painted. */
export async function measureSignIns(page: Page): Promise<Times> {
  const samples: number[] = []
  for (let round = 0; round < SIGN_INS; round++) {
    await page.evaluate(async () => (await fetch('/app/api/session', { method: 'DELETE' })).text())
    await page.reload()
    await signIn(page)
    const shown = await shownAt(page)
    const answered = await page.evaluate(() => {
      const requests = performance.getEntriesByName(`${location.origin}/app/api/session`)
      return (requests.at(-1) as PerformanceResourceTiming).responseEnd
    })
    samples.push(shown - answered)
  }
  return timesOf(samples)
}

/** The most notes that the offline copy can list without a network. */
export const KNOWN_NOTES = 5_000
const COLD_STARTS = 10

/** Without a network or an open tab, measures from the page request until the rows of the offline copy are painted. */
export async function measureColdStarts(browser: Browser, server: Server, notes: number): Promise<Times> {
  const line = await startLine(originOf(server))
  const page = await newPage(browser)
  await page.goto(`${line.url}/app/notes`)
  await signIn(page)
  await untilStoredOn(page, { notes })
  line.cut()
  const samples: number[] = []
  for (let round = 0; round < COLD_STARTS; round++) {
    await page.goto('about:blank')
    const session = await page.createCDPSession()
    await session.send('ServiceWorker.enable')
    await session.send('ServiceWorker.stopAllWorkers')
    await session.detach()
    const next = await nextPage(page.browserContext())
    await next.goto(`${line.url}/app/notes`)
    samples.push(await shownAt(next))
    await next.close()
  }
  await page.browserContext().close()
  line.close()
  return timesOf(samples)
}

/** Returns a text of many paragraphs. */
export function longText(length: number): string {
  const paragraph =
    '## A heading\n\nSome *words* of a long note, with `code`, a [link](https://example.org) and #tags.\n\n- one\n- two\n\n'
  return paragraph.repeat(Math.ceil(length / paragraph.length)).slice(0, length)
}

/** Creates a note with a text. */
export async function createLongNote(data: Dataset, content: string): Promise<string> {
  const response = await data.fetch('/v1/notes', {
    method: 'POST',
    body: JSON.stringify({ title: 'A long note', content }),
  })
  if (response.status !== 201) throw new Error(await response.text())
  return ((await response.json()) as { note: { id: string } }).note.id
}
