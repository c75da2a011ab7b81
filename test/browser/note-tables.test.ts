import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { KeyInput, Page } from 'puppeteer-core'
import { accessibilityProblems, BROWSER_TIMEOUT_MS } from '../support/application.ts'
import { type Application, press, startApplication } from '../support/application-server.ts'
import { hasBrowser } from '../support/browser.ts'
import { frames, paste, textOf } from '../support/page-acts.ts'
import { untilRead } from '../support/waits.ts'

describe.skipIf(!hasBrowser)('a table in a note', () => {
  let app: Application
  let page: Page

  beforeAll(async () => {
    app = await startApplication()
    page = await app.newPage({ width: 1440 })
    await app.signIn(page)
  }, BROWSER_TIMEOUT_MS)
  afterAll(() => app.close(), BROWSER_TIMEOUT_MS)

  const open = async (content: string): Promise<string> => {
    const { id } = (await app.server.post('/v1/notes', { title: 'Table', content })).body.note
    await page.goto(`${app.server.url}/app/notes/${id}`)
    await page.waitForSelector('.cm-content')
    await page.focus('.cm-content')
    await chord('Control', 'Home')
    return id
  }
  const chord = async (...keys: readonly KeyInput[]) => {
    for (const key of keys) await page.keyboard.down(key)
    for (const key of keys.toReversed()) await page.keyboard.up(key)
  }
  /** Types words, with names of keys in brackets. */
  const write = async (...parts: readonly string[]) => {
    for (const part of parts)
      if (/^\[.*\]$/.test(part)) await chord(...(part.slice(1, -1).split(' ') as KeyInput[]))
      else await page.keyboard.type(part)
  }
  const stored = (id: string, content: string) =>
    untilRead(page, `/v1/notes/${id}`, ({ note }) => note.content === content).catch(async () => {
      expect((await app.server.get(`/v1/notes/${id}`)).body.note.content).toBe(content)
    })
  const cellTexts = () =>
    page.$$eval('.md-row', (rows) =>
      rows.map((row) => [...row.querySelectorAll('.md-cell')].map((cell) => cell.textContent?.trim())),
    )

  test(
    'is written with Tab and Enter, and what follows is a paragraph',
    async () => {
      const id = await open('')
      await write('/tab')
      await page.waitForSelector('.cm-tooltip-autocomplete')
      // The editor ignores keys pressed just as the list appears.
      await frames(page, 12)
      await write('[Enter]', 'A', '[Tab]', 'B', '[Tab]', 'one', '[Tab]', 'two', '[Tab]', 'three')
      // The table stays a table while it is written.
      expect(await cellTexts()).toEqual([
        ['A', 'B'],
        ['one', 'two'],
        ['three', ''],
      ])
      await write('[Enter]', '[Enter]', 'after')
      await stored(id, '| A | B |\n| --- | --- |\n| one | two |\n| three |  |\n\nafter')
      expect(await page.$$eval('.cm-line', (lines) => lines.at(-1)?.className)).toBe('cm-line')
      expect(await accessibilityProblems(page)).toEqual([])
      await page.setViewport({ width: 1440, height: 900 })
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'is edited in place: cells are clicked, arrows and bars move between them, and no key deletes a bar',
    async () => {
      const id = await open('before\n\n| a | b |\n|---|--:|\n| **1** | [[x\\|2]] |\n\nend')
      await page.waitForSelector('.md-row')
      const cells = await page.$$('.md-row .md-cell')
      await cells[2]?.click()
      await write('[End]', '!', '[ArrowRight]', '[Home]', 'n')
      await stored(id, 'before\n\n| a | b |\n|---|--:|\n| **1**! | n[[x\\|2]] |\n\nend')
      // Backspace at the beginning of a cell, and a deletion across cells.
      await write('[Home]', '[Backspace]', '[Shift ArrowLeft]', '[Shift ArrowLeft]', '[Delete]', '[End]')
      await stored(id, 'before\n\n| a | b |\n|---|--:|\n| **1**! | n[[x\\|2]] |\n\nend')
      await write('[Tab]', '[Tab]', 'x', '|', 'y', '[ArrowDown]', 'tail')
      await stored(id, 'before\n\n| a | b |\n|---|--:|\n| **1**! | n[[x\\|2]] |\n| x | y |\n\ntail\nend')
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'is a table for screen readers, and typing over several cells keeps it and every letter',
    async () => {
      const id = await open('| a | b |\n| --- | --- |\n| one | two |')
      await page.waitForSelector('[role=table] > [role=row] [role=columnheader]')
      expect(await page.$$eval('[role=table] [role=row] > [role=cell]', (all) => all.length)).toBe(2)
      const [, , one, two] = await page.$$('.md-row .md-cell')
      const [from, to] = [await one?.boundingBox(), await two?.boundingBox()]
      if (!from || !to) throw new Error('the cells are not seen')
      await page.mouse.move(from.x + 1, from.y + from.height / 2)
      await page.mouse.down()
      await page.mouse.move(to.x + to.width - 4, to.y + to.height / 2, { steps: 4 })
      await page.mouse.up()
      // The first letter of the selected text, from which browsers tell no difference.
      await write('o')
      await stored(id, '| a | b |\n| --- | --- |\n| o |  |')
      // Moving down in the last row does not change the text.
      await write('[ArrowDown]', 'x')
      await stored(id, '| a | b |\n| --- | --- |\n| ox |  |')
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'has rows and columns that are inserted, moved, aligned and deleted, and undone as one',
    async () => {
      const id = await open('| a | b |\n| --- | --- |\n| 1 | 2 |\n| 3 | 4 |')
      await page.waitForSelector('.md-row')
      const cells = await page.$$('.md-row .md-cell')
      await cells[3]?.click()
      await press(page, 'Column')
      await press(page, 'Move left')
      await stored(id, '| b | a |\n| --- | --- |\n| 2 | 1 |\n| 4 | 3 |')
      await press(page, 'Column')
      await press(page, 'Align right')
      await press(page, 'Row')
      await press(page, 'Move down')
      await press(page, 'Row')
      await press(page, 'Insert below')
      await write('new')
      await stored(id, '| b | a |\n| ---: | --- |\n| 4 | 3 |\n| 2 | 1 |\n| new |  |')
      await chord('Alt', 'F10')
      expect(await textOf(page, ':focus')).toBe('Row')
      expect(await accessibilityProblems(page)).toEqual([])
      await page.setViewport({ width: 1440, height: 900 })
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'takes copied cells: outside they become a table, inside they fill cells',
    async () => {
      const id = await open('')
      const pasteText = (text: string) => paste(page, { text }, '.cm-content')
      await pasteText('a\tb\n1\t2|3\n')
      await stored(id, '| a | b |\n| --- | --- |\n| 1 | 2\\|3 |')
      await page.waitForSelector('.md-row')
      const cells = await page.$$('.md-row .md-cell')
      await cells[2]?.click()
      await pasteText('5\t6\n7\t8\n')
      await stored(id, '| a | b |\n| --- | --- |\n| 5 | 6 |\n| 7 | 8 |')
      // Lines of text stay in the cell, beside its text; a wider block adds a column.
      await write('[End]')
      await pasteText('p\nq')
      await stored(id, '| a | b |\n| --- | --- |\n| 5p q | 6 |\n| 7 | 8 |')
      await write('[Tab]')
      await pasteText('x\ty')
      await stored(id, '| a | b |  |\n| --- | --- | --- |\n| 5p q | x | y |\n| 7 | 8 |  |')
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'keeps every letter: in cells without padding, and below the table',
    async () => {
      const id = await open('|a|b|\n|-|-|\n|1|2|\n|3|4|\n')
      await page.waitForSelector('.md-row')
      const cells = await page.$$('.md-row .md-cell')
      await cells[2]?.click()
      await write('[End]')
      await write(' x y')
      await stored(id, '|a|b|\n|-|-|\n|1 x y|2|\n|3|4|\n')
      await write('[Control End]', '(after')
      await stored(id, '|a|b|\n|-|-|\n|1 x y|2|\n|3|4|\n\n(after)')
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'keeps cells beyond its head',
    async () => {
      const id = await open('| a |\n| --- |\n| 1 | 2 |')
      await page.waitForSelector('.md-row')
      expect(await cellTexts()).toEqual([['a'], ['1', '2']])
      const cells = await page.$$('.md-row .md-cell')
      await cells[1]?.click()
      await press(page, 'Row')
      await press(page, 'Insert below')
      await write('n')
      await stored(id, '| a |\n| --- |\n| 1 | 2 |\n| n |')
    },
    BROWSER_TIMEOUT_MS,
  )

  test('no page had an error', () => expect(app.problems).toEqual([]))
})
