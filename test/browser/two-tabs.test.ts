import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'puppeteer-core'
import { BROWSER_TIMEOUT_MS } from '../support/application.ts'
import {
  type Application,
  fill,
  press,
  startApplication,
  untilNoText,
  untilText,
  untilTextIn,
} from '../support/application-server.ts'
import { hasBrowser } from '../support/browser.ts'
import { untilAddress } from '../support/waits.ts'

describe.skipIf(!hasBrowser)('two tabs of one browser', () => {
  let app: Application
  let one: Page
  let other: Page

  beforeAll(async () => {
    app = await startApplication()
    one = await app.newPage()
    await app.setUp(one, await app.setupLink())
    await app.server.post('/v1/notes', { title: 'Of the first workspace' })
    other = await app.nextPage(one.browserContext())
  }, BROWSER_TIMEOUT_MS)
  afterAll(() => app.close(), BROWSER_TIMEOUT_MS)

  test(
    'show and write the same workspace, also after one of them switched to another',
    async () => {
      await one.bringToFront()
      await one.goto(`${app.server.url}/app/notes`)
      await untilText(one, 'Of the first workspace')
      await other.bringToFront()
      await other.goto(`${app.server.url}/app/settings/workspaces`)
      await fill(other, 'New workspace’s name', 'Household')
      await press(other, 'Create workspace')
      await press(other, 'Open Household')
      await untilTextIn(other, '.rail-head', 'Household')
      await one.bringToFront()
      await untilTextIn(one, '.rail-head', 'Household')
      await untilNoText(one, 'Of the first workspace')
      await press(one, 'New note (N)')
      await untilAddress(one, ({ pathname }) => /notes\/.+/.test(pathname))
      expect((await app.server.get('/v1/notes')).body.total).toBe(1)
    },
    BROWSER_TIMEOUT_MS,
  )
})
