import type { Page } from 'puppeteer-core'
import type { Dataset } from '../dataset.ts'
import { type Times, timesOf } from '../measure.ts'
import type { Server } from '../servers.ts'
import { originOf, shownAt, signIn } from './page.ts'

const LOADS = 15
const SIGN_INS = 5
const KEYS = 200

/** What the first load of the notes takes over the network, compressed. */
export interface FirstLoad {
  readonly bytes: number
  readonly files: number
}

const isAsset = (name: string) => name.includes('/app/assets/')

/** What is loaded of script and style until the list is shown, by a signed-in browser that kept nothing. */
export async function measureFirstLoad(page: Page, server: Server): Promise<FirstLoad> {
  await page.setCacheEnabled(false)
  await page.goto(`${originOf(server)}/app/notes`)
  await shownAt(page)
  await page.setCacheEnabled(true)
  const loaded = (await page.evaluate(
    `performance.getEntriesByType('resource').map(({ name, encodedBodySize }) => [name, encodedBodySize])`,
  )) as [string, number][]
  const assets = loaded.filter(([name]) => isAsset(name))
  return { bytes: assets.reduce((sum, [, size]) => sum + size, 0), files: assets.length }
}

/** From asking for the page of a signed-in browser until its rows are painted, beside a page without anything to do. */
export async function measureLoads(page: Page, server: Server): Promise<{ list: Times; still: Times }> {
  const list: number[] = []
  const still: number[] = []
  for (let round = 0; round < LOADS; round++) {
    await page.goto(`${originOf(server)}/healthz`)
    still.push((await page.evaluate('performance.getEntriesByType("navigation")[0].loadEventEnd')) as number)
    await page.goto(`${originOf(server)}/app/notes`)
    list.push(await shownAt(page))
  }
  return { list: timesOf(list), still: timesOf(still) }
}

/** From the response that lets a person in until the first rows are painted. */
export async function measureSignIns(page: Page): Promise<Times> {
  const samples: number[] = []
  for (let round = 0; round < SIGN_INS; round++) {
    await page.evaluate(`fetch('/app/api/session', { method: 'DELETE' }).then((response) => response.text())`)
    await page.reload()
    await signIn(page)
    const shown = await shownAt(page)
    const answered = (await page.evaluate(
      `performance.getEntriesByName(location.origin + '/app/api/session').at(-1).responseEnd`,
    )) as number
    samples.push(shown - answered)
  }
  return timesOf(samples)
}

/**
 * How long the page is busy with each key: from the key until all that follows from it is done, and the frame that
 * shows it; not the wait for the screen between the two.
 */
const TIME_KEYS = `{
  window.keyTimes = []
  const after = (act) => {
    const channel = new MessageChannel()
    channel.port1.onmessage = () => act(performance.now())
    channel.port2.postMessage(0)
  }
  let pressed = 0
  addEventListener('keydown', () => { pressed = performance.now() }, { capture: true })
  addEventListener('input', () => {
    let busy = 0
    after((done) => { busy = done - pressed })
    requestAnimationFrame((_) => {
      const began = performance.now()
      after((shown) => window.keyTimes.push(busy + shown - began))
    })
  })
}`

/** Key presses in the middle of a note. */
export async function measureKeys(page: Page, server: Server, id: string): Promise<number[]> {
  await page.goto(`${originOf(server)}/app/notes/${id}`)
  await page.waitForSelector('.cm-content')
  await page.focus('.cm-content')
  for (let screen = 0; screen < 20; screen++) await page.keyboard.press('PageDown')
  await page.keyboard.type('warm-up')
  await page.waitForSelector('#note .status.ok')
  await page.evaluate(TIME_KEYS)
  for (let key = 0; key < KEYS; key++) await page.keyboard.type(key % 6 === 5 ? ' ' : 'x', { delay: 30 })
  await page.waitForSelector('#note .status.ok')
  return (await page.evaluate('window.keyTimes')) as number[]
}

/** A note of many paragraphs. */
export async function createLongNote(data: Dataset, length: number): Promise<string> {
  const paragraph =
    '## A heading\n\nSome *words* of a long note, with `code`, a [link](https://example.org) and #tags.\n\n- one\n- two\n\n'
  const content = paragraph.repeat(Math.ceil(length / paragraph.length)).slice(0, length)
  const response = await data.fetch('/v1/notes', {
    method: 'POST',
    body: JSON.stringify({ title: 'A long note', content }),
  })
  if (response.status !== 201) throw new Error(await response.text())
  return ((await response.json()) as { note: { id: string } }).note.id
}
