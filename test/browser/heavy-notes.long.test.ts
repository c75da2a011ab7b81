import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'puppeteer-core'
import { BROWSER_TIMEOUT_MS } from '../support/application.ts'
import { type Application, startApplication, untilTextIn } from '../support/application-server.ts'
import { hasBrowser } from '../support/browser.ts'
import { hasManyCases } from '../support/counts.ts'
import { pace } from '../support/pace.ts'
import { showAddress, textOf, textsOf } from '../support/page-acts.ts'
import { untilRead } from '../support/waits.ts'

/* Other people write notes: no content may block the user who opens its preview. */

const CATEGORIES = ['toplevel', 'devtools.timeline', 'disabled-by-default-devtools.timeline']
const LENGTH = 990_000
/** The page must respond within this, whatever it shows. */
const ANSWERS_MS = 100
/** Unclosed openings, runs, nesting, and very large amounts of valid content. */
const HOSTILE = [
  '![',
  '*_',
  'a@',
  '`x``',
  '? ',
  '>',
  '#a ',
  '[[a]] ',
  '- a\n',
  '[a]: b\n',
  'word ',
  'http://a ',
]

interface TraceEvent {
  readonly name: string
  readonly pid: number
  readonly tid: number
  readonly args: { readonly name?: string }
  /** Processor time in microseconds. */
  readonly tdur?: number
}

/**
 * Returns the longest task of the main thread, in milliseconds of processor time, which excludes other load of the
 * machine.
 */
function longestTask(trace: Uint8Array | undefined): number {
  const { traceEvents: events } = JSON.parse(new TextDecoder().decode(trace)) as { traceEvents: TraceEvent[] }
  const mains = events.filter(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain')
  const isMain = ({ pid, tid }: TraceEvent) => mains.some((main) => main.pid === pid && main.tid === tid)
  const tasks = events.filter((event) => event.name === 'RunTask' && isMain(event))
  // A task that is still running when the trace ends has no duration.
  const times = tasks.flatMap(({ tdur }) => (tdur === undefined ? [] : [tdur]))
  expect(times.length).toBeGreaterThan(10)
  return Math.max(...times) / 1_000
}

describe.skipIf(!hasBrowser)('a very long note', () => {
  let app: Application
  let page: Page

  beforeAll(async () => {
    app = await startApplication()
    page = await app.newPage()
    await app.signIn(page)
  }, BROWSER_TIMEOUT_MS)
  afterAll(() => app.close())

  describe('in the preview', () => {
    /** Opens the preview of a new note from the list, and waits until it is complete. */
    const show = async (content: string): Promise<Uint8Array | undefined> => {
      const { id } = (await app.server.post('/v1/notes', { title: 'Heavy', content })).body.note
      await page.goto(`${app.server.url}/app/notes`)
      await page.waitForSelector('main')
      await page.tracing.start({ categories: CATEGORIES })
      await showAddress(page, `/app/notes/${id}?show=preview`)
      await page.waitForFunction(
        () => document.querySelector('main .read')?.lastElementChild?.textContent.includes('THE END'),
        { polling: 100 },
      )
      return page.tracing.stop()
    }

    test.each(HOSTILE.filter((_, at) => hasManyCases || at % 3 === 0))(
      'keeps the page responsive while it shows 990,000 characters of %j',
      async (unit) => {
        const trace = await show(`${unit.repeat(LENGTH / unit.length)}\n\nTHE END`)
        expect(longestTask(trace)).toBeLessThan(ANSWERS_MS * pace())
      },
      BROWSER_TIMEOUT_MS,
    )

    test(
      'shows plain text and an explanation when there is too much markup',
      async () => {
        await show(`${'*_'.repeat(LENGTH / 2)}\n\nTHE END`)
        expect(await textOf(page, 'main .banner')).toContain('Split it into several notes')
        expect(await textOf(page, 'main .read')).toHaveLength(LENGTH + '\n\nTHE END'.length)
      },
      BROWSER_TIMEOUT_MS,
    )

    test(
      'shows a long note of common markup as a page, to its end',
      async () => {
        const section = '## Heading\n\nSome *words* and a [link](https://example.com).\n\n- one\n- two\n\n'
        await show(`${section.repeat(2_000)}THE END`)
        const countOf = (selector: string) => page.$$eval(selector, ({ length }) => length)
        expect(await countOf('main .read :is(h3, h4)')).toBe(2_000)
        expect(await countOf('main .read li')).toBe(4_000)
      },
      BROWSER_TIMEOUT_MS,
    )
  })

  describe('in the editor', () => {
    const open = async (content: string): Promise<string> => {
      const { id } = (await app.server.post('/v1/notes', { title: 'Long', content })).body.note
      await page.goto(`${app.server.url}/app/notes/${id}`)
      await page.waitForSelector('.cm-content')
      await page.focus('.cm-content')
      return id
    }
    const isStored = (id: string, words: string) =>
      untilRead(page, `/v1/notes/${id}`, ({ note }) => note.content.includes(words))
    const press = async (modifier: 'Control', key: 'End') => {
      await page.keyboard.down(modifier)
      await page.keyboard.press(key)
      await page.keyboard.up(modifier)
    }
    const SECTION = '## Heading\n\nSome *words* and a [link](https://example.com).\n\n- one\n- two\n\n'

    test.each([SECTION, '- an item of one list\n', 'a line of one paragraph\n', 'words of one line '])(
      'responds to each key at its start and end, made of %j',
      async (unit) => {
        const id = await open(unit.repeat(Math.ceil(LENGTH / unit.length)))
        await page.waitForSelector('#note .foot span')
        await page.tracing.start({ categories: CATEGORIES })
        await page.keyboard.type('**start** ')
        await press('Control', 'End')
        await page.keyboard.type('\n\n**the end** ')
        await untilTextIn(page, '.cm-content', 'the end')
        const trace = await page.tracing.stop()
        expect((await textsOf(page, '.cm-content .md-strong')).join('')).toBe('**the end**')
        expect(longestTask(trace)).toBeLessThan(ANSWERS_MS * pace())
        await isStored(id, '**the end** ')
      },
      BROWSER_TIMEOUT_MS,
    )

    test(
      'stores each keystroke in this browser first',
      async () => {
        const id = await open(SECTION.repeat(LENGTH / SECTION.length))
        await page.keyboard.type('warm-up ')
        await isStored(id, 'warm-up')
        const kept = await page.evaluate(
          () =>
            new Promise<string[]>((resolve, reject) => {
              document.execCommand('insertText', false, 'the last key')
              const opening = indexedDB.open('daybook-offline')
              opening.onerror = reject
              opening.onsuccess = () => {
                const reading = opening.result.transaction('queue').objectStore('queue').getAll()
                reading.onsuccess = () => resolve(reading.result.map(({ inserted }) => inserted))
              }
            }),
        )
        expect(kept).toEqual(['the last key'])
        await isStored(id, 'the last key')
      },
      BROWSER_TIMEOUT_MS,
    )
  })
})
