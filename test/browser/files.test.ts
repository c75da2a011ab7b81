import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { resolve } from 'node:path'
import type { ElementHandle, Page } from 'puppeteer-core'
import { accessibilityProblems, BROWSER_TIMEOUT_MS } from '../support/application.ts'
import {
  type Application,
  contentOf,
  fill,
  press,
  startApplication,
  untilText,
  untilTextIn,
} from '../support/application-server.ts'
import { hasBrowser, sharedFullBrowser } from '../support/browser.ts'
import { send } from '../support/page-requests.ts'
import { newFolder } from '../support/process.ts'

const HANDBOOK = resolve('test/files/samples/handbook.pdf')

describe.skipIf(!hasBrowser)('files in a browser', () => {
  let app: Application
  let page: Page
  const folder = newFolder()
  const files = async () => (await app.server.get('/v1/files')).body.files
  const add = async (...paths: string[]) => {
    const input = await page.waitForSelector('input[type=file]')
    await (input as ElementHandle<never>).uploadFile(...paths)
  }

  beforeAll(async () => {
    app = await startApplication([], { startBrowser: sharedFullBrowser })
    page = await app.newPage()
    await app.signIn(page)
  }, BROWSER_TIMEOUT_MS)
  // Chromium can hang a page that navigates while its PDF viewer loads, so each test has its own page.
  beforeEach(async () => {
    const before = page
    page = await app.nextPage(before.browserContext())
    await before.close()
  })
  afterAll(async () => {
    await app.close()
    folder.remove()
  }, BROWSER_TIMEOUT_MS)

  test(
    'a file is added, found by its text, read beside the list, and downloaded byte for byte',
    async () => {
      await page.goto(`${app.server.url}/app/files`)
      await untilText(page, 'Drop files here')
      await add(HANDBOOK)
      await untilText(page, '3 pages')
      await fill(page, 'Search names and text', 'cards carr')
      await page.waitForSelector('.item mark')
      expect(await page.$$eval('.item mark', (marks) => marks.map(({ textContent }) => textContent))).toEqual(
        ['Cards', 'carry'],
      )
      await page.locator('.item').click()
      await page.waitForSelector('article[aria-label="Page 2"]')
      expect(await page.$('article[aria-label="Page 1"]')).toBeNull()
      expect(page.url()).toContain('page=2')
      await page.reload()
      await page.waitForSelector('article[aria-label="Page 2"]')
      await press(page, 'From page 1')
      await page.waitForSelector('article[aria-label="Page 1"]')

      const client = await app.browser.target().createCDPSession()
      await client.send('Browser.setDownloadBehavior', {
        behavior: 'allow',
        browserContextId: page.browserContext().id ?? '',
        downloadPath: folder.path,
        eventsEnabled: true,
      })
      const { promise, resolve: ended } = Promise.withResolvers<void>()
      client.on('Browser.downloadProgress', ({ state }) => {
        if (state !== 'inProgress') ended()
      })
      await press(page, 'Download')
      await promise
      expect(readdirSync(folder.path)).toEqual(['handbook.pdf'])
      const [saved, original] = [Bun.file(folder.file('handbook.pdf')), Bun.file(HANDBOOK)]
      expect(await saved.bytes()).toEqual(await original.bytes())
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'a document that would run a script when shown is only offered for download',
    async () => {
      const source = folder.file('scripted.pdf')
      const objects = [
        '<< /Type /Catalog /Pages 2 0 R /OpenAction << /S /JavaScript /JS (app.alert\\("1"\\);) >> >>',
        '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
        '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 200] >>',
      ]
      const body = objects.map((object, at) => `${at + 1} 0 obj\n${object}\nendobj\n`).join('')
      await Bun.write(source, `%PDF-1.7\n${body}trailer\n<< /Size 4 /Root 1 0 R >>\n%%EOF`)
      const said: string[] = []
      page.on('dialog', (dialog) => {
        said.push(dialog.message())
        void dialog.dismiss()
      })
      await page.goto(`${app.server.url}/app/files`)
      await add(source)
      await untilTextIn(page, '.ledger .item', 'scripted.pdf')
      await page.locator('.item').click()
      await untilTextIn(page, '.original', 'contains scripts')
      expect(await page.$('.original iframe')).toBeNull()
      expect(await page.$('.original a[download="scripted.pdf"]')).not.toBeNull()
      expect(said).toEqual([])
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'a text file is shown verbatim beside its extracted text, and nothing in it runs',
    async () => {
      const source = folder.file('page.html')
      const html = '<script>document.title = 1</script>\n<b>Truing   stand</b>\n'
      await Bun.write(source, html)
      await page.goto(`${app.server.url}/app/files`)
      await add(source)
      await untilTextIn(page, '.ledger .item', 'page.html')
      await page.locator('.item').click()
      await untilTextIn(page, '.page-text', 'Truing stand')
      expect(await contentOf(page, 'page.html, the original')).toBe(html)
      expect(await page.$('.original :is(iframe, script, b)')).toBeNull()
      expect(await page.title()).toBe('Files – daybook')
      expect(await accessibilityProblems(page)).toEqual([])
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'a document without a viewer offers a download beside its text',
    async () => {
      await page.goto(`${app.server.url}/app/files`)
      await add(resolve('test/files/samples/handbook.docx'))
      await untilTextIn(page, '.ledger .item', 'handbook.docx')
      await page.locator('.item').click()
      await page.waitForSelector('.page-text')
      await untilTextIn(page, '.original', 'Download it and open it with a suitable program.')
      expect(await page.$eval('.original a', (link) => [link.textContent, link.download])).toEqual([
        'Download handbook.docx',
        'handbook.docx',
      ])
      expect(await accessibilityProblems(page)).toEqual([])
      for (const { id } of (await files()).filter(
        ({ file_name }: { file_name: string }) => file_name !== 'handbook.pdf',
      ))
        await send(page, 'DELETE', `/app/api/files/${id}`)
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'a refused file shows the reason and can be removed',
    async () => {
      await page.goto(`${app.server.url}/app/files`)
      await untilText(page, '1 file')
      const large = folder.file('large.bin')
      await Bun.write(large, new Uint8Array(51 * 1_048_576))
      await add(large)
      await press(page, 'Remove large.bin')
      await page.waitForSelector('.uploads li', { hidden: true })
      expect(await files()).toHaveLength(1)
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'a file is renamed, and deleted by typing its name',
    async () => {
      await page.goto(`${app.server.url}/app/files`)
      await page.locator('.item').click()
      await press(page, 'Rename')
      await page.waitForSelector('input[name=name]')
      await fill(page, 'New name (links in notes are updated)', 'engine.pdf')
      await page.keyboard.press('Enter')
      await untilTextIn(page, '.side h2', 'engine.pdf')
      expect((await files())[0].file_name).toBe('engine.pdf')
      expect(await accessibilityProblems(page)).toEqual([])
      await page.setViewport({ width: 1280, height: 800 })
      await press(page, 'Delete…')
      await page.waitForSelector('dialog.modal input:focus')
      await page.keyboard.type('engine.pdf')
      await page.keyboard.press('Enter')
      await untilText(page, 'Drop files here')
      expect(await files()).toEqual([])
      expect(await accessibilityProblems(page)).toEqual([])
    },
    BROWSER_TIMEOUT_MS,
  )

  test('the page had no error, and no other host was contacted', () => {
    expect(app.problems).toEqual([])
  })
})
