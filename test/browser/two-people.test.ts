import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'puppeteer-core'
import { accessibilityProblems, BROWSER_TIMEOUT_MS } from '../support/application.ts'
import { type Application, startApplication, untilTextIn } from '../support/application-server.ts'
import { hasBrowser } from '../support/browser.ts'
import { clickText } from '../support/page-acts.ts'
import { addMember } from '../support/page-requests.ts'
import { untilRead, untilTexts } from '../support/waits.ts'

describe.skipIf(!hasBrowser)('two people in a note', () => {
  let app: Application
  let owner: Page
  let member: Page

  beforeAll(async () => {
    app = await startApplication()
    owner = await app.newPage()
    await app.signIn(owner)
    member = await signInMember('edith')
  }, BROWSER_TIMEOUT_MS * 2)
  afterAll(() => app.close(), BROWSER_TIMEOUT_MS)

  /** The owner invites an editor, who signs in with the link in a separate browser profile. */
  const signInMember = async (name: string): Promise<Page> => {
    await owner.goto(`${app.server.url}/app/settings/members`)
    const link = await addMember(owner, name, 'editor')
    const page = await app.newPage()
    await page.goto(`${app.server.url}/app${new URL(String(link)).hash}`)
    await page.waitForSelector('input[type=password]')
    await page.type('input[type=password]', 'a long enough password')
    await page.keyboard.press('Enter')
    await page.waitForSelector('.rail-nav')
    return page
  }
  const open = async (id: string, page: Page) => {
    await page.bringToFront()
    await page.goto(`${app.server.url}/app/notes/${id}`)
    await page.waitForSelector('.cm-content')
  }
  const typeAtEnd = async (text: string, page: Page) => {
    await page.bringToFront()
    await page.focus('.cm-content')
    await page.keyboard.down('Control')
    await page.keyboard.press('End')
    await page.keyboard.up('Control')
    await page.keyboard.type(text)
  }
  const choose = (text: string, page: Page) => clickText(page, '.settle button', text)
  const contentOf = async (id: string): Promise<string> =>
    (await app.server.get(`/v1/notes/${id}`)).body.note.content
  const shows = async (content: string, page: Page) => {
    await page.bringToFront()
    await untilTexts(page, '.cm-line', content.split('\n'))
    await page.waitForSelector('#note .status.ok')
  }
  /** The owner saves one text while the member types another offline; then the member reconnects. */
  const writeBoth = async (id: string, { ofOwner, ofMember }: { ofOwner: string; ofMember: string }) => {
    await open(id, owner)
    await open(id, member)
    await member.setOfflineMode(true)
    await typeAtEnd(ofMember, member)
    await typeAtEnd(ofOwner, owner)
    await untilRead(owner, `/v1/notes/${id}`, ({ note }) => note.content.endsWith(ofOwner))
    await member.bringToFront()
    await member.setOfflineMode(false)
    await member.waitForSelector('.settle')
  }
  const createNote = async (): Promise<string> =>
    (await app.server.post('/v1/notes', { title: 'Shared', content: 'one\ntwo\nthree' })).body.note.id

  test(
    'the second to save sees and merges both texts; both see the result, with its authors',
    async () => {
      const id = await createNote()
      await writeBoth(id, { ofOwner: ' of the owner', ofMember: ' of the member' })
      const sides = await member.$$eval('.settle .versions .verbatim', (texts) =>
        texts.map(({ textContent }) => textContent),
      )
      expect(sides).toEqual(['three of the member', 'three of the owner'])
      await untilTextIn(member, '#note .banner', 'owner saved this note at')
      await untilTextIn(member, '.settle h3:has(+ .verbatim)', 'Your version (not saved)')
      await untilTextIn(member, '.settle .versions > :last-child h3', 'owner’s version')
      expect(await accessibilityProblems(member)).toEqual([])
      expect(await contentOf(id)).toBe('one\ntwo\nthree of the owner')
      await choose('Keep both', member)
      const merged = 'one\ntwo\nthree of the member\nthree of the owner'
      await shows(merged, member)
      await shows(merged, owner)
      expect(await contentOf(id)).toBe(merged)
      const { changes } = (await app.server.get('/v1/changes?kinds=note&limit=1000')).body
      const writers = changes
        .filter((change: { id: string; op: string }) => change.id === id && change.op === 'updated')
        .map(({ actor }: { actor: { name: string } }) => actor.name)
      expect(writers).toEqual(['owner', 'edith'])
      await untilTexts(member, '#details .ledger .item', [
        'edith edited in the app',
        'owner edited in the app',
      ])
    },
    BROWSER_TIMEOUT_MS * 2,
  )

  test(
    'a conflict outlives its tab; choosing the other version discards only the own draft',
    async () => {
      const id = await createNote()
      await writeBoth(id, { ofOwner: ' first', ofMember: ' second' })
      await member.reload()
      await member.waitForSelector('.settle')
      expect(await contentOf(id)).toBe('one\ntwo\nthree first')
      await choose('Keep theirs', member)
      await shows('one\ntwo\nthree first', member)
      await shows('one\ntwo\nthree first', owner)
      expect(await contentOf(id)).toBe('one\ntwo\nthree first')
    },
    BROWSER_TIMEOUT_MS * 2,
  )
})
