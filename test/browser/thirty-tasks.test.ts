import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'puppeteer-core'
import { accessibilityProblems, BROWSER_TIMEOUT_MS } from '../support/application.ts'
import { type Application, startApplication, until, untilTextIn } from '../support/application-server.ts'
import { hasBrowser } from '../support/browser.ts'
import { hasManyCases } from '../support/counts.ts'
import { keyboardOn } from '../support/keyboard.ts'
import { DAILY_TASKS } from '../support/tasks/daily.ts'
import { NOTE_TASKS } from '../support/tasks/notes.ts'
import { TABLE_TASKS } from '../support/tasks/tables.ts'
import { type Desk, fillWorkspace, type Task } from '../support/tasks/task.ts'
import { WORKSPACE_TASKS } from '../support/tasks/workspace.ts'

const TASKS: readonly Task[] = [...NOTE_TASKS, ...TABLE_TASKS, ...WORKSPACE_TASKS, ...DAILY_TASKS]

/** The widths of a large and a small desktop, a tablet and a phone, light and dark. */
const LOOKS = [1440, 1280, 768, 390].flatMap((width) => [[width, 'light'] as const, [width, 'dark'] as const])

/** Runs each task in one of the looks, so that every look has some; the full counts run each task in all looks. */
const CASES = TASKS.flatMap((task, at) =>
  (hasManyCases ? LOOKS : [LOOKS[at % LOOKS.length] ?? [1280, 'light']]).map(
    ([width, scheme]) => [task.does, width, scheme, task] as const,
  ),
)

describe.skipIf(!hasBrowser)('a user with a keyboard alone', () => {
  let app: Application
  let page: Page
  let tables: Desk['tables']
  let number = 0

  beforeAll(async () => {
    app = await startApplication(['--webhook-allow', '127.0.0.1'])
    tables = await fillWorkspace(app.server)
    page = await app.newPage()
    await app.signIn(page)
    await page.bringToFront()
  }, BROWSER_TIMEOUT_MS)
  afterAll(() => app.close(), BROWSER_TIMEOUT_MS)

  const deskOf = (width: number): Desk => ({
    app,
    page,
    keys: keyboardOn(page),
    width,
    number: ++number,
    tables,
    go: async (path) => {
      await page.goto(`${app.server.url}/app/${path}`)
      await page.waitForSelector('main')
    },
    says: (text) => untilTextIn(page, 'main', text),
    until,
  })

  test('completes thirty tasks and seven of every day', () => expect(TASKS).toHaveLength(37))

  test.each(CASES)(
    '%s, at %i px, %s, without an accessibility problem',
    async (_, width, scheme, { run }) => {
      await page.setViewport({ width, height: 844 })
      await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }])
      await run(deskOf(width))
      expect(await accessibilityProblems(page, [[width, scheme]])).toEqual([])
      expect(app.problems).toEqual([])
    },
    BROWSER_TIMEOUT_MS,
  )
})
