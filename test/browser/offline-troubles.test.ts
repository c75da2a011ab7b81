import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { copyFileSync, rmSync } from 'node:fs'
import type { Page } from 'puppeteer-core'
import { BROWSER_TIMEOUT_MS } from '../support/application.ts'
import {
  type Application,
  fill,
  press,
  startApplication,
  until,
  untilNoText,
  untilText,
  untilTextIn,
} from '../support/application-server.ts'
import { hasBrowser } from '../support/browser.ts'
import { PASSWORD } from '../support/browser-client.ts'
import { focusCell, gridOn } from '../support/grid.ts'
import { countsOn, nothingPending, setOffline, untilStoredOn } from '../support/offline.ts'
import { send } from '../support/page-requests.ts'
import { untilKept, untilRead, untilTextIs } from '../support/waits.ts'

/** Each failure shows a message, and no typed text is lost. */
describe.skipIf(!hasBrowser)('failures of the offline copy', () => {
  let app: Application
  let page: Page
  let id = ''

  beforeAll(async () => {
    app = await startApplication([], { isInstalled: true })
    page = await app.newPage()
    await app.setUp(page, await app.setupLink())
  }, BROWSER_TIMEOUT_MS)
  afterAll(() => app.close(), BROWSER_TIMEOUT_MS)

  /** Creates a note for each test, open and available offline. */
  beforeEach(async () => {
    await setOffline(page, false)
    id = (await app.server.post('/v1/notes', { title: 'Open', content: '' })).body.note.id
    await openNote(page)
    await untilStoredOn(page, { texts: 1 })
    await untilKept(page, 'texts', id)
  }, BROWSER_TIMEOUT_MS)

  const openNote = async (on: Page) => {
    await on.goto(`${app.server.url}/app/notes/${id}`)
    await on.waitForSelector('.cm-content')
  }
  const type = async (text: string, on = page) => {
    await on.focus('.cm-content')
    await on.keyboard.type(text)
  }
  const stored = async () => (await app.server.get(`/v1/notes/${id}`)).body.note.content as string
  const untilStored = async (wanted: string) => {
    await nothingPending(page)
    expect(await stored()).toBe(wanted)
  }
  const storage = async (method: string, options: object) => {
    const session = await page.createCDPSession()
    await session.send(`Storage.${method}` as never, { origin: app.server.url, ...options } as never)
    await session.detach()
  }
  /** Holds reads of an address until the returned session ends. */
  const holdReads = async (address: string) => {
    const session = await page.createCDPSession()
    session.on('Fetch.requestPaused', ({ requestId, request }) => {
      if (request.method !== 'GET') void session.send('Fetch.continueRequest', { requestId })
    })
    await session.send('Fetch.enable', { patterns: [{ urlPattern: address }] })
    return session
  }
  /** Calls an endpoint of the application as the owner. */
  const call = async (method: string, path: string, body?: object) =>
    (await send(page, method, `/app/api/${path}`, body)).body
  /** Closes the tab as a crash does, and opens another one. */
  const crash = async () => {
    const next = await app.nextPage(page.browserContext())
    await page.close({ runBeforeUnload: false })
    page = next
  }

  test(
    'the browser has no space left',
    async () => {
      await setOffline(page, true)
      const full = await page.evaluateHandle(() => {
        const { put } = IDBObjectStore.prototype
        IDBObjectStore.prototype.put = () => {
          throw new DOMException('There is no room.', 'QuotaExceededError')
        }
        return {
          makeRoom: () => {
            IDBObjectStore.prototype.put = put
          },
        }
      })
      await type('Typed without room.')
      await untilText(page, 'Drafts can’t be stored in this browser')
      await untilText(page, 'Stay on this page until the note is saved.')
      await setOffline(page, false)
      await untilTextIn(page, '#note .bar', 'Saved')
      expect(await stored()).toBe('Typed without room.')
      const left = await page.evaluate(() => {
        dispatchEvent(new Event('pagehide'))
        return Object.keys(localStorage).filter((name) => name.startsWith('daybook-left '))
      })
      expect(left).toEqual([])
      await app.server.post('/v1/notes', { title: 'Large', content: 'x'.repeat(100_000) })
      await untilText(page, 'This browser has no space left for the offline copy.')
      await full.evaluate(({ makeRoom }) => makeRoom())
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'the browser has cleared its storage',
    async () => {
      await setOffline(page, true)
      await type('Typed before.')
      await untilText(page, 'Will save when the server is back')
      await storage('clearDataForOrigin', { storageTypes: 'indexeddb' })
      await untilText(page, 'The browser cleared its storage.')
      await until(async () => (await countsOn(page)).queue === 1)
      await untilNoText(page, 'Drafts can’t be stored in this browser')
      await crash()
      await openNote(page)
      await untilStored('Typed before.')
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'an edit is stored after later ones',
    async () => {
      await setOffline(page, true)
      const late = await page.evaluate(async () => {
        const { put } = IDBObjectStore.prototype
        const edits: object[] = []
        IDBObjectStore.prototype.put = function (value, ...rest) {
          if (this.name === 'queue' && 'seen' in value) edits.push(value)
          return put.call(this, value, ...rest)
        }
        const field = document.querySelector<HTMLTextAreaElement>('#note .title-field')
        for (const title of ['Open 1', 'Open 12', 'Open 123']) {
          if (field) field.value = title
          field?.dispatchEvent(new InputEvent('input', { bubbles: true }))
        }
        while (edits.length < 3) await new Promise((resolve) => setTimeout(resolve, 10))
        return edits[1]
      })
      await until(async () => (await countsOn(page)).queue === 1)
      await page.evaluate(
        (edit) =>
          new Promise<void>((resolve) => {
            indexedDB.open('daybook-offline').onsuccess = ({ target }) => {
              const { result: db } = target as IDBOpenDBRequest
              const transaction = db.transaction('queue', 'readwrite')
              transaction.objectStore('queue').put(edit)
              transaction.oncomplete = () => {
                db.close()
                resolve()
              }
            }
          }),
        late,
      )
      await crash()
      await openNote(page)
      await nothingPending(page)
      expect((await app.server.get(`/v1/notes/${id}`)).body.note.title).toBe('Open 123')
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'the text before an edit is missing',
    async () => {
      await setOffline(page, true)
      await type('Typed before.')
      await untilText(page, 'Will save when the server is back')
      await page.evaluate(
        () =>
          new Promise<void>((resolve) => {
            indexedDB.open('daybook-offline').onsuccess = ({ target }) => {
              const { result: db } = target as IDBOpenDBRequest
              const transaction = db.transaction('bases', 'readwrite')
              transaction.objectStore('bases').clear()
              transaction.oncomplete = () => {
                db.close()
                resolve()
              }
            }
          }),
      )
      await crash()
      await setOffline(page, false)
      await openNote(page)
      await untilText(page, 'A change of a note cannot be merged.')
      await type('Typed after.')
      await until(async () => (await stored()) === 'Typed after.')
      await page.goto(`${app.server.url}/app/settings/offline`)
      await untilTextIn(page, '.waiting .verbatim', 'Typed before.')
      await press(page, 'Discard: Open')
      await press(page, 'Discard change')
      await nothingPending(page)
      await untilNoText(page, 'A change of a note cannot be merged.')
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'a tab and the network end before the feed reports the save',
    async () => {
      await holdReads('*/v1/changes?include=*')
      await type('Saved a moment ago.')
      await untilStored('Saved a moment ago.')
      await untilTextIn(page, '#note .bar', 'Saved')
      await crash()
      await setOffline(page, true)
      await openNote(page)
      await untilTextIn(page, '.cm-content', 'Saved a moment ago.')
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'the clock of the device is wrong',
    async () => {
      await page.evaluateOnNewDocument(() => {
        const { now } = Date
        Date.now = () => now() - 7_200_000
      })
      await openNote(page)
      await untilText(page, 'The clock of this device is 120 minutes behind the server’s')
      await setOffline(page, true)
      await type('Typed two hours ago.')
      await app.server.patch(`/v1/notes/${id}`, { title: 'Named meanwhile' })
      await setOffline(page, false)
      await untilStored('Typed two hours ago.')
      await crash()
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'the server is restored from a backup, in which an open note is older, and another is missing',
    async () => {
      const backup = `${app.file}.backup`
      const db = new Database(app.file, { readonly: true })
      db.run('VACUUM INTO ?', [backup])
      db.close()
      // The displayed content is saved here, and not read again before the server is gone.
      const lock = await holdReads(`*/v1/notes/${id}`)
      await type('Saved and gone.')
      await untilStored('Saved and gone.')
      const later = (await app.server.post('/v1/notes', { title: 'Later', content: 'Made.' })).body.note.id
      const other = await app.nextPage(page.browserContext())
      await other.goto(`${app.server.url}/app/notes/${later}`)
      await other.waitForSelector('.cm-content')
      await page.bringToFront()
      const { total } = (await app.server.get('/v1/notes')).body
      await untilStoredOn(page, { notes: total })
      await app.restart(async () => {
        await untilText(page, 'Offline')
        await type(' Typed meanwhile.', other)
        for (const end of ['-wal', '-shm']) rmSync(app.file + end, { force: true })
        copyFileSync(backup, app.file)
      })
      await lock.detach()
      await untilText(page, 'The server was restored from an earlier backup.')
      // The displayed content equals the server's and follows its changes.
      await untilTextIs(page, '.cm-content', '')
      await type('Goes on.')
      await untilRead(page, `/v1/notes/${id}`, ({ note }) => note.content === 'Goes on.')
      await press(other, 'Save as a new note')
      await untilRead(other, '/v1/notes', ({ notes }) =>
        notes.some(
          ({ content }: { content: string }) =>
            content === 'Made. Typed meanwhile.' || content === ' Typed meanwhile.Made.',
        ),
      )
      await other.close()
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'narrowed access removes everything else from the offline copy',
    async () => {
      const { member, link } = await call('POST', 'members', { name: 'Cleo', role: 'editor' })
      const cleo = await app.newPage()
      await app.setUp(cleo, String(link))
      await untilStoredOn(cleo, { texts: 1 })
      await call('PATCH', `members/${member.user_id}`, { access: { notes: 'none' } })
      await until(async () => {
        const { notes, texts } = await countsOn(cleo)
        return notes === 0 && texts === 0
      })
      await cleo.close()
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'the writer is no longer a member of the workspace',
    async () => {
      await page.goto(`${app.server.url}/app/settings/members`)
      const { member, link } = await call('POST', 'members', { name: 'Ben', role: 'editor' })
      const ben = await app.newPage()
      await app.setUp(ben, String(link))
      await openNote(ben)
      await untilStoredOn(ben, { texts: 1 })
      await setOffline(ben, true)
      await type('Typed by Ben.', ben)
      await untilText(ben, 'Will save when the server is back')
      const { workspace } = await call('GET', 'session')
      const household = (await call('POST', 'workspaces', { name: 'Household' })).workspace
      await call('PATCH', 'session', { workspace_id: household.id })
      await call('POST', 'members', { name: 'Ben', role: 'editor' })
      await call('PATCH', 'session', { workspace_id: workspace.id })
      await call('DELETE', `members/${member.user_id}`)
      await setOffline(ben, false)
      await untilTextIn(ben, 'dialog:modal', '1 pending change')
      await fill(ben, 'Name', 'Ben')
      await fill(ben, 'Password', PASSWORD)
      await ben.keyboard.press('Enter')
      await untilTextIn(ben, '.rail-head', 'Household')
      await ben.goto(`${app.server.url}/app/settings/offline`)
      await untilText(ben, 'You no longer have access to the workspace of this change. Copy what you need.')
      await untilTextIn(ben, '#offline .verbatim', 'Typed by Ben.')
      expect((await countsOn(ben)).queue).toBe(1)
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'the table of a pending cell was deleted',
    async () => {
      const fields = [{ key: 'name', type: 'text', label: 'Name' }]
      const { structure } = (await app.server.post('/v1/records/structures', { name: 'Leads', fields })).body
      await app.server.post('/v1/records', { structure: 'Leads', data: { name: 'One' } })
      await page.goto(`${app.server.url}/app/records/${structure.id}`)
      await gridOn(page).shows(0, 1, 'One')
      await setOffline(page, true)
      await focusCell(page, 0, 1)
      await page.keyboard.press('Enter')
      await page.waitForSelector('td input:focus, td textarea:focus')
      await page.keyboard.type(' and two')
      await page.keyboard.press('Enter')
      await untilText(page, '1 change pending')
      const other = await app.nextPage(page.browserContext())
      await other.goto(`${app.server.url}/app/notes`)
      await send(other, 'DELETE', `/app/api/structures/${structure.id}`, { name: 'Leads' })
      await other.close()
      await setOffline(page, false)
      await untilText(page, 'Unsaved change in')
      expect((await countsOn(page)).queue).toBe(1)
    },
    BROWSER_TIMEOUT_MS,
  )
})
