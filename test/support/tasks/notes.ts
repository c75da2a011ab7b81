import { expect } from 'bun:test'
import { untilTextIn } from '../application-server.ts'
import { untilShareLink } from '../screens/shares.ts'
import {
  untilAddress,
  untilTextIs,
  untilTextStarts,
  untilValue,
  untilValueStarts,
  untilVisible,
} from '../waits.ts'
import { type Desk, MANY_NOTES, makeNote, type Task } from './task.ts'

const PLACE_OF_DETAILS = 1_088

export const contentOf = async ({ app }: Desk, id: string): Promise<string> =>
  (await app.server.get(`/v1/notes/${id}`)).body.note.content

export const idShown = ({ page }: Desk): string => new URL(page.url()).pathname.split('/').at(-1) ?? ''

const untilOpen = ({ page }: Desk, title: string) => untilValue(page, '#note .title-field', title)

export const untilSaved = ({ page }: Desk) => page.waitForSelector('#note .status.ok')

async function openNote(desk: Desk, id: string): Promise<void> {
  await desk.go(`notes/${id}`)
  await desk.page.waitForSelector('#note .cm-content')
}

/** Opens a note and moves to its details. */
export async function openDetails(desk: Desk, id: string): Promise<void> {
  await openNote(desk, id)
  if (desk.width < PLACE_OF_DETAILS) {
    await desk.keys.skip()
    await desk.keys.enter('Properties, comments, links and revisions')
  }
  await untilVisible(desk.page, '#details')
  await desk.keys.skip()
}

/** Changes the note as another program would. */
const patch = ({ app }: Desk, id: string, body: object) => app.server.patch(`/v1/notes/${id}`, body)

export const NOTE_TASKS: readonly Task[] = [
  {
    does: 'writes a nested list',
    run: async (desk) => {
      const { keys, page, number } = desk
      await desk.go('notes')
      await page.waitForSelector('.notes-rows a')
      await keys.press('n')
      await page.waitForSelector('.title-field:focus')
      await keys.type(`List ${number}`)
      await keys.press('Enter')
      await page.waitForSelector('.cm-content:focus')
      await keys.type('- one')
      await keys.press('Enter', 'Tab')
      await keys.type('two')
      await keys.press('Enter')
      await keys.hold('Shift', 'Tab')
      await keys.type('three')
      await untilSaved(desk)
      await desk.until(async () => (await contentOf(desk, idShown(desk))) === '- one\n  - two\n- three')
    },
  },
  {
    does: 'finds a note by its exact title among a thousand',
    run: async (desk) => {
      const { keys, page } = desk
      const title = `Report ${MANY_NOTES}`
      await desk.go('graph')
      await keys.hold('Control', 'k')
      await page.waitForSelector('#find input:focus')
      await keys.type(title)
      await untilTextStarts(page, '#found [role=option]', title)
      await keys.press('Enter')
      await untilOpen(desk, title)
    },
  },
  {
    does: 'makes a template, and a note from it',
    run: async (desk) => {
      const { keys, page, number } = desk
      const name = `Visit ${number}`
      for (const { id } of (await desk.app.server.get('/v1/presets')).body.presets)
        await desk.app.server.delete(`/v1/presets/${id}`)
      await desk.go('views/presets/new')
      await desk.says('Text of a new note')
      await keys.skip()
      await keys.fill('Name', name)
      await keys.fill('Text of a new note', 'Who came:')
      await keys.enter('Save')
      await desk.until(async () => (await desk.app.server.get('/v1/presets')).body.presets.length === 1)
      await desk.go('notes')
      await desk.says('Start from')
      await keys.skip()
      await keys.enter(name)
      await untilValueStarts(page, '#note .title-field', name)
      expect(await contentOf(desk, idShown(desk))).toBe('Who came:')
    },
  },
  {
    does: 'opens the note of today',
    run: async (desk) => {
      await desk.go('notes')
      await desk.page.waitForSelector('.notes-rows a')
      await desk.keys.press('t')
      await untilOpen(desk, await desk.page.evaluate(() => new Date().toLocaleDateString('en-CA')))
    },
  },
  {
    does: 'tags several notes at once',
    run: async (desk) => {
      const { keys, page, number } = desk
      // A search opens its first note; the last one used could be the last of the list. The keys begin below it.
      await desk.go('notes?sort=title&search=Report')
      await page.waitForSelector('.notes-rows a')
      for (let before = ''; before.split(' ').length <= 3; ) {
        await keys.press('j')
        const focused = await page.waitForFunction(
          (seen) => {
            const row = document.activeElement?.closest<HTMLElement>('.notes-rows > li')
            const index = row?.dataset.index
            return index !== undefined && !seen.split(' ').includes(index) && index
          },
          {},
          before,
        )
        before += ` ${await focused.jsonValue()}`
        await keys.press('x')
      }
      await desk.says('3 selected')
      await keys.press('a')
      await keys.enter('Tag…')
      await keys.fill('Tag', `chosen-${number}`)
      await keys.press('Enter')
      await desk.says(`3 notes tagged #chosen-${number}.`)
      expect((await desk.app.server.get(`/v1/notes?tag=chosen-${number}`)).body.total).toBe(3)
    },
  },
  {
    does: 'settles a conflict by keeping both',
    run: async (desk) => {
      const { keys, page, number } = desk
      const id = await makeNote(desk, `Shared ${number}`, 'one')
      await openNote(desk, id)
      await keys.skip()
      await untilTextIs(page, '.cm-content', 'one')
      await page.setOfflineMode(true)
      await keys.reach('Text of the note')
      await keys.press('End')
      await keys.type(' of mine')
      await patch(desk, id, { content: 'one of theirs' })
      await page.setOfflineMode(false)
      await page.waitForSelector('.settle')
      await keys.skip()
      await keys.enter('Keep both')
      await desk.until(async () => (await contentOf(desk, id)) === 'one of mine\none of theirs')
    },
  },
  {
    does: 'restores a note from the trash',
    run: async (desk) => {
      const id = await makeNote(desk, `Gone ${desk.number}`)
      await desk.app.server.delete(`/v1/notes/${id}`)
      await desk.go('notes?list=trash')
      await desk.says(`Gone ${desk.number}`)
      await desk.keys.skip()
      await desk.keys.enter(`Restore Gone ${desk.number}`)
      await desk.until(async () => (await desk.app.server.get(`/v1/notes/${id}`)).status === 200)
    },
  },
  {
    does: 'empties the trash',
    run: async (desk) => {
      const id = await makeNote(desk, `Gone for good ${desk.number}`)
      await desk.app.server.delete(`/v1/notes/${id}`)
      await desk.go('notes?list=trash')
      await desk.says(`Gone for good ${desk.number}`)
      await desk.keys.skip()
      await desk.keys.enter('Empty trash')
      await desk.page.waitForSelector('dialog.modal')
      await desk.keys.enter('Delete all permanently')
      await desk.says('The trash is empty.')
      expect((await desk.app.server.get('/v1/notes/trash')).body.total).toBe(0)
    },
  },
  {
    does: 'shares a note by a link',
    run: async (desk) => {
      const { keys, page } = desk
      const id = await makeNote(desk, `Guide ${desk.number}`)
      await openNote(desk, id)
      await keys.skip()
      await keys.enter('More actions')
      await keys.enter('Share by link')
      await page.waitForSelector('dialog.modal')
      await keys.enter('Create link')
      await untilShareLink(page)
      const { shares } = (await desk.app.server.get('/v1/shares')).body
      expect(shares.some((share: { target_id: string }) => share.target_id === id)).toBe(true)
    },
  },
  {
    does: 'follows a backlink',
    run: async (desk) => {
      const id = await makeNote(desk, `Target ${desk.number}`)
      await makeNote(desk, `Pointer ${desk.number}`, `See [[Target ${desk.number}]].`)
      await openDetails(desk, id)
      await desk.says(`Pointer ${desk.number}`)
      await desk.keys.enter(`Pointer ${desk.number}`)
      await untilOpen(desk, `Pointer ${desk.number}`)
    },
  },
  {
    does: 'reads what an edit changed',
    run: async (desk) => {
      const id = await makeNote(desk, `Edited ${desk.number}`, 'the first text')
      await patch(desk, id, { content: 'the second text' })
      await openDetails(desk, id)
      await desk.page.waitForSelector('#details .ledger button')
      await desk.keys.enter(/ edited through the API/)
      await untilTextIn(desk.page, '.differences', 'second')
    },
  },
  {
    does: 'gives a note a property',
    run: async (desk) => {
      const { keys, page, number } = desk
      const id = await makeNote(desk, `Rated ${number}`)
      await openDetails(desk, id)
      await keys.fill('Property', 'Stars')
      await page.waitForFunction(
        () => (document.activeElement as HTMLInputElement | null)?.labels?.[0]?.textContent === 'Stars',
      )
      await keys.type('4')
      await keys.press('Tab')
      await desk.until(async () =>
        JSON.stringify((await desk.app.server.get(`/v1/notes/${id}/properties`)).body).includes('4'),
      )
    },
  },
  {
    does: 'renames a note, whose links follow',
    run: async (desk) => {
      const { keys, number } = desk
      const id = await makeNote(desk, `Old name ${number}`)
      const from = await makeNote(desk, `Linking ${number}`, `See [[Old name ${number}]].`)
      await openNote(desk, id)
      await keys.skip()
      await keys.fill('Title', `New name ${number}`)
      await desk.until(async () => (await contentOf(desk, from)) === `See [[New name ${number}]].`)
    },
  },
  {
    does: 'opens a note from the graph',
    run: async (desk) => {
      await makeNote(desk, `Hub ${desk.number}`, `[[Report 1]] [[Report 2]]`)
      await desk.go('graph')
      await desk.page.waitForSelector('.graph-screen .foot')
      await desk.says('Laid out in')
      await desk.keys.press('j')
      await untilAddress(desk.page, ({ searchParams }) => searchParams.has('node'))
      await desk.keys.press('o')
      await desk.page.waitForSelector('#note .cm-content')
    },
  },
]
