import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'puppeteer-core'
import { BROWSER_TIMEOUT_MS, untilStill } from '../support/application.ts'
import {
  type Application,
  contentOf,
  fieldOf,
  fill,
  press,
  startApplication,
  untilNoText,
  untilText,
  untilTextIn,
} from '../support/application-server.ts'
import { hasBrowser } from '../support/browser.ts'
import { PASSWORD } from '../support/browser-client.ts'
import { cell, focusCell } from '../support/grid.ts'
import { isFocusIn, showAddress } from '../support/page-acts.ts'
import { endSession, holdRequests, respondTo } from '../support/page-requests.ts'
import { signOut } from '../support/screens/account.ts'
import {
  untilAddress,
  untilFocused,
  untilGone,
  untilNoTextIn,
  untilRead,
  untilTextIs,
  untilValue,
} from '../support/waits.ts'

describe.skipIf(!hasBrowser)('text typed at an awkward moment', () => {
  let app: Application
  let page: Page
  let orders: string
  const at = (path: string) => `${app.server.url}/app/${path}`

  beforeAll(async () => {
    app = await startApplication()
    const fields = [
      { key: 'name', type: 'text' },
      { key: 'due', type: 'datetime' },
      { key: 'total', type: 'number', min: 0 },
    ]
    const made = await app.server.post('/v1/records/structures', { name: 'Orders', fields })
    orders = made.body.structure.id
    page = await app.newPage()
    await app.setUp(page, await app.setupLink())
  }, BROWSER_TIMEOUT_MS)
  afterAll(() => app.close(), BROWSER_TIMEOUT_MS)

  const newestFirst = () => at(`records/${orders}?direction=desc`)
  const makeNote = async (content = ''): Promise<string> =>
    (await app.server.post('/v1/notes', { title: 'Wheel', content })).body.note.id
  const openNote = async (id: string) => {
    await page.goto(at(`notes/${id}`))
    await page.waitForSelector('.cm-content')
    await page.focus('.cm-content')
  }
  const isStored = (id: string, content: string) =>
    untilRead(page, `/v1/notes/${id}`, ({ note }) => note?.content === content)
  const withControl = async (key: 'z' | 'End') => {
    await page.keyboard.down('Control')
    await page.keyboard.press(key)
    await page.keyboard.up('Control')
  }
  const signIn = async () => {
    await fill(page, 'Password', PASSWORD)
    await page.keyboard.press('Enter')
  }

  test(
    'into a search, as its text goes to the address, stays in the search',
    async () => {
      await page.goto(at('notes'))
      await page.waitForSelector('#list input[type=search]')
      await page.$eval('#list input[type=search]', (element) => {
        const field = element as HTMLInputElement
        const type = (text: string) => {
          field.value = text
          field.dispatchEvent(new InputEvent('input', { bubbles: true }))
        }
        const { replaceState } = history
        history.replaceState = (...given) => {
          replaceState.apply(history, given)
          if (!location.search.includes('search=ab')) return
          history.replaceState = replaceState
          type('abc')
        }
        type('ab')
      })
      await untilAddress(page, ({ search }) => search.includes('search=abc'))
      expect(await page.$eval('#list input[type=search]', (field) => (field as HTMLInputElement).value)).toBe(
        'abc',
      )
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'as soon as the settings appear goes into the intended field',
    async () => {
      await page.goto(at('notes'))
      await page.waitForSelector('.rail')
      await page.evaluate(() => {
        new MutationObserver((_, observer) => {
          const field = document.querySelector<HTMLInputElement>('#keys input[name=name]')
          if (!field) return
          observer.disconnect()
          field.focus()
        }).observe(document, { childList: true, subtree: true })
      })
      await showAddress(page, '/app/settings/keys')
      await page.waitForSelector('#keys input[name=name]')
      await untilStill(page)
      expect(await isFocusIn(page, '#keys input[name=name]')).toBe(true)
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'after the tag before it, which is still being added, is the next tag',
    async () => {
      const id = await makeNote()
      await openNote(id)
      await (await fieldOf(page, 'New tag')).focus()
      await page.keyboard.type('one\ntwo\nthree')
      await untilTextIn(page, '#details .tags', 'two')
      expect(await contentOf(page, 'New tag')).toBe('three')
      expect((await app.server.get(`/v1/notes/${id}`)).body.note.tags.toSorted()).toEqual(['one', 'two'])
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'into a property while its previous value is being saved is saved, too',
    async () => {
      await app.server.post('/v1/properties', { key: 'wheels', type: 'number' })
      const id = await makeNote()
      await openNote(id)
      await fill(page, 'Property', 'wheels')
      const release = await holdRequests(page, { method: 'PATCH' })
      for (const value of ['1', '2']) {
        await fill(page, 'wheels', value)
        await page.keyboard.press('Tab')
      }
      await release()
      await untilRead(page, `/v1/notes/${id}/properties`, ({ properties }) => properties.wheels === 2)
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'is reverted by undo, never a later edit of another user',
    async () => {
      const id = await makeNote('first\n')
      await openNote(id)
      await withControl('End')
      // Keys that are half a second apart are undone one by one.
      await page.keyboard.sendCharacter('mine')
      await isStored(id, 'first\nmine')
      await app.server.patch(`/v1/notes/${id}`, { content: 'theirs\nfirst\nmine' })
      await untilTextIn(page, '.cm-content', 'theirs')
      await withControl('z')
      await isStored(id, 'theirs\nfirst\n')
      await withControl('z')
      await page.keyboard.type('!')
      await isStored(id, 'theirs\nfirst\n!')
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'just before signing out is saved',
    async () => {
      const id = await makeNote()
      await openNote(id)
      await page.keyboard.type('the last words')
      await signOut(page)
      await page.waitForSelector('.sign-in-screen')
      expect((await app.server.get(`/v1/notes/${id}`)).body.note.content).toBe('the last words')
      await fill(page, 'Name', 'owner')
      await signIn()
      await page.waitForSelector('.rail')
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'just before a note is trashed is in the trash with it, and the focus stays in the content',
    async () => {
      const id = await makeNote()
      await openNote(id)
      await page.keyboard.type('the last words')
      await press(page, 'More actions')
      await press(page, 'Move to trash')
      await untilAddress(page, ({ pathname }) => pathname === '/app/notes')
      await untilFocused(page, '#main')
      await app.server.post(`/v1/notes/${id}/restore`)
      expect((await app.server.get(`/v1/notes/${id}`)).body.note.content).toBe('the last words')
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'into a cell stays in that cell while rows arrive above it',
    async () => {
      const add = (name: string) => app.server.post('/v1/records', { structure: 'Orders', data: { name } })
      const { id } = (await add('before')).body.records[0]
      await page.goto(newestFirst())
      await page.waitForSelector(cell(0, 1))
      await focusCell(page, 0, 1)
      await page.keyboard.press('Enter')
      await page.waitForSelector('.input.cell:focus')
      await page.keyboard.type('half')
      await add('another')
      await untilTextIs(page, cell(0, 1), 'another')
      await page.keyboard.type(' and half\n')
      await untilTextIs(page, cell(1, 1), 'half and half')
      await untilGone(page, 'td[aria-busy]')
      expect((await app.server.get(`/v1/records/${id}`)).body.record.data.name).toBe('half and half')
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'is the only change of a cell: opening and leaving one keeps every byte',
    async () => {
      const data = { name: 'two\r\nlines', due: '2026-11-21T09:30:00.250Z' }
      const [record] = (await app.server.post('/v1/records', { structure: 'Orders', data })).body.records
      await page.goto(newestFirst())
      await untilTextIn(page, cell(0, 1), 'lines')
      await focusCell(page, 0, 1)
      for (const column of [1, 2]) {
        await page.waitForSelector(`${cell(0, column)}:focus`)
        await page.keyboard.press('Enter')
        await page.waitForSelector('.input.cell:focus')
        await page.keyboard.press('Tab')
        await page.waitForSelector('.input.cell', { hidden: true })
      }
      await untilGone(page, 'td[aria-busy]')
      expect((await app.server.get(`/v1/records/${record.id}`)).body.record).toEqual(record)
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'into a cell and refused after leaving the table is announced, and still there on return',
    async () => {
      await app.server.post('/v1/records', { structure: 'Orders', data: { total: 1 } })
      await page.goto(newestFirst())
      await untilTextIs(page, cell(0, 3), '1')
      const release = await holdRequests(page, { method: 'PATCH' })
      await focusCell(page, 0, 3)
      await page.keyboard.type('-5\n')
      await page.click('.rail-nav a[href="/app/notes"]')
      await page.waitForSelector('.notes-screen')
      await release()
      await untilTextIn(page, '.lines', 'Unsaved change in Orders')
      await page.click('.lines a')
      const refused = await page.waitForSelector('td[data-column="3"][aria-invalid]')
      expect(await refused?.evaluate(({ textContent }) => textContent)).toBe('-5')
      await untilNoTextIn(page, '.lines', 'Not saved')
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'into a new row is restored after viewing another row',
    async () => {
      await page.goto(at(`records/${orders}?pane=new`))
      await fill(page, 'name', 'half a row')
      await page.locator(`${cell(0, 0)} a`).click()
      await page.waitForSelector('.tabs')
      await press(page, 'New row')
      await untilValue(page, '#value-name', 'half a row')
      await press(page, 'Discard and close')
      await press(page, 'New row')
      await untilValue(page, '#value-name', '')
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'into rows overwrites their current values, also after the session ended in between',
    async () => {
      const data = { name: 'before the end' }
      const [{ id }] = (await app.server.post('/v1/records', { structure: 'Orders', data })).body.records
      await page.goto(newestFirst())
      await untilTextIs(page, cell(0, 1), 'before the end')
      await endSession(page)
      await page.waitForSelector('dialog:modal')
      await app.server.patch(`/v1/records/${id}`, { data: { name: 'after the end' } })
      await signIn()
      await untilTextIs(page, cell(0, 1), 'after the end')
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'into the form of a structure never silently overwrites later changes of another user',
    async () => {
      const made = await app.server.post('/v1/records/structures', {
        name: 'Parts',
        fields: [{ key: 'part', type: 'text' }],
      })
      const { id, fields } = made.body.structure
      const rename = (...labels: string[]) =>
        app.server.patch(`/v1/records/structures/${id}`, {
          fields: [...fields, ...labels.map((label) => ({ key: label.toLowerCase(), type: 'text', label }))],
        })
      const hasLabels = (...wanted: string[]) =>
        page.waitForFunction(
          (labels) =>
            [...document.querySelectorAll<HTMLInputElement>('input[name^=label-]')]
              .map(({ value }) => value)
              .join() === labels,
          {},
          wanted.join(),
        )
      await page.goto(at(`records/${id}/structure`))
      await hasLabels('part')
      await rename('Colour')
      await hasLabels('part', 'Colour')
      await fill(page, 'Name', 'Spare parts')
      await rename('Colour', 'Weight')
      await untilText(page, 'Someone else changed this table while you were editing')
      expect(await contentOf(page, 'Name')).toBe('Spare parts')
      await press(page, 'Discard mine and reload')
      await hasLabels('part', 'Colour', 'Weight')
      await fill(page, 'Name', 'Spare parts')
      await press(page, 'Save table')
      await untilText(page, 'Saved.')
      const saved = (await app.server.get(`/v1/records/structures/${id}`)).body.structure
      expect([saved.name, saved.fields.length]).toEqual(['Spare parts', 3])
      await untilNoText(page, 'Someone else changed')
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'into a form survives the end of the session and a new sign-in',
    async () => {
      const webhook = await app.server.post('/v1/webhooks', {
        structure: 'Orders',
        url: 'https://example.org/hook',
        events: ['record.created'],
      })
      await page.goto(at(`webhooks/${webhook.body.webhook.id}/edit`))
      await fill(page, 'Description (optional)', 'half a description')
      const refused = page.waitForResponse(
        (response) => response.url().includes('/v1/webhooks/') && response.status() === 401,
      )
      await endSession(page)
      await page.waitForSelector('dialog:modal')
      await refused
      await signIn()
      await page.waitForSelector('dialog:modal', { hidden: true })
      expect(await contentOf(page, 'Description (optional)')).toBe('half a description')
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'as the title of a new note stays when it is refused, with the reason',
    async () => {
      await page.goto(at('notes'))
      await page.waitForSelector('.rail')
      const full = { status: 503, detail: 'The disk is full.', code: 'unavailable' }
      await respondTo(page, { method: 'POST', end: '/v1/notes' }, full)
      await page.keyboard.down('Control')
      await page.keyboard.press('k')
      await page.keyboard.up('Control')
      await page.waitForSelector('dialog:modal input:focus')
      await page.keyboard.type('quite new')
      await page.waitForSelector('#new-note')
      await page.click('#new-note')
      await untilText(page, 'The disk is full.')
      expect(await contentOf(page, 'Find')).toBe('quite new')
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'after following the skip link goes to the content',
    async () => {
      await page.goto(at('notes'))
      await page.waitForSelector('.notes-rows')
      await page.focus('a.skip')
      await page.keyboard.press('Enter')
      await page.keyboard.press('Tab')
      expect(await isFocusIn(page, '#main')).toBe(true)
    },
    BROWSER_TIMEOUT_MS,
  )

  test('no page had an error, and no other host was contacted', () => {
    expect(app.problems).toEqual([])
  })
})
