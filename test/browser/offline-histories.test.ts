import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'puppeteer-core'
import { BROWSER_TIMEOUT_MS } from '../support/application.ts'
import { type Application, startApplication } from '../support/application-server.ts'
import { hasBrowser } from '../support/browser.ts'
import { RANDOM_CASES_MS, runs } from '../support/counts.ts'
import { keptOn, nothingWaits, setOffline } from '../support/offline.ts'
import { randomSource } from '../support/random.ts'

const HISTORIES = runs(2, 1_000)
const STEPS = 10

/** A browser of its own, which writes into one line of the note. */
interface Device {
  page: Page
  readonly line: 'first' | 'last'
  readonly words: string[]
  isOffline: boolean
}

/** The source of an expression in the page: whether the text of a note is kept in this browser. */
const hasText = (id: string) => `new Promise((resolve) => {
  const request = indexedDB.open('daybook-offline')
  request.onsuccess = () => {
    const got = request.result.transaction('texts').objectStore('texts').getKey('${id}')
    got.onsuccess = () => {
      request.result.close()
      resolve(got.result !== undefined)
    }
  }
})`

describe.skipIf(!hasBrowser)('two devices and a program that write into one note', () => {
  let app: Application
  const devices: Device[] = []
  const program: string[] = []
  let note = ''

  beforeAll(async () => {
    app = await startApplication()
    for (const line of ['first', 'last'] as const) {
      const page = await app.newPage()
      await app.signIn(page)
      await keptOn(page, {})
      devices.push({ page, line, words: [], isOffline: false })
    }
  }, BROWSER_TIMEOUT_MS)
  afterAll(() => app.close(), BROWSER_TIMEOUT_MS)

  const open = async ({ page }: Device) => {
    await page.goto(`${app.server.url}/app/notes/${note}`)
    await page.waitForSelector('.cm-content')
  }
  const stored = async () =>
    (await app.server.get(`/v1/notes/${note}`)).body.note as { content: string; updated_at: string }

  const write = async ({ page, line, words }: Device, word: string) => {
    await page.focus('.cm-content')
    await page.keyboard.down('Control')
    await page.keyboard.press(line === 'first' ? 'Home' : 'End')
    await page.keyboard.up('Control')
    await page.keyboard.press('End')
    await page.keyboard.type(` ${word}`)
    words.push(word)
  }
  const cut = async (device: Device, isOffline: boolean) => {
    device.isOffline = isOffline
    await setOffline(device.page, isOffline)
  }
  /** Ends the tab as a crash does; what was typed before is kept. */
  const crash = async (device: Device) => {
    const next = await app.nextPage(device.page.browserContext())
    await device.page.close({ runBeforeUnload: false })
    device.page = next
    await setOffline(next, device.isOffline)
    await open(device)
  }
  const writeByProgram = async (word: string) => {
    for (;;) {
      const { content, updated_at } = await stored()
      const text = content.replace(/^program.*$/m, (line) => `${line} ${word}`)
      const { status } = await app.server.patch(`/v1/notes/${note}`, {
        content: text,
        if_unchanged: updated_at,
      })
      if (status === 200) break
    }
    program.push(word)
  }

  async function step(random: (below: number) => number, word: string): Promise<void> {
    const device = devices[random(2)] as Device
    const act = random(10)
    if (act < 5) await write(device, word)
    else if (act < 7) await cut(device, !device.isOffline)
    else if (act === 7) await crash(device)
    else await writeByProgram(word)
  }

  test.each(Array.from({ length: HISTORIES }, (_, seed) => seed))(
    'lose no word and double none, and show what the server holds in the end (%d)',
    async (seed) => {
      const random = randomSource(seed)
      const content = 'first\n\nbetween\n\nprogram\n\nbetween\n\nlast'
      note = (await app.server.post('/v1/notes', { title: `History ${seed}`, content })).body.note.id
      program.length = 0
      for (const device of devices) {
        device.words.length = 0
        await open(device)
      }
      // Both know the note without a network.
      for (const { page } of devices) await page.waitForFunction(hasText(note), { polling: 100 })
      for (let at = 0; at < STEPS; at++) await step(random, `w${at}`)
      for (const device of devices) await cut(device, false)
      for (const { page } of devices) await nothingWaits(page)
      const [first, last] = devices as [Device, Device]
      const line = (name: string, words: readonly string[]) => [name, ...words].join(' ')
      const wanted = [line('first', first.words), line('program', program), line('last', last.words)]
      const end = (await stored()).content
      expect(end).toBe(wanted.join('\n\nbetween\n\n'))
      for (const { page } of devices)
        await page.waitForFunction(
          `document.querySelector('.cm-content').innerText.replace(/\\s+/g, '') === ${JSON.stringify(end.replace(/\s+/g, ''))}`,
        )
      expect(app.problems).toEqual([])
    },
    RANDOM_CASES_MS,
  )
})
