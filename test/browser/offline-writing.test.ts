import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import type { Page } from 'puppeteer-core'
import { newIds } from '../../src/web/data/new-ids.ts'
import { BROWSER_TIMEOUT_MS } from '../support/application.ts'
import {
  type Application,
  fieldOf,
  fill,
  press,
  startApplication,
  until,
  untilNoText,
  untilText,
  untilTextIn,
} from '../support/application-server.ts'
import { hasBrowser } from '../support/browser.ts'
import { cell, focusCell, type GridPage, gridOn } from '../support/grid.ts'
import {
  countsOn,
  nothingPending,
  setOffline,
  untilStoredOn,
  untilTableStoredOn,
} from '../support/offline.ts'
import { selectFocused } from '../support/page-acts.ts'
import { respondTo, send } from '../support/page-requests.ts'
import { untilKept, untilTextStarts } from '../support/waits.ts'

interface Stored {
  readonly id: string
  readonly data: Record<string, unknown>
}

interface Change {
  readonly kind: string
  readonly op: string
  readonly id: string
  readonly changed: readonly string[]
  readonly transaction: string
}

describe.skipIf(!hasBrowser)('writing without a network', () => {
  let app: Application
  let page: Page
  let grid: GridPage
  let leads = ''
  let made = 0
  /** Writes that were sent without an idempotency key. */
  const keyless: string[] = []

  beforeAll(async () => {
    app = await startApplication([], { isInstalled: true })
    page = await app.newPage()
    await app.signIn(page)
    await watchWrites(page)
  }, BROWSER_TIMEOUT_MS)
  afterAll(() => app.close(), BROWSER_TIMEOUT_MS)

  /** Creates a structure for each test, available offline, and a tab that shows its rows. */
  beforeEach(async () => {
    const fields = [
      { key: 'name', type: 'text', label: 'Name' },
      { key: 'size', type: 'number', label: 'Size', min: 0 },
    ]
    const { body } = await app.server.post('/v1/records/structures', { name: `Leads ${++made}`, fields })
    leads = body.structure.id
    const rows = Array.from({ length: 6 }, (_, at) => ({ data: { name: `Lead ${at}`, size: at } }))
    await app.server.post('/v1/records', { structure: leads, rows })
    await openRows()
    await press(page, 'More')
    await press(page, 'Keep offline')
    await untilTableStoredOn(page, leads)
  }, BROWSER_TIMEOUT_MS)

  // A test that fails while offline must not affect later tests.
  afterEach(() => setOffline(page, false))

  const watchWrites = async (on: Page) => {
    on.on('request', (request) => {
      const { pathname } = new URL(request.url())
      const isWrite =
        request.method() !== 'GET' && pathname.startsWith('/v1/') && !pathname.endsWith('/query')
      if (isWrite && request.headers()['idempotency-key'] === undefined) keyless.push(pathname)
    })
  }
  const openRows = async () => {
    await page.goto(`${app.server.url}/app/records/${leads}?sort=size&direction=asc`)
    grid = gridOn(page)
    await grid.shows(0, 1, 'Lead 0')
  }
  const edit = async (row: number, column: number, text: string) => {
    await focusCell(page, row, column)
    await page.keyboard.press('Enter')
    await page.waitForSelector('td input:focus, td textarea:focus')
    await selectFocused(page)
    await page.keyboard.type(text)
    await page.keyboard.press('Enter')
    await showsTyped(row, column, text)
  }
  /** Waits until a cell shows its typed text, saved or not. */
  const showsTyped = (row: number, column: number, text: string) =>
    untilTextStarts(page, cell(row, column), text)
  const stored = async (): Promise<Stored[]> =>
    (await app.server.get(`/v1/records?structure=${leads}&sort=size&direction=asc`)).body.records
  const names = async () => (await stored()).map(({ data }) => data.name)
  /** Waits until the server has these names. */
  const hasNames = async (wanted: readonly string[]) => {
    const end = Date.now() + BROWSER_TIMEOUT_MS / 2
    while (String(await names()) !== String(wanted) && Date.now() < end) await Bun.sleep(25)
    expect(await names()).toEqual([...wanted])
  }
  /** Closes the tab as a crash does, and opens another one. */
  const crash = async () => {
    const next = await app.nextPage(page.browserContext())
    await page.close({ runBeforeUnload: false })
    page = next
    await watchWrites(page)
  }

  /** Records which kinds of entries each transaction of the queue puts and deletes; returns how to read them. */
  const watchQueue = async (): Promise<() => Promise<string[][]>> => {
    const watched = await page.evaluateHandle(() => {
      const written = new Map<IDBTransaction, string[]>()
      const note = ({ name, transaction }: IDBObjectStore, kind: string, entry: string) => {
        const before = written.get(transaction) ?? []
        if (name === 'queue') written.set(transaction, [...before, `${kind} ${entry.split(' ')[0]}`])
      }
      const stores = IDBObjectStore.prototype
      const { put, delete: remove } = stores
      stores.put = function (value, ...key) {
        note(this, 'put', value.name ?? '')
        return put.call(this, value, ...key)
      }
      stores.delete = function (key) {
        note(this, 'delete', String((key as IDBValidKey[])[2] ?? ''))
        return remove.call(this, key)
      }
      return written
    })
    return () => watched.evaluate((written) => [...written.values()])
  }
  /** Discards the pending changes, on the screen that lists all of them. */
  const giveUp = async (name: string) => {
    await page.goto(`${app.server.url}/app/settings/offline`)
    await press(page, `Discard: ${name}`)
    await press(page, 'Discard change')
    await nothingPending(page)
    await untilNoText(page, name)
  }

  test(
    'pending cells outlive their tab, appear in the next one, and are sent when the network is back',
    async () => {
      await setOffline(page, true)
      await edit(1, 1, 'Typed away')
      await untilTextIn(page, cell(1, 1), 'Not saved. Will save when the server is back.')
      await untilText(page, '1 change pending')
      await crash()
      await setOffline(page, true)
      await page.goto(`${app.server.url}/app/records/${leads}?sort=size&direction=asc`)
      await showsTyped(1, 1, 'Typed away')
      await untilText(page, '1 change pending')
      expect(await names()).toEqual(['Lead 0', 'Lead 1', 'Lead 2', 'Lead 3', 'Lead 4', 'Lead 5'])
      await setOffline(page, false)
      await nothingPending(page)
      await untilNoText(page, 'change pending')
      expect(await names()).toEqual(['Lead 0', 'Typed away', 'Lead 2', 'Lead 3', 'Lead 4', 'Lead 5'])
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'a cell outlives a tab that is closed before it could read anything from the browser',
    async () => {
      await setOffline(page, true)
      await page.evaluate(() => {
        IDBObjectStore.prototype.get = () => {
          throw new DOMException('The tab is closed.', 'AbortError')
        }
      })
      await edit(2, 1, 'Typed last')
      await until(async () => (await countsOn(page)).queue === 1)
      await crash()
      await setOffline(page, false)
      await page.goto(`${app.server.url}/app/records/${leads}?sort=size&direction=asc`)
      await nothingPending(page)
      expect(await names()).toContain('Typed last')
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'a pending cell is shown and edited in every tab, and its last value is sent once',
    async () => {
      const first = page
      page = await app.nextPage(first.browserContext())
      await watchWrites(page)
      await openRows()
      const { cursor } = (await app.server.get('/v1/changes?after=now')).body
      await setOffline(page, true)
      await edit(1, 1, 'Of the second tab')
      const second = page
      page = first
      await page.bringToFront()
      await showsTyped(1, 1, 'Of the second tab')
      await edit(1, 1, 'Of the first tab')
      await edit(2, 1, 'Behind it')
      await second.bringToFront()
      page = second
      await showsTyped(1, 1, 'Of the first tab')
      await showsTyped(2, 1, 'Behind it')
      await first.close()
      await setOffline(page, false)
      await nothingPending(page)
      await grid.shows(1, 1, 'Of the first tab')
      await untilNoText(page, 'change pending')
      const { changes } = (await app.server.get(`/v1/changes?after=${cursor}`)).body
      expect(changes).toHaveLength(2)
      expect((await names()).slice(0, 3)).toEqual(['Lead 0', 'Of the first tab', 'Behind it'])
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'an edit that another tab has sent is undone by the tab that made it',
    async () => {
      const other = await app.nextPage(page.browserContext())
      await watchWrites(other)
      await other.goto(`${app.server.url}/app/notes`)
      await untilStoredOn(other, {})
      await page.bringToFront()
      await edit(2, 1, 'Saved before')
      await hasNames(['Lead 0', 'Lead 1', 'Saved before', 'Lead 3', 'Lead 4', 'Lead 5'])
      await setOffline(page, true)
      await edit(1, 1, 'Sent elsewhere')
      await untilText(other, '1 change pending')
      await other.setOfflineMode(false)
      await hasNames(['Lead 0', 'Sent elsewhere', 'Saved before', 'Lead 3', 'Lead 4', 'Lead 5'])
      await other.close()
      await page.setOfflineMode(false)
      await untilNoText(page, 'change pending')
      await untilNoText(page, 'Offline')
      await grid.shows(1, 1, 'Sent elsewhere')
      await grid.withControl('z')
      await hasNames(['Lead 0', 'Lead 1', 'Saved before', 'Lead 3', 'Lead 4', 'Lead 5'])
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'a cell that another user changed meanwhile shows both values, and nothing is overwritten',
    async () => {
      const [, row] = await stored()
      await setOffline(page, true)
      await edit(1, 1, 'Mine')
      await edit(2, 1, 'Behind it')
      await app.server.patch(`/v1/records/${row?.id}`, { data: { name: 'Theirs' } })
      await setOffline(page, false)
      await page.waitForSelector(`${cell(1, 1)}[aria-invalid="true"]`)
      await untilText(page, 'Theirs')
      await hasNames(['Lead 0', 'Theirs', 'Behind it', 'Lead 3', 'Lead 4', 'Lead 5'])
      // The conflict waits for a decision, in any tab.
      await crash()
      await openRows()
      await page.waitForSelector(`${cell(1, 1)}[aria-invalid="true"]`)
      await showsTyped(1, 1, 'Mine')
      await giveUp(`Name of a row in Leads ${made}`)
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'permanently refused edits are shown on every screen, and do not block later ones',
    async () => {
      const [, row] = await stored()
      await setOffline(page, true)
      await edit(1, 1, 'Of a row that goes')
      await edit(2, 1, 'Behind it')
      await crash()
      await app.server.delete(`/v1/records/${row?.id}`)
      await page.goto(`${app.server.url}/app/notes`)
      await untilText(page, 'Unsaved change in')
      await hasNames(['Lead 0', 'Behind it', 'Lead 3', 'Lead 4', 'Lead 5'])
      await giveUp(`Name of a row in Leads ${made}`)
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'edits of notes and cells in several tabs are sent in the order they were written',
    async () => {
      const id = (await app.server.post('/v1/notes', { title: 'Between', content: '' })).body.note.id
      const other = await app.nextPage(page.browserContext())
      await watchWrites(other)
      await other.goto(`${app.server.url}/app/notes/${id}`)
      await other.waitForSelector('.cm-content')
      const { cursor } = (await app.server.get('/v1/changes?after=now')).body
      await untilStoredOn(page, { texts: 1 })
      await setOffline(page, true)
      const write = async (text: string) => {
        await other.bringToFront()
        await other.focus('.cm-content')
        await other.keyboard.type(text)
        await untilText(other, 'Will save when the server is back')
        await page.bringToFront()
      }
      await edit(0, 1, 'First')
      await write('second')
      await edit(4, 1, 'Third')
      await edit(5, 1, 'Fourth')
      // The tab with the oldest change is the last to detect that the server is reachable.
      await other.setOfflineMode(false)
      await page.setOfflineMode(false)
      await nothingPending(page)
      const { changes } = (await app.server.get(`/v1/changes?after=${cursor}`)).body
      expect((changes as Change[]).map(({ kind, changed }) => [kind, changed.join()])).toEqual([
        ['record', 'name'],
        ['note', 'content'],
        ['record', 'name'],
        ['record', 'name'],
      ])
      await other.close()
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'a new note is listed immediately, and stays one note when it is saved',
    async () => {
      await setOffline(page, true)
      await page.goto(`${app.server.url}/app/notes`)
      await press(page, 'New note (N)')
      await page.waitForSelector('#note .title-field')
      await page.keyboard.type('Bittern')
      await untilTextIn(page, '.notes-rows', 'Bittern')
      await setOffline(page, false)
      await nothingPending(page)
      expect((await app.server.get('/v1/notes?search=Bittern')).body.total).toBe(1)
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'tags, pins, properties and new rows wait, outlive their tab, and are sent once',
    async () => {
      const note = { title: 'Tagged away', content: 'text', tags: ['old'] }
      const id = (await app.server.post('/v1/notes', note)).body.note.id
      await app.server.post('/v1/properties', { key: 'stage', label: 'Stage', type: 'text' })
      await app.server.patch(`/v1/notes/${id}/properties`, { stage: 'raw' })
      const stages = async () => (await app.server.get(`/v1/notes/${id}/properties`)).body.properties.stage
      const setStage = async (stage: string) => {
        await fill(page, 'Stage', stage)
        await page.keyboard.press('Tab')
      }
      const texts = (await app.server.get('/v1/notes')).body.total
      await untilStoredOn(page, { texts })
      await untilKept(page, 'notes', id, '"stage":"raw"')
      await untilKept(page, 'answers', '/v1/properties', 'Stage')
      await setOffline(page, true)
      await page.type('.new-row input[name=name]', 'Row away')
      await page.keyboard.press('Enter')
      await untilTextIn(page, 'table', 'Row away')
      await untilText(page, '1 change pending')
      await page.goto(`${app.server.url}/app/notes/${id}`)
      await page.waitForSelector('input[name=tag]')
      await page.type('input[name=tag]', 'field/new')
      await press(page, 'Add tag')
      await untilTextIn(page, '#details .tags', 'field/new')
      await press(page, 'Remove tag old')
      await untilText(page, '3 changes pending')
      await press(page, 'More actions')
      await press(page, 'Pin')
      await setStage('dry')
      await untilText(page, '5 changes pending')
      await setStage('glazed')
      await crash()
      await setOffline(page, true)
      await page.goto(`${app.server.url}/app/records/${leads}?sort=size&direction=asc`)
      await untilTextIn(page, 'table', 'Row away')
      await untilText(page, '5 changes pending')
      await setOffline(page, false)
      await nothingPending(page)
      expect((await names()).filter((name) => name === 'Row away')).toEqual(['Row away'])
      const sent = { tags: ['field/new'], pinned: true }
      expect((await app.server.get(`/v1/notes/${id}`)).body.note).toMatchObject(sent)
      expect(await stages()).toBe('glazed')
      await page.goto(`${app.server.url}/app/notes/${id}`)
      await fieldOf(page, 'Stage')
      await setOffline(page, true)
      await untilText(page, 'Offline')
      await setStage('mine')
      await untilText(page, '1 change pending')
      await app.server.patch(`/v1/notes/${id}/properties`, { stage: 'theirs' })
      await setOffline(page, false)
      await untilText(page, 'Not saved: Stage of Tagged away.')
      expect(await stages()).toBe('theirs')
      await giveUp('Stage of Tagged away')
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'tags of several notes wait together, are sent once, and name the notes that are gone',
    async () => {
      const ids: string[] = []
      for (const title of ['Bulk 1', 'Bulk 2', 'Bulk 3'])
        ids.push(
          (await app.server.post('/v1/notes', { title, content: '', tags: ['bulk', 'old'] })).body.note.id,
        )
      await untilStoredOn(page, { texts: (await app.server.get('/v1/notes')).body.total })
      await page.goto(`${app.server.url}/app/notes?tag=bulk`)
      await untilTextIn(page, '.notes-rows', 'Bulk 3')
      const { cursor } = (await app.server.get('/v1/changes?after=now')).body
      await setOffline(page, true)
      await press(page, 'Select')
      await press(page, 'Select all 3')
      await untilText(page, '3 selected')
      await press(page, 'Tag…')
      await page.type('#bulk-tag', 'away')
      await page.keyboard.press('Enter')
      await untilText(page, '3 notes tagged #away.')
      await press(page, 'Tag…')
      await page.type('#bulk-tag', 'old')
      await press(page, 'Remove')
      await untilText(page, '#old removed from 3 notes.')
      await press(page, 'Tag…')
      await page.type('#bulk-tag', 'discarded')
      await page.keyboard.press('Enter')
      await untilText(page, '3 changes pending')
      await page.goto(`${app.server.url}/app/settings/offline`)
      await press(page, 'Discard: Tag discarded of 3 notes')
      await press(page, 'Discard change')
      await untilText(page, '2 pending changes')
      await app.server.delete(`/v1/notes/${ids[2]}`)
      await setOffline(page, false)
      await untilText(page, 'Tag away of Bulk 3')
      const tagged = async () =>
        ((await app.server.get(`/v1/changes?after=${cursor}`)).body.changes as Change[]).filter(
          ({ op }) => op === 'updated',
        )
      // The removal is sent after the tag.
      await until(async () => (await tagged()).length >= 4)
      expect((await tagged()).map(({ id }) => id).sort()).toEqual(
        [ids[0], ids[0], ids[1], ids[1]].map(String),
      )
      for (const id of ids.slice(0, 2))
        expect((await app.server.get(`/v1/notes/${id}`)).body.note.tags).toEqual(['away', 'bulk'])
      await giveUp('Tag away of Bulk 3')
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'a tag that must be sent again is not added after its removal',
    async () => {
      const ids: string[] = []
      for (const title of ['Late 1', 'Late 2'])
        ids.push((await app.server.post('/v1/notes', { title, content: '', tags: ['order'] })).body.note.id)
      await untilStoredOn(page, { texts: (await app.server.get('/v1/notes')).body.total })
      await page.goto(`${app.server.url}/app/notes?tag=order`)
      await untilTextIn(page, '.notes-rows', 'Late 2')
      await setOffline(page, true)
      await press(page, 'Select')
      await press(page, 'Select all 2')
      await press(page, 'Tag…')
      await page.type('#bulk-tag', 'late')
      await page.keyboard.press('Enter')
      await untilText(page, '2 notes tagged #late.')
      await press(page, 'Undo')
      await untilText(page, '2 changes pending')
      await respondTo(page, { method: 'POST', end: '/tags', isOnce: true }, { status: 503 })
      await setOffline(page, false)
      await nothingPending(page)
      for (const id of ids)
        expect((await app.server.get(`/v1/notes/${id}`)).body.note.tags).toEqual(['order'])
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'changes that an earlier version stored are sent',
    async () => {
      const id = (await app.server.post('/v1/notes', { title: 'Earlier', content: '' })).body.note.id
      const { user, workspace } = (await send(page, 'GET', '/app/api/session')).body
      const key = { user: user.id, workspace: workspace.id, tab: '', at: Date.now() }
      const row = { id: newIds(1)[0], data: { name: 'Earlier row' } }
      const [lead] = await stored()
      const edited = { value: 'Earlier cell', text: 'Earlier cell' }
      const entries = [
        {
          ...key,
          name: `cell ${leads} ${lead?.id} name`,
          tab: 'closed',
          structure: { id: leads, name: 'Leads' },
          row: lead,
          field: { key: 'name', type: 'text', label: 'Name' },
          state: { kind: 'saving', ...edited },
          sent: [],
          isShown: false,
        },
        {
          ...key,
          name: `tag ${id} before`,
          action: { kind: 'tag', note: id, title: 'Earlier', tag: 'before', isAdded: true },
        },
        {
          ...key,
          name: `row ${leads} ${row.id}`,
          action: { kind: 'row', structure: { id: leads, name: 'Leads' }, row },
        },
      ]
      const { note } = (await app.server.post('/v1/notes', { title: 'Draft', content: 'one\ntwo\nthree' }))
        .body
      // One draft per tab, as the difference to the saved text.
      const draft = { ...key, name: `note ${note.id}`, note: note.id, title: 'Draft', sent: [] }
      const base = { title: 'Draft', updated_at: note.updated_at }
      const drafts = [
        { ...draft, tab: 'one', base, before: 3, after: 10, inserted: '!', isShown: true },
        {
          ...draft,
          tab: 'other',
          at: key.at + 1,
          base,
          before: 13,
          after: 0,
          inserted: '?',
          isDelayed: true,
        },
      ]
      const bases = drafts.map(({ name, tab }) => ({
        user: key.user,
        workspace: key.workspace,
        name,
        tab,
        content: note.content,
      }))
      await page.evaluate(
        (queued, contents) =>
          new Promise<void>((resolve) => {
            const request = indexedDB.open('daybook-offline')
            request.onsuccess = () => {
              const db = request.result
              const transaction = db.transaction(['queue', 'bases'], 'readwrite')
              for (const entry of queued) transaction.objectStore('queue').put(entry)
              for (const base of contents) transaction.objectStore('bases').put(base)
              transaction.oncomplete = () => resolve(db.close())
            }
          }),
        [...entries, ...drafts],
        bases,
      )
      await page.reload()
      await nothingPending(page)
      expect((await app.server.get(`/v1/notes/${id}`)).body.note.tags).toEqual(['before'])
      expect(await names()).toEqual(expect.arrayContaining(['Earlier row', 'Earlier cell']))
      const saved = (await app.server.get(`/v1/notes/${note.id}`)).body.note
      expect(saved.content).toBe('one!\ntwo\nthree?')
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'pasted blocks wait, outlive their tab, and are written once and whole, or not at all',
    async () => {
      const overwrite = async (cells: string, rows: string) => {
        // Rows that are loaded again at this moment take the focus with them.
        for (let isAsked = false; !isAsked; ) {
          await focusCell(page, 1, 1)
          await grid.paste(cells)
          const asked = page.waitForFunction(
            () => document.querySelector('main')?.textContent.includes('cells, starting at'),
            { timeout: 2_000 },
          )
          isAsked = await asked.then(
            () => true,
            () => false,
          )
        }
        await press(page, rows)
        await grid.hasNot('cells, starting at')
      }
      const { cursor } = (await app.server.get('/v1/changes?after=now')).body
      await setOffline(page, true)
      // One edit of a pasted row is sent before the block, and another one is replaced by it.
      await edit(2, 2, '2.5')
      await edit(1, 1, 'Typed before')
      const transactions = await watchQueue()
      await overwrite('Pasted 1\nPasted 2', 'Overwrite rows 2 to 3')
      // A crash between two transactions would leave the replaced edit.
      expect(await transactions()).toContainEqual(['put rows', 'delete cell'])
      await overwrite('New 1\t7\nNew 2\t8', 'Add as 2 new rows')
      await untilText(page, '3 changes pending')
      await crash()
      await setOffline(page, true)
      await page.goto(`${app.server.url}/app/records/${leads}?sort=size&direction=asc`)
      grid = gridOn(page)
      await grid.shows(1, 1, 'Pasted 1')
      await grid.shows(7, 1, 'New 2')
      const pasted = (await stored())[1]?.id
      await page.goto(`${app.server.url}/app/records/${leads}/${pasted}?sort=size&direction=asc`)
      await untilTextIn(page, '.pane.side h2', 'Pasted 1')
      await setOffline(page, false)
      await nothingPending(page)
      const wanted = ['Lead 0', 'Pasted 1', 'Pasted 2', 'Lead 3', 'Lead 4', 'Lead 5', 'New 1', 'New 2']
      expect(await names()).toEqual(wanted)
      const { changes } = (await app.server.get(`/v1/changes?after=${cursor}`)).body
      expect(new Set((changes as Change[]).map(({ transaction }) => transaction)).size).toBe(3)
      expect(changes).toHaveLength(5)
      await openRows()
      await grid.shows(1, 1, 'Pasted 1')
      await setOffline(page, true)
      await overwrite('Mine 1\nMine 2', 'Overwrite rows 2 to 3')
      const [, row] = await stored()
      await app.server.patch(`/v1/records/${row?.id}`, { data: { name: 'Theirs' } })
      await setOffline(page, false)
      await untilText(page, `Not saved: 2 changed rows in Leads ${made}.`)
      await press(page, 'Show details')
      await untilText(page, 'Someone else changed some of these cells.')
      expect(await names()).toEqual(wanted.with(1, 'Theirs'))
      await giveUp(`2 changed rows in Leads ${made}`)
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'a draft discarded in one tab is not sent by the tab that wrote it',
    async () => {
      const id = (await app.server.post('/v1/notes', { title: 'Given up', content: '' })).body.note.id
      const other = await app.nextPage(page.browserContext())
      await other.goto(`${app.server.url}/app/notes/${id}`)
      await other.waitForSelector('.cm-content')
      const list = await app.nextPage(page.browserContext())
      await list.goto(`${app.server.url}/app/settings/offline`)
      await setOffline(page, true)
      await other.focus('.cm-content')
      await other.keyboard.type('Not to be sent.')
      await page.bringToFront()
      await edit(0, 1, 'Not to be sent')
      await list.bringToFront()
      await press(list, 'Discard: Given up')
      await press(list, 'Discard change')
      await press(list, `Discard: Name of a row in Leads ${made}`)
      await press(list, 'Discard change')
      await untilNoText(page, 'change pending')
      await untilNoText(other, 'change pending')
      await setOffline(page, false)
      await nothingPending(page)
      await untilText(other, 'Saved')
      expect((await app.server.get(`/v1/notes/${id}`)).body.note.content).toBe('')
      await hasNames(['Lead 0', 'Lead 1', 'Lead 2', 'Lead 3', 'Lead 4', 'Lead 5'])
      await other.close()
      await list.close()
    },
    BROWSER_TIMEOUT_MS,
  )

  test('every queued write has an idempotency key, and the page has no error', () => {
    expect(keyless).toEqual([])
    expect(app.problems).toEqual([])
  })
})
