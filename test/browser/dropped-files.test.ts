import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { basename } from 'node:path'
import type { HTTPRequest, Page } from 'puppeteer-core'
import { BROWSER_TIMEOUT_MS } from '../support/application.ts'
import { type Application, startApplication, untilTextIn } from '../support/application-server.ts'
import { hasBrowser } from '../support/browser.ts'
import { dropFiles } from '../support/browser-files.ts'
import { frames, paste } from '../support/page-acts.ts'
import { send } from '../support/page-requests.ts'
import { newFolder } from '../support/process.ts'
import { switchWorkspace } from '../support/screens/account.ts'
import { untilRead } from '../support/waits.ts'

const PICTURE = { name: 'rim.gif', type: 'image/gif', base64: 'R0lGODlhAQABAAAAACwAAAAAAQABAAAC' }

describe.skipIf(!hasBrowser)('dropped and pasted files in a browser', () => {
  let app: Application
  let page: Page
  const folder = newFolder()
  const [one = '', two = '', three = ''] = ['one.txt', 'two.txt', 'three.txt'].map(folder.file)
  const picture = folder.file(PICTURE.name)

  beforeAll(async () => {
    for (const path of [one, two, three]) await Bun.write(path, basename(path))
    await Bun.write(picture, Buffer.from(PICTURE.base64, 'base64'))
    app = await startApplication()
    page = await app.newPage()
    await app.signIn(page)
  }, BROWSER_TIMEOUT_MS)
  afterAll(async () => {
    await app.close()
    folder.remove()
  }, BROWSER_TIMEOUT_MS)

  const open = async (content: string): Promise<string> => {
    const { id } = (await app.server.post('/v1/notes', { title: 'Wheel', content })).body.note
    await page.goto(`${app.server.url}/app/notes/${id}`)
    await page.waitForSelector('.cm-content')
    return id
  }
  /** Returns the right end of a line of the editor. */
  const endOfLine = async (number: number) => {
    const box = await (await page.$(`.cm-line:nth-of-type(${number})`))?.boundingBox()
    return { x: (box?.x ?? 0) + (box?.width ?? 0) - 2, y: (box?.y ?? 0) + (box?.height ?? 0) / 2 }
  }
  /** Waits until the element stops moving: content that loads above it shifts it. */
  const middleOf = async (selector: string) => {
    const element = await page.waitForSelector(selector)
    let box = await element?.boundingBox()
    for (let lastY = Number.NaN; box && lastY !== box.y; ) {
      lastY = box.y
      await frames(page, 6)
      box = await element?.boundingBox()
    }
    return { x: (box?.x ?? 0) + (box?.width ?? 0) / 2, y: (box?.y ?? 0) + (box?.height ?? 0) / 2 }
  }
  const filesOf = async (id: string): Promise<{ id: string; file_name: string }[]> =>
    (await app.server.get(`/v1/notes/${id}/files`)).body.files
  /** Waits until the server has these files of a note, and returns their links. */
  const linksTo = async (id: string, ...names: string[]): Promise<string[]> => {
    await untilRead(page, `/v1/notes/${id}/files`, ({ files }) => files.length === names.length)
    const files = await filesOf(id)
    return names.map((name) => `[[file:${files.find(({ file_name }) => file_name === name)?.id}|${name}]]`)
  }
  /** Waits until the server has this text. */
  const isStored = (id: string, content: string) =>
    untilRead(page, `/v1/notes/${id}`, ({ note }) => note?.content === content).catch(async (cause) => {
      const stored = (await app.server.get(`/v1/notes/${id}`)).body.note.content
      throw new Error(`${JSON.stringify(stored)} is stored, not ${JSON.stringify(content)}`, { cause })
    })

  test(
    'into a note are stored, and linked in their order where they were dropped',
    async () => {
      const id = await open('first\nsecond')
      await dropFiles(page, await endOfLine(1), [one, two, three])
      const links = await linksTo(id, 'one.txt', 'two.txt', 'three.txt')
      await isStored(id, `first${links.join('\n')}\n\nsecond`)
      for (const stored of await filesOf(id))
        expect((await app.server.get(`/v1/files/${stored.id}/content`)).body).toBe(stored.file_name)
      await untilTextIn(page, '#details', 'three.txt')
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'are pasted at the cursor, pictures as pictures, and typing continues after them',
    async () => {
      const id = await open('before after')
      await page.focus('.cm-content')
      for (const _ of 'before ') await page.keyboard.press('ArrowRight')
      await paste(page, { file: PICTURE })
      const [link] = await linksTo(id, 'rim.gif')
      await isStored(id, `before !${link}\nafter`)
      await page.keyboard.type('!')
      await isStored(id, `before !${link}\n!after`)
      const sent = await fetch(`${app.server.url}/v1/files/${(await filesOf(id))[0]?.id}/content`, {
        headers: { authorization: `Bearer ${app.server.key}` },
      })
      expect(Buffer.from(await sent.arrayBuffer()).toString('base64')).toBe(PICTURE.base64)
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'do not replace cells copied from a spreadsheet: its table is pasted, not its picture',
    async () => {
      const id = await open('')
      await page.focus('.cm-content')
      await paste(page, {
        text: 'one\ttwo',
        html: '<table><tr><td>one</td><td>two</td></tr></table>',
        file: { name: 'image.png', type: 'image/png', base64: btoa('picture') },
      })
      await isStored(id, '| one | two |\n| --- | --- |')
      expect(await filesOf(id)).toEqual([])
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'leave the cursor in place while they upload, and are linked where they were dropped',
    async () => {
      const id = await open('first\nsecond')
      const held = Promise.withResolvers<HTTPRequest>()
      const hold = (request: HTTPRequest) =>
        request.url().includes('/app/api/files') ? held.resolve(request) : void request.continue()
      await page.setRequestInterception(true)
      page.on('request', hold)
      await dropFiles(page, await endOfLine(2), [one])
      const upload = await held.promise
      await page.focus('.cm-content')
      await page.keyboard.down('Control')
      await page.keyboard.press('Home')
      await page.keyboard.up('Control')
      await page.keyboard.type('now ')
      await upload.continue()
      const [link] = await linksTo(id, 'one.txt')
      await isStored(id, `now first\nsecond${link}\n`)
      await page.keyboard.type('and then ')
      await isStored(id, `now and then first\nsecond${link}\n`)
      page.off('request', hold)
      await page.setRequestInterception(false)
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'are linked at the end of a note that was closed during the upload',
    async () => {
      const id = await open('text')
      const held = Promise.withResolvers<HTTPRequest>()
      const hold = (request: HTTPRequest) =>
        request.url().includes('/app/api/files') ? held.resolve(request) : void request.continue()
      await page.setRequestInterception(true)
      page.on('request', hold)
      await dropFiles(page, await endOfLine(1), [one])
      const upload = await held.promise
      await page.click('.rail-nav a[href="/app/records"]')
      await page.waitForSelector('.records-screen')
      await upload.continue()
      const [link] = await linksTo(id, 'one.txt')
      await isStored(id, `text\n\n${link}`)
      page.off('request', hold)
      await page.setRequestInterception(false)
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'belong to the workspace in which they were dropped, also after switching to another',
    async () => {
      await send(page, 'POST', '/app/api/workspaces', { name: 'Elsewhere' })
      await page.goto(`${app.server.url}/app/files`)
      const name = () => page.$eval('.rail-head .cut', ({ textContent }) => String(textContent))
      await page.waitForSelector('.drop')
      const here = await name()
      const openWorkspace = async (wanted: string) => {
        await switchWorkspace(page, wanted)
        await untilTextIn(page, '.rail-head', wanted)
      }
      const held = Promise.withResolvers<HTTPRequest>()
      const hold = (request: HTTPRequest) =>
        request.url().includes('file_name=two') ? held.resolve(request) : void request.continue()
      await page.setRequestInterception(true)
      page.on('request', hold)
      await dropFiles(page, await middleOf('.drop'), [two, three])
      const upload = await held.promise
      await openWorkspace('Elsewhere')
      const arrived = page.waitForResponse((response) => response.url().includes('file_name=two'))
      await upload.continue()
      await arrived
      await openWorkspace(here)
      await untilRead(page, '/v1/files', ({ files }) =>
        files.some(
          ({ file_name, note_id }: { file_name: string; note_id: string | null }) =>
            file_name === 'three.txt' && note_id === null,
        ),
      )
      page.off('request', hold)
      await page.setRequestInterception(false)
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'keep Windows line breaks of a note',
    async () => {
      const id = await open('first\r\nsecond')
      await dropFiles(page, await endOfLine(1), [one])
      const [link] = await linksTo(id, 'one.txt')
      await isStored(id, `first${link}\r\n\r\nsecond`)
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'beside the text are stored with the note; elsewhere they do not replace the application',
    async () => {
      const id = await open('text')
      await dropFiles(page, await middleOf('#details section[aria-label=Files] h3'), [one])
      await linksTo(id, 'one.txt')
      await dropFiles(page, await middleOf('.title-field'), [two])
      await linksTo(id, 'one.txt', 'two.txt')
      await isStored(id, 'text')
      const loaded = await page.evaluate(() => performance.timeOrigin)
      for (const selector of ['.rail-nav', '#list .bar', '#note .bar']) {
        await dropFiles(page, await middleOf(selector), [three])
        await frames(page, 2)
        expect([selector, await page.evaluate(() => performance.timeOrigin)]).toEqual([selector, loaded])
      }
      expect(page.url()).toBe(`${app.server.url}/app/notes/${id}`)
      expect(await filesOf(id)).toHaveLength(2)
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'among the files are all stored under their names; files with the same name stay separate',
    async () => {
      await page.goto(`${app.server.url}/app/files`)
      const before = (await app.server.get('/v1/files')).body.files.length
      await dropFiles(page, await middleOf('.drop'), [one, two, three, picture])
      await dropFiles(page, await middleOf('.drop'), [one])
      await untilRead(page, '/v1/files', ({ files }) => files.length === before + 5)
      const { files } = (await app.server.get('/v1/files')).body
      const names = files.slice(0, 5).map(({ file_name }: { file_name: string }) => file_name)
      expect(names.toSorted()).toEqual(['one.txt', 'one.txt', 'rim.gif', 'three.txt', 'two.txt'])
      await untilTextIn(page, '.drop', 'rim.gif')
      await page.waitForSelector('.uploads li', { hidden: true })
    },
    BROWSER_TIMEOUT_MS,
  )

  test('the page had no error, and no other host was contacted', () => {
    expect(app.problems).toEqual([])
  })
})
