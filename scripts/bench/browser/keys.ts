import type { JSHandle, Page } from 'puppeteer-core'
import type { Server } from '../servers.ts'
import { serveBareEditor } from './bare-editor.ts'
import { originOf } from './page.ts'

/** Positions in the text at which keys are pressed. */
const PLACES = ['start', 'middle', 'end'] as const
type Place = (typeof PLACES)[number]

const KEYS = 200
/** The number of screens from the start. At this distance the text above is not drawn, either. */
const SCREENS = 20

/**
 * Measures how long each key press keeps the page busy: from the key until its work is done, plus the frame that shows
 * the result. Excludes the wait for the screen between the two, during which a browser postpones all other tasks. Only
 * microtasks, which may queue further microtasks, run before that wait.
 */
const timeKeys = (page: Page): Promise<JSHandle<number[]>> =>
  page.evaluateHandle(() => {
    const times: number[] = []
    let pressed = 0
    addEventListener(
      'keydown',
      () => {
        pressed = performance.now()
      },
      { capture: true },
    )
    addEventListener('input', () => {
      const from = pressed
      let done = 0
      const settle = (left: number) =>
        queueMicrotask(() => {
          if (left > 0) settle(left - 1)
          else done = performance.now()
        })
      settle(20)
      requestAnimationFrame(() => {
        const began = performance.now()
        const channel = new MessageChannel()
        channel.port1.onmessage = () => times.push(done - from + performance.now() - began)
        channel.port2.postMessage(0)
      })
    })
    return times
  })

async function goTo(page: Page, place: Place): Promise<void> {
  await page.keyboard.down('Control')
  await page.keyboard.press(place === 'end' ? 'End' : 'Home')
  await page.keyboard.up('Control')
  for (let screen = 0; place === 'middle' && screen < SCREENS; screen++) await page.keyboard.press('PageDown')
}

/** Measures key presses at a position of the text at an address; `rest` resolves when the page is idle. */
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
  const times = await timeKeys(page)
  for (let key = 0; key < KEYS; key++) await page.keyboard.type(key % 6 === 5 ? ' ' : 'x', { delay: 30 })
  await rest()
  return times.jsonValue()
}

/** Measures key presses at the start, middle and end of a note, and of the same text in a bare editor. */
export async function measureKeys(
  page: Page,
  server: Server,
  { note, text, places = PLACES }: { note: string; text: string; places?: readonly Place[] },
) {
  const bare = await serveBareEditor(text)
  const isSaved = () => page.waitForSelector('#note .status.ok')
  const isIdle = () =>
    page.evaluate(() => new Promise<void>((resolve) => requestIdleCallback(() => resolve())))
  const measured: { place: Place; keys: number[]; floor: number[] }[] = []
  try {
    for (const place of places) {
      const keys = await measurePlace(page, `${originOf(server)}/app/notes/${note}`, place, isSaved)
      measured.push({ place, keys, floor: await measurePlace(page, `${bare.url}`, place, isIdle) })
    }
  } finally {
    await bare.stop(true)
  }
  return measured
}
