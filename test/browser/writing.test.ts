import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'puppeteer-core'
import { accessibilityProblems, BROWSER_TIMEOUT_MS } from '../support/application.ts'
import { type Application, startApplication } from '../support/application-server.ts'
import { hasBrowser } from '../support/browser.ts'
import { frames, paste } from '../support/page-acts.ts'
import { shownLines } from '../support/screens/notes.ts'
import { untilAddress, untilRead, untilTextIs } from '../support/waits.ts'

describe.skipIf(!hasBrowser)('writing a note in a browser', () => {
  let app: Application
  let page: Page

  beforeAll(async () => {
    app = await startApplication()
    page = await app.newPage()
    await app.signIn(page)
  }, BROWSER_TIMEOUT_MS)
  afterAll(() => app.close(), BROWSER_TIMEOUT_MS)

  const createNote = async (title: string, content = ''): Promise<string> =>
    (await app.server.post('/v1/notes', { title, content })).body.note.id
  const open = async (id: string) => {
    await page.goto(`${app.server.url}/app/notes/${id}`)
    await page.waitForSelector('.cm-content')
  }
  const press = async (...keys: Parameters<Page['keyboard']['press']>[0][]) => {
    for (const key of keys) await page.keyboard.down(key)
    for (const key of keys.reverse()) await page.keyboard.up(key)
  }
  const isStored = (id: string, content: string) =>
    untilRead(page, `/v1/notes/${id}`, ({ note }) => note?.content === content)
  const write = async (id: string, typed: readonly string[]) => {
    await open(id)
    await page.focus('.cm-content')
    await press('Control', 'End')
    for (const [at, line] of typed.entries()) {
      if (at > 0) await page.keyboard.press('Enter')
      await page.keyboard.type(line)
    }
  }

  test(
    'Enter continues lists, tasks and quotes, and ends them on an empty item; Tab and Shift Tab move items',
    async () => {
      const id = await createNote('Lists')
      await write(id, ['- `milk`', 'bread', ''])
      await page.keyboard.press('Enter')
      await page.keyboard.type('8. eight')
      await page.keyboard.press('Enter')
      await page.keyboard.type('nine')
      await page.keyboard.press('Tab')
      await press('Shift', 'Tab')
      await press('Shift', 'Enter')
      await isStored(id, '- `milk`\n- bread\n8. eight\n9. nine\n')
      await open(id)
      const tasks = await createNote('Tasks')
      await write(tasks, ['> - [x] done', 'open'])
      await isStored(tasks, '> - [x] done\n> - [ ] open')
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'Ctrl B, I and K toggle the format of the selection',
    async () => {
      const id = await createNote('Marks')
      await write(id, ['word'])
      await press('Control', 'a')
      await press('Control', 'b')
      await isStored(id, '**word**')
      await press('Control', 'b')
      await press('Control', 'i')
      await isStored(id, '*word*')
      await press('Control', 'i')
      await press('Control', 'k')
      await page.keyboard.type('https://example.org')
      await isStored(id, '[word](https://example.org)')
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'markup is visible only at the cursor; Ctrl E shows all; the text stays unchanged',
    async () => {
      const content =
        '# Glaze\n\nSome **bold** and *soft* `code`\n\n==Marked== $$a^2$$\n\n- [ ] sieve\n- item\n\n> [!note] Keep dry\n\n| a | b |\n|---|--:|\n| **1** | [[Kiln]] |\n\n```\nlet x\n```\nend'
      const id = await createNote('Reads', content)
      await open(id)
      await page.waitForSelector('.md-h1')
      expect(await shownLines(page)).toEqual(
        expect.arrayContaining([
          'Glaze',
          'Some bold and soft code',
          'Marked \n𝑎\n2',
          'sieve',
          '• item',
          'let x',
        ]),
      )
      const cells = await page.$$eval('.md-cell', (all) =>
        all.map((cell) => [
          cell.textContent?.trim(),
          cell.className.replace(/md-cell md-w\d+ ?/, ''),
          cell.querySelector('.md-strong') !== null,
        ]),
      )
      expect(cells).toEqual([
        ['a', '', false],
        ['b', 'right', false],
        ['1', '', true],
        ['Kiln', 'right', false],
      ])
      await page.focus('.cm-content')
      await press('Control', 'Home')
      await untilTextIs(page, '.cm-line', '# Glaze')
      expect(await shownLines(page)).toContain('Some bold and soft code')
      expect(await accessibilityProblems(page)).toEqual([])
      await press('Control', 'e')
      expect(await shownLines(page)).toContain('Some **bold** and *soft* `code`')
      await press('Control', 'End')
      await page.keyboard.type('.')
      await isStored(id, `${content}.`)
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'a checkbox is toggled and a link followed by click and Ctrl Enter; dangling links look different',
    async () => {
      const kiln = await createNote('Kiln log')
      const id = await createNote('Links', '- [ ] fire\n\nSee [[Kiln log|the log]] and [[Nothing yet]]')
      await open(id)
      await page.click('.md-box')
      await isStored(id, '- [x] fire\n\nSee [[Kiln log|the log]] and [[Nothing yet]]')
      await page.focus('.cm-content')
      await press('Control', 'Home')
      await press('Control', 'Enter')
      await isStored(id, '- [ ] fire\n\nSee [[Kiln log|the log]] and [[Nothing yet]]')
      expect(await page.$eval('.md-dead', (dead) => dead.textContent)).toBe('Nothing yet')
      await page.click('a.md-to')
      await untilAddress(page, ({ pathname }) => pathname.endsWith(kiln))
      await page.goBack()
      await page.waitForSelector('a.md-to')
      await page.focus('.cm-content')
      await press('Control', 'Home')
      await page.keyboard.press('ArrowDown')
      await page.keyboard.press('ArrowDown')
      for (let at = 0; at < 8; at++) await page.keyboard.press('ArrowRight')
      await press('Control', 'Enter')
      await untilAddress(page, ({ pathname }) => pathname.endsWith(kiln))
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'a completed #tag becomes a tag of the note, except in code',
    async () => {
      const id = await createNote('Tags')
      await write(id, ['about #kiln and `#code ` '])
      await untilRead(page, `/v1/notes/${id}`, ({ note }) => note.tags.join() === 'kiln')
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'a link shows a preview of its note on hover',
    async () => {
      await createNote('Kiln', '# Heat\n\n- [ ] see [[Clay|the *clay*]] at **1,200** degrees')
      await open(await createNote('Pots', 'about [[Kiln]] and [[Nothing]]'))
      await page.waitForSelector('.md-to')
      await page.hover('.md-to')
      await page.waitForSelector('.note-card')
      expect(await page.$$eval('.note-card > *', (all) => all.map(({ textContent }) => textContent))).toEqual(
        ['Kiln', expect.stringMatching(/^edited \d\d:\d\d$/), 'Heat see the clay at 1,200 degrees'],
      )
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'a slash offers blocks on an empty line, inline items in a line, and nothing in a word or code',
    async () => {
      const id = await createNote('Inserted')
      await open(id)
      await page.focus('.cm-content')
      const offered = () =>
        page.$$eval('.cm-completionLabel', (all) => all.map(({ textContent }) => textContent))
      const choose = async (typed: string, wanted: string) => {
        await page.keyboard.type(typed)
        await untilTextIs(page, '.cm-tooltip li[aria-selected] .cm-completionLabel', wanted)
        // The editor ignores keys pressed just as the list appears.
        await frames(page, 12)
        await page.keyboard.press('Enter')
      }
      await choose('/head', 'Heading 1')
      await page.keyboard.type('Plan')
      await page.keyboard.press('Enter')
      await choose('/tab', 'Table')
      await page.keyboard.type('what')
      await page.keyboard.press('Tab')
      await page.keyboard.type('when')
      await press('Control', 'End')
      await page.keyboard.type('\nand/or\n```\n/ta')
      await frames(page, 20)
      expect(await offered()).toEqual([])
      await page.keyboard.type('\n```\non /')
      await page.waitForSelector('.cm-completionLabel')
      expect(await offered()).toEqual(['Link to a note', 'Tag', 'Today', 'Time'])
      await choose('tod', 'Today')
      const day = new Intl.DateTimeFormat('sv-SE').format(new Date())
      await isStored(id, `# Plan\n| what | when |\n| --- | --- |\n\nand/or\n\`\`\`\n/ta\n\`\`\`\non ${day}`)
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'web pages are pasted as Markdown, code and plain text unchanged',
    async () => {
      const id = await createNote('Pasted')
      await open(id)
      await page.focus('.cm-content')
      const pastePage = (html: string, text: string) => paste(page, { html, text }, '.cm-content')
      await pastePage(
        `<meta charset="utf-8"><b style="font-weight:normal"><h2>Plan *</h2><p>A <a href="https://example.com/a_(b)">page</a>,
          <a href="javascript:alert(1)">none</a>, <span style="font-weight:700">bold </span>and <i>slanted</i> <s>gone</s></p>
          <ul><li>one<ul><li>two</li></ul></li></ul>
          <table><thead><tr><th>a</th><th>b|c</th></tr></thead><tbody><tr><td>1</td><td>2</td></tr></tbody></table>
          <img src="data:image/gif;base64,R0lGODlhAQABAAAAACw=" alt="dot" onerror="alert(1)"><script>alert(1)</script></b>`,
        'plain',
      )
      const first = [
        '## Plan \\*',
        'A [page](https://example.com/a_%28b%29), none, **bold** and *slanted* ~~gone~~',
        '- one\n  - two',
        '| a | b\\|c |\n| --- | --- |\n| 1 | 2 |',
        'dot',
      ].join('\n\n')
      await isStored(id, first)
      await page.keyboard.type('\n```\n')
      await pastePage('<b>bold</b>', 'in code ')
      await pastePage('<span style="color: red">const</span>', 'const a = *1*')
      await isStored(id, `${first}\n\`\`\`\nin code const a = *1*`)
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'each line has its own text direction',
    async () => {
      await open(await createNote('Directions', 'plain\n\nمرحبا بالعالم.'))
      const directions = await page.$$eval('.cm-line', (lines) =>
        lines.map((line) => getComputedStyle(line).direction),
      )
      expect(directions).toEqual(['ltr', 'ltr', 'rtl'])
    },
    BROWSER_TIMEOUT_MS,
  )

  test('has no error on the console', () => {
    expect(app.problems).toEqual([])
  })
})
