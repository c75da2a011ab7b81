import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'puppeteer-core'
import { BROWSER_TIMEOUT_MS } from '../support/application.ts'
import { type Application, startApplication } from '../support/application-server.ts'
import { hasBrowser } from '../support/browser.ts'
import { RANDOM_CASES_MS, runs } from '../support/counts.ts'
import { randomSource } from '../support/random.ts'
import { type Model, newModel, textOf, Writer } from '../support/sitting.ts'

const SITTINGS = runs(2, 500)
/** The number of notes edited concurrently. */
const TOGETHER = 3
/** The number of sittings per note. After these the passages are long, and a new note begins. */
const PER_NOTE = 20

describe.skipIf(!hasBrowser)('two people who write in one note at the same time', () => {
  let app: Application
  beforeAll(async () => {
    app = await startApplication()
  }, BROWSER_TIMEOUT_MS)
  afterAll(() => app.close(), BROWSER_TIMEOUT_MS)

  /** Opens a page that behaves as focused, whatever the other pages do. */
  const newWriter = async (): Promise<Page> => {
    const page = await app.newPage()
    const client = await page.createCDPSession()
    await client.send('Emulation.setFocusEmulationEnabled', { enabled: true })
    await app.signIn(page)
    return page
  }

  const isShown = (page: Page, text: string) =>
    page.waitForFunction(
      (lines) =>
        document.querySelector('#note .status.ok') && document.querySelectorAll('.cm-line').length === lines,
      { polling: 100 },
      text.split('\n').length,
    )

  /** Waits until the server has the text of the model, and both pages report everything as saved. */
  const isSettled = async (id: string, model: Model, pages: readonly Page[]) => {
    const wanted = textOf(model)
    let held = ''
    for (
      const end = Date.now() + BROWSER_TIMEOUT_MS / 2;
      held !== wanted && Date.now() < end;
      await Bun.sleep(100)
    )
      held = (await app.server.get(`/v1/notes/${id}`)).body.note.content
    expect(held).toBe(wanted)
    for (const page of pages) await isShown(page, wanted)
  }

  const sit = async (pages: readonly [Page, Page], seed: number, sittings: number) => {
    const randoms = [randomSource(seed), randomSource(seed + 1)] as const
    for (let done = 0; done < sittings; done += PER_NOTE) {
      const model = newModel()
      const { note } = (
        await app.server.post('/v1/notes', { title: `Shared ${seed}`, content: textOf(model) })
      ).body
      for (const page of pages) {
        await page.goto(`${app.server.url}/app/notes/${note.id}`)
        await page.waitForSelector('.cm-content')
      }
      for (let at = done; at < Math.min(sittings, done + PER_NOTE); at++) {
        const writers = pages.map(
          (page, parity) => new Writer(page, randoms[parity as 0 | 1], parity as 0 | 1, model),
        )
        await Promise.all(
          writers.map(async (writer) => {
            for (let count = 2 + writer.random(4); count > 0; count--) await writer.change()
            await writer.rest()
          }),
        )
        await isSettled(note.id, model, pages)
      }
    }
  }

  test(
    `lose and duplicate no character in ${SITTINGS} sessions`,
    async () => {
      const seed = Number(Bun.env.DAYBOOK_TEST_SEED ?? Date.now() % 1_000_000)
      const each = Math.ceil(SITTINGS / TOGETHER)
      await Promise.all(
        Array.from({ length: TOGETHER }, async (_, at) =>
          sit([await newWriter(), await newWriter()], seed + 2 * at, each).catch((error) => {
            throw new Error(`With the seed ${seed + 2 * at}: ${error}`, { cause: error })
          }),
        ),
      )
      expect(app.problems).toEqual([])
    },
    RANDOM_CASES_MS,
  )
})
