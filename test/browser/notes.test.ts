import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'puppeteer-core'
import { accessibilityProblems, BROWSER_TIMEOUT_MS } from '../support/application.ts'
import {
  type Application,
  press as clickOn,
  contentOf as contentOfField,
  fill,
  startApplication,
  untilTextIn,
} from '../support/application-server.ts'
import { hasBrowser } from '../support/browser.ts'
import { PASSWORD } from '../support/browser-client.ts'
import { setOffline } from '../support/offline.ts'
import { frames, leaveFocus, selectFocused, textOf } from '../support/page-acts.ts'
import { addMember, endSession } from '../support/page-requests.ts'
import { listedTitles, untilCompared } from '../support/screens/notes.ts'
import {
  untilAddress,
  untilAtLeast,
  untilCount,
  untilNoTextIn,
  untilRead,
  untilTextIs,
  untilValue,
} from '../support/waits.ts'

describe.skipIf(!hasBrowser)('notes in a browser', () => {
  let app: Application
  let page: Page

  beforeAll(async () => {
    app = await startApplication()
    page = await app.newPage()
    await app.setUp(page, await app.setupLink())
  }, BROWSER_TIMEOUT_MS)
  afterAll(() => app.close(), BROWSER_TIMEOUT_MS)

  const createNote = async (title: string, content = '', tags: string[] = []): Promise<string> =>
    (await app.server.post('/v1/notes', { title, content, tags })).body.note.id
  const contentOf = async (id: string): Promise<string> =>
    (await app.server.get(`/v1/notes/${id}`)).body.note.content
  const open = async (id: string, on = page) => {
    await on.goto(`${app.server.url}/app/notes/${id}`)
    await on.waitForSelector('.cm-content')
  }
  const saysText = (text: string, on = page) => untilTextIn(on, '#note', text)
  const isSaved = (on = page) => on.waitForSelector('#note .status.ok')
  const press = async (modifier: 'Control', key: 'End' | 'Home', on = page) => {
    await on.keyboard.down(modifier)
    await on.keyboard.press(key)
    await on.keyboard.up(modifier)
  }
  /** Types at the end of the text. */
  const typeAtEnd = async (text: string, on = page) => {
    await on.focus('.cm-content')
    await press('Control', 'End', on)
    await on.keyboard.type(text)
  }
  /** Opens the menu of the note and chooses an action. */
  const choose = async (action: string) => {
    await clickOn(page, 'More actions')
    await clickOn(page, action)
  }
  /** Accepts the first completion; the editor ignores keys pressed just as the list appears. */
  const complete = async () => {
    await page.waitForSelector('.cm-tooltip-autocomplete li[aria-selected]')
    await frames(page, 12)
    await page.keyboard.press('Enter')
  }
  const presetId = async (name: string): Promise<string> =>
    (await app.server.get('/v1/presets')).body.presets.find((one: { name: string }) => one.name === name).id
  /** Waits until the server has this text. */
  const isStored = (id: string, content: string, on = page) =>
    untilRead(on, `/v1/notes/${id}`, ({ note }) => note?.content === content)

  test(
    'are found while typing and opened with the keyboard; reload and back keep the place',
    async () => {
      for (const name of ['Wheel building', 'Wheel truing', 'Gear indexing']) await createNote(name, 'Spokes')
      await page.goto(`${app.server.url}/app/notes`)
      const opens = (title: string) => untilValue(page, '#note .title-field', title)
      await page.waitForSelector('#note .cm-content')
      const first = await contentOfField(page, 'Title')
      await page.keyboard.press('/')
      await page.keyboard.type('wheel tru')
      await untilCount(page, '.notes-rows a', 1)
      await page.waitForSelector('.notes-rows a')
      await leaveFocus(page)
      await page.keyboard.press('j')
      await page.waitForSelector('.notes-rows a:focus')
      await page.keyboard.press('Enter')
      await page.waitForSelector('.cm-content')
      const here = page.url()
      expect(here).toContain('search=wheel+tru')
      await page.reload()
      await page.waitForSelector('.cm-content')
      await page.waitForSelector('.notes-rows li.chosen')
      expect(await page.$eval('.title-field', (field) => (field as HTMLInputElement).value)).toBe(
        'Wheel truing',
      )
      await page.goBack()
      await opens(String(first))
      await page.goForward()
      await opens('Wheel truing')
      expect(page.url()).toBe(here)
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'are listed with matching names first, however often others contain the words',
    async () => {
      const { server } = app
      for (let day = 10; day < 20; day++)
        await createNote(`2026-09-${day}`, 'Sell the anchor 2026. The anchor 2026, the anchor 2026!')
      await createNote('Anchor 2026')
      await server.post('/v1/notes', { title: 'Chain', alias: 'anchor 2026 list', content: 'short' })
      await page.goto(`${server.url}/app/notes?search=anchor+2026`)
      await untilAtLeast(page, '.notes-rows .item-title', 3)
      expect((await listedTitles(page)).slice(0, 2)).toEqual(['Anchor 2026', 'Chain'])
      expect(await textOf(page, '#list .list-end')).toStartWith('12 notes')
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'keep every byte around typed text, and save automatically',
    async () => {
      const content = 'one\r\ntwo\n\n\n  three\t \u00a0\u200b\nfour\rfive   '
      const id = await createNote('Bytes', content)
      await open(id)
      await typeAtEnd('!')
      await isStored(id, `${content}!`)
      await isSaved()
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'complete titles after [[ and tags after #',
    async () => {
      await createNote('Hub measurements', '', ['bench'])
      const id = await createNote('Links')
      await open(id)
      await typeAtEnd('See [[Hub mea')
      await complete()
      await page.waitForSelector('.cm-tooltip-autocomplete', { hidden: true })
      await page.keyboard.type(' #ben')
      await complete()
      await isStored(id, 'See [[Hub measurements]] #bench')
      await untilTextIn(page, '#details', 'Hub measurements')
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'are created with N at the first character; an empty one leaves nothing',
    async () => {
      await page.goto(`${app.server.url}/app/notes`)
      await page.waitForSelector('#list :is(.notes-rows a, .empty)')
      const count = async () => (await app.server.get('/v1/notes')).body.total
      const before = await count()
      await page.keyboard.press('n')
      await page.waitForSelector('.title-field:focus')
      await page.keyboard.press('Tab')
      await clickOn(page, `All notes${before}`)
      expect(await count()).toBe(before)
      await clickOn(page, 'New note (N)')
      await page.waitForSelector('.title-field:focus')
      await page.keyboard.type('Ben')
      await page.keyboard.type('ch log', { delay: 155 })
      await page.keyboard.press('Enter')
      const text = 'What is typed at once is kept, each character of it. '.repeat(5)
      await page.keyboard.type(text)
      await page.keyboard.type('And then more', { delay: 155 })
      await page.waitForSelector('.cm-content:focus')
      const id = new URL(page.url()).pathname.split('/').at(-1) ?? ''
      await isStored(id, `${text}And then more`)
      expect((await app.server.get(`/v1/notes/${id}`)).body.note.title).toBe('Bench log')
      expect(await count()).toBe(before + 1)
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'are created offline, stored in the browser, and sent when the server is back',
    async () => {
      await page.goto(`${app.server.url}/app/notes`)
      await clickOn(page, 'New note (N)')
      await page.waitForSelector('.title-field:focus')
      await page.setOfflineMode(true)
      await page.keyboard.type('Off')
      await page.waitForSelector('.cm-content')
      await saysText('Will save when the server is back')
      const id = new URL(page.url()).pathname.split('/').at(-1) ?? ''
      await page.focus('.cm-content')
      await page.keyboard.type('and on')
      await page.evaluate(() => history.back())
      await untilAddress(page, ({ pathname }) => !pathname.endsWith(id))
      await page.setOfflineMode(false)
      await isStored(id, 'and on')
      expect((await app.server.get(`/v1/notes/${id}`)).body.note.title).toBe('Off')
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'of the day are opened with T, and created at the first edit',
    async () => {
      await page.goto(`${app.server.url}/app/notes`)
      await page.waitForSelector('#list :is(.notes-rows a, .empty)')
      const today = new Intl.DateTimeFormat('sv-SE').format(new Date())
      await page.keyboard.press('t')
      await page.waitForSelector('.text-field:focus')
      expect(await contentOfField(page, 'Title')).toBe(today)
      await page.keyboard.type('Got up')
      await page.waitForSelector('.cm-content:focus')
      const { pathname } = new URL(page.url())
      await isStored(pathname.split('/').at(-1) ?? '', 'Got up')
      await page.goto(`${app.server.url}/app/notes/today`)
      await untilAddress(page, (address) => address.pathname === pathname)
      await saysText('Got up')
      await page.waitForSelector('.cm-content:focus')
      await page.keyboard.type(', ate')
      await isStored(pathname.split('/').at(-1) ?? '', 'Got up, ate')
      const { notes } = (await app.server.get(`/v1/notes?search=${today}`)).body
      expect(notes.map(({ title }: { title: string }) => title)).toEqual([today])
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'are found in the tag tree, which stays open',
    async () => {
      await createNote('Oven', '', ['house/kitchen'])
      await createNote('Boiler', '', ['house'])
      await page.goto(`${app.server.url}/app/notes`)
      // The count and the list of a parent are those of its whole subtree.
      await clickOn(page, 'house2')
      for (const title of ['Oven', 'Boiler']) await untilTextIn(page, '.notes-rows', title)
      await clickOn(page, 'Tags below house')
      await clickOn(page, 'kitchen1')
      await untilTextIs(page, '#list-h', '#house/kitchen')
      await untilTextIn(page, '.notes-rows', 'Oven')
      await page.goto(`${app.server.url}/app/notes`)
      await page.waitForSelector('.branch > [aria-expanded=true]')
      // Dragging a tag onto the heading moves it to the top level.
      const middle = async (selector: string) => {
        const box = await (await page.waitForSelector(selector))?.boundingBox()
        return [(box?.x ?? 0) + (box?.width ?? 0) / 2, (box?.y ?? 0) + (box?.height ?? 0) / 2] as const
      }
      await page.mouse.move(...(await middle('[data-drop="house/kitchen"]')))
      await page.mouse.down()
      await page.mouse.move(...(await middle('h2[data-drop=""]')), { steps: 4 })
      await page.mouse.up()
      await page.waitForSelector('[data-drop="kitchen"]')
      const { tags } = (await app.server.get('/v1/tags')).body
      const names = tags.map(({ name }: { name: string }) => name)
      expect(names).toContain('kitchen')
      expect(names).not.toContain('house/kitchen')
      // A tag does not move to a name that is taken.
      await createNote('Sink', '', ['house/kitchen'])
      await page.waitForSelector('[data-drop="house/kitchen"]')
      await page.mouse.move(...(await middle('[data-drop="kitchen"]')))
      await page.mouse.down()
      await page.mouse.move(...(await middle('[data-drop="house"]')), { steps: 4 })
      await page.mouse.up()
      await untilTextIn(page, '.rail', 'A tag named “house/kitchen” exists already.')
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'share drafts between tabs, show both versions when another user saved the same line, and merge other lines',
    async () => {
      const id = await createNote('Together', 'one\ntwo\nthree')
      await open(id)
      const other = await app.nextPage(page.browserContext())
      await open(id, other)
      await setOffline(page, true)
      await other.bringToFront()
      await typeAtEnd(' mi', other)
      await page.bringToFront()
      await saysText('three mi')
      await typeAtEnd('ne')
      await other.bringToFront()
      await saysText('three mine', other)
      await app.server.patch(`/v1/notes/${id}`, { content: 'one\ntwo\nthree theirs' })
      await setOffline(page, false)
      await other.waitForSelector('.settle')
      await saysText('three mine', other)
      await saysText('three theirs', other)
      expect(await contentOf(id)).toBe('one\ntwo\nthree theirs')
      await clickOn(other, 'Keep both')
      await isStored(id, 'one\ntwo\nthree mine\nthree theirs', other)
      await other.close()
      await page.bringToFront()
      await untilTextIn(page, '.cm-content', 'three theirs')
      await typeAtEnd('!')
      await app.server.patch(`/v1/notes/${id}`, { content: 'ONE\ntwo\nthree mine\nthree theirs' })
      await isStored(id, 'ONE\ntwo\nthree mine\nthree theirs!')
      await isSaved()
    },
    BROWSER_TIMEOUT_MS * 2,
  )

  test(
    'lose no typed text when the server is killed and the tab is closed',
    async () => {
      const [typed, closed] = [await createNote('Typed'), await createNote('Closed')]
      const other = await app.nextPage(page.browserContext())
      await open(closed, other)
      await page.bringToFront()
      await open(typed)
      await typeAtEnd('before ')
      await app.restart(async () => {
        await typeAtEnd('while')
        await saysText('Will save when the server is back')
        await other.bringToFront()
        await typeAtEnd('in a closed tab', other)
        await saysText('Draft stored in this browser', other)
        await other.close()
        await page.bringToFront()
      })
      await isStored(typed, 'before while')
      await page.goto(`${app.server.url}/app/notes`)
      await isStored(closed, 'in a closed tab')
    },
    BROWSER_TIMEOUT_MS * 2,
  )

  test(
    'lose no text typed just before a reload or after the session ended',
    async () => {
      const id = await createNote('Kept')
      await open(id)
      await typeAtEnd('before')
      await page.reload()
      await isStored(id, 'before')
      await page.waitForSelector('.cm-content')
      await typeAtEnd(',')
      // The last key is pressed at the same moment as the page is left.
      const isLoaded = page.waitForNavigation()
      await page.evaluate(() => {
        document.execCommand('insertText', false, ' loaded again,')
        location.reload()
      })
      await isLoaded
      await isStored(id, 'before, loaded again,')
      await page.waitForSelector('.cm-content')
      await typeAtEnd(' after')
      await endSession(page)
      await page.waitForSelector('dialog:modal input[type=password]')
      await page.type('input[type=password]', PASSWORD)
      await page.keyboard.press('Enter')
      await isStored(id, 'before, loaded again, after')
      await isSaved()
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'are tagged and untagged, restored to a revision, trashed and restored',
    async () => {
      const id = await createNote('Details', 'first')
      await app.server.patch(`/v1/notes/${id}`, { content: 'second' })
      await open(id)
      await page.type('#details input[name=tag]', 'wheels')
      await page.keyboard.press('Enter')
      await page.waitForSelector('#details .tag-item')
      await clickOn(page, 'Remove tag wheels')
      await page.waitForSelector('#details .tag-item', { hidden: true })
      expect((await app.server.get(`/v1/notes/${id}`)).body.note.tags).toEqual([])
      await page.locator('#details .ledger button').click()
      await untilCompared(page, 'first', 'second')
      await clickOn(page, 'Restore this version')
      await untilTextIs(page, '.cm-content', 'first')
      expect(await contentOf(id)).toBe('first')
      await choose('Move to trash')
      await page.waitForSelector('.cm-content', { hidden: true })
      await page.goto(`${app.server.url}/app/notes?list=trash`)
      await page.waitForSelector('.notes-rows button')
      await clickOn(page, 'Restore Details')
      await page.waitForSelector('.notes-rows', { hidden: true })
      expect(await contentOf(id)).toBe('first')
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'get property values and presets, and are pinned and unpinned',
    async () => {
      await app.server.post('/v1/properties', { key: 'stars', type: 'number', label: 'Stars' })
      await app.server.post('/v1/presets', {
        name: 'Reviewed',
        tags: ['reviewed'],
        properties: [{ key: 'stars', value: 4 }],
      })
      const id = await createNote('Quick')
      const properties = async () => (await app.server.get(`/v1/notes/${id}/properties`)).body.properties
      await open(id)
      await fill(page, 'Property', 'Stars')
      await page.waitForSelector('#details input[type=number]:focus')
      const typeStars = async (text: string) => {
        await page.focus('#details input[type=number]')
        await selectFocused(page)
        await page.keyboard.type(text)
        await page.keyboard.press('Tab')
      }
      await typeStars('2')
      await untilRead(page, `/v1/notes/${id}/properties`, ({ properties }) => properties.stars === 2)
      await page.select('#details select[aria-label=Preset]', await presetId('Reviewed'))
      await clickOn(page, 'Apply')
      await page.waitForSelector('#details .tag-item')
      expect((await properties()).stars).toBe(2)
      await choose('Add to quick access')
      await untilTextIn(page, '.rail', 'Quick access')
      expect((await app.server.get('/v1/quick-access')).body.items).toMatchObject([{ note_id: id }])
      await choose('Remove from quick access')
      await untilNoTextIn(page, '.rail', 'Quick access')
      expect((await app.server.get('/v1/quick-access')).body.items).toEqual([])
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'that were trashed during an edit can be kept as new notes',
    async () => {
      const id = await createNote('Going')
      await open(id)
      await typeAtEnd('mine')
      await app.server.delete(`/v1/notes/${id}`)
      await page.waitForSelector('#note .banner.bad')
      await clickOn(page, 'Save as a new note')
      await untilAddress(page, ({ pathname }) => !pathname.endsWith(id))
      await isStored(new URL(page.url()).pathname.split('/').at(-1) ?? '', 'mine')
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'run no script in their text',
    async () => {
      const script = '<img src=x onerror="document.title=1"><script>document.title=1</script>'
      const content = [
        script,
        '[a](javascript:document.title=1) [b](JaVaScRiPt:1) [c](data:text/html,1) [d](vbscript:1)',
        '![e](https://elsewhere.example/x.png) ![f](javascript:1)',
        `[[${script.slice(0, 20)}|<b>label</b>]]`,
        `| ${script} |\n| - |\n| ${script} |`,
      ].join('\n\n')
      const id = await createNote(script, content, ['<b>tag</b>'])
      await page.goto(`${app.server.url}/app/notes/${id}?show=preview&search=onerror`)
      await page.waitForSelector('.read')
      await page.waitForSelector('.notes-rows mark')
      expect(await page.$$('main :is(img, script, iframe, b)')).toHaveLength(0)
      expect(await page.$$('.read a')).toHaveLength(0)
      await open(id)
      expect(await page.title()).toEndWith(' – daybook')
      expect(await page.$$eval('main :is(img[src], script, iframe)', ({ length }) => length)).toBe(0)
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'are read-only for a viewer',
    async () => {
      const id = await createNote('For all', 'Read **me**')
      const link = await addMember(page, 'vera', 'viewer')
      const viewer = await app.newPage()
      await app.setUp(viewer, `${app.server.url}/app${new URL(link).hash}`)
      await viewer.goto(`${app.server.url}/app/notes/${id}`)
      await viewer.waitForSelector('.read strong')
      expect(
        await viewer.$$eval(
          'main :is(input:not([type=search]), textarea, select, [contenteditable=true])',
          ({ length }) => length,
        ),
      ).toBe(0)
      await viewer.keyboard.press('n')
      await viewer.keyboard.type('j')
      expect(new URL(viewer.url()).pathname).toBe(`/app/notes/${id}`)
      await viewer.browserContext().close()
      await page.bringToFront()
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'are accessible beside the links, properties and edits in their details',
    async () => {
      const id = await createNote('Wheel, front', '# Hubs\n\nSee [[Wheel building]] and [[nowhere]].', [
        'wheels',
      ])
      await app.server.patch(`/v1/notes/${id}`, {
        content: '# Hubs\n\nSee [[Wheel building]] and [[nowhere]].\n\nMore.',
      })
      await app.server.post('/v1/properties', {
        key: 'status',
        type: 'select',
        options: ['in use'],
        label: 'Status',
      })
      await page.setViewport({ width: 1280, height: 800 })
      await page.goto(`${app.server.url}/app/notes/${id}?pane=details`)
      await page.waitForSelector('.cm-content')
      await page.waitForSelector('#details .ledger li')
      expect(await accessibilityProblems(page)).toEqual([])
    },
    BROWSER_TIMEOUT_MS,
  )

  test('have no error in their pages, and contact no other host', () => {
    expect(app.problems).toEqual([])
  })
})
