import type { Page } from 'puppeteer-core'
import type { Server } from '../servers.ts'
import { serveBareEditor } from './bare-editor.ts'
import { originOf } from './page.ts'

/** Where in a text is typed. */
const PLACES = ['start', 'middle', 'end'] as const
type Place = (typeof PLACES)[number]

const KEYS = 200
/** So many screens from the start, where what is above is not drawn, either. */
const SCREENS = 20

/**
 * How long the page is busy with each key: from the key until what it leads to is done, and with the frame that shows
 * it. Not the wait for the screen between the two, for which a browser puts off all other tasks: only microtasks, each of
 * which may begin others, come before it.
 */
const TIME_KEYS = `{
  window.keyTimes = []
  let pressed = 0
  addEventListener('keydown', () => { pressed = performance.now() }, { capture: true })
  addEventListener('input', () => {
    const from = pressed
    let done = 0
    const settle = (left) =>
      queueMicrotask(() => { if (left > 0) settle(left - 1); else done = performance.now() })
    settle(20)
    requestAnimationFrame(() => {
      const began = performance.now()
      const channel = new MessageChannel()
      channel.port1.onmessage = () => window.keyTimes.push(done - from + performance.now() - began)
      channel.port2.postMessage(0)
    })
  })
}`

async function goTo(page: Page, place: Place): Promise<void> {
  await page.keyboard.down('Control')
  await page.keyboard.press(place === 'end' ? 'End' : 'Home')
  await page.keyboard.up('Control')
  for (let screen = 0; place === 'middle' && screen < SCREENS; screen++) await page.keyboard.press('PageDown')
}

/** Key presses at a place of the text at an address; `rest` resolves when the page has nothing more to do. */
async function measurePlace(
  page: Page,
  url: string,
  place: Place,
  rest: () => Promise<unknown>,
): Promise<number[]> {
  await page.goto(url)
  await page.waitForSelector('.cm-content')
  await page.focus('.cm-content')
  await goTo(page, place)
  await page.keyboard.type('warm-up')
  await rest()
  await page.evaluate(TIME_KEYS)
  for (let key = 0; key < KEYS; key++) await page.keyboard.type(key % 6 === 5 ? ' ' : 'x', { delay: 30 })
  await rest()
  return (await page.evaluate('window.keyTimes')) as number[]
}

/** Key presses at the start, in the middle and at the end of a note, and of its text in a bare editor. */
export async function measureKeys(page: Page, server: Server, note: string, text: string) {
  const bare = await serveBareEditor(text)
  const isSaved = () => page.waitForSelector('#note .status.ok')
  const isIdle = () => page.evaluate('new Promise(requestIdleCallback)')
  const places: { place: Place; keys: number[]; floor: number[] }[] = []
  try {
    for (const place of PLACES) {
      const keys = await measurePlace(page, `${originOf(server)}/app/notes/${note}`, place, isSaved)
      places.push({ place, keys, floor: await measurePlace(page, `${bare.url}`, place, isIdle) })
    }
  } finally {
    await bare.stop(true)
  }
  return places
}
