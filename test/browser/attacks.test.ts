import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Server } from 'bun'
import type { Page } from 'puppeteer-core'
import { BROWSER_TIMEOUT_MS } from '../support/application.ts'
import { type Application, fill, press, startApplication } from '../support/application-server.ts'
import { hasBrowser } from '../support/browser.ts'
import { PASSWORD } from '../support/browser-client.ts'
import { send, upload } from '../support/page-requests.ts'

const SCRIPT = `<script>document.title = 'run'; fetch('/v1/notes')</script>`

describe.skipIf(!hasBrowser)('attacks on a signed-in user', () => {
  let app: Application
  let page: Page
  /** A page of another site: another name for the loopback interface, which browsers treat as another site. */
  let evil: Server<undefined>
  let evilUrl: string

  const noteCount = async () => (await app.server.get('/v1/notes')).body.total
  const cookies = () => page.browserContext().cookies()
  const visit = async (html: string): Promise<Page> => {
    evil.reload({ fetch: () => new Response(html, { headers: { 'Content-Type': 'text/html' } }) })
    const other = await page.browserContext().newPage()
    await other.goto(evilUrl)
    return other
  }

  beforeAll(async () => {
    app = await startApplication()
    page = await app.newPage()
    await app.setUp(page, await app.setupLink())
    evil = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response('') })
    evilUrl = `http://localhost:${evil.port}/`
  }, BROWSER_TIMEOUT_MS)
  afterAll(async () => {
    await evil.stop(true)
    await app.close()
  }, BROWSER_TIMEOUT_MS)

  test(
    'other sites cannot embed the page in a frame',
    async () => {
      const other = await visit(`<iframe src="${app.server.url}/app/notes"></iframe>`)
      await other.waitForSelector('iframe')
      const [, frame] = other.frames()
      expect(frame?.url()).not.toContain('/app/notes')
      const { headers } = await fetch(`${app.server.url}/app`)
      expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
      expect(headers.get('x-frame-options')).toBe('DENY')
      await other.close()
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    "an uploaded script never runs in the page, however it is loaded; the application's own scripts do",
    async () => {
      await page.goto(`${app.server.url}/app/notes`)
      const load = (url: string) =>
        page.evaluate(
          (address) =>
            import(address).then(
              () => 'ran',
              () => 'refused',
            ),
          url,
        )
      const id = await upload(page, 'x.js', btoa('document.title = "run"'))
      const asset = await page.$eval('link[rel=modulepreload]', (link) => link.getAttribute('href'))
      expect(await load(`/v1/files/${id}/content`)).toBe('refused')
      expect(await load(asset as string)).toBe('ran')
      await page.evaluate(
        (address) =>
          new Promise<unknown>((resolve) => {
            const script = document.createElement('script')
            script.onload = script.onerror = resolve
            try {
              script.src = address
            } catch {
              resolve(undefined)
            }
            document.head.append(script)
          }),
        `/v1/files/${id}/content`,
      )
      expect(await page.title()).not.toBe('run')
      await send(page, 'DELETE', `/app/api/files/${id}`)
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'forms and scripts of other sites cannot write, with any content type',
    async () => {
      const before = await noteCount()
      const target = `${app.server.url}/v1/notes`
      for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data']) {
        const other = await visit(
          `<form method="post" action="${target}" enctype="${type}"><input name='{"title":"forged","content":"' value='"}'></form>`,
        )
        const [response] = await Promise.all([
          other.waitForNavigation(),
          other.$eval('form', (form) => form.submit()),
        ])
        expect([type, response?.status()]).toEqual([type, 401])
        await other.close()
      }
      const other = await visit('')
      for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/json', '']) {
        const headers: Record<string, string> = type === '' ? {} : { 'Content-Type': type }
        for (const mode of ['cors', 'no-cors'] as const)
          await other.evaluate(
            (address, options) =>
              fetch(address, { ...options, credentials: 'include' }).then(
                () => {},
                () => {},
              ),
            target,
            { method: 'POST', mode, headers, body: '{"title":"forged"}' },
          )
      }
      await other.close()
      expect(await noteCount()).toBe(before)
    },
    BROWSER_TIMEOUT_MS,
  )

  test('a stolen cookie sent from another site writes nothing, whatever its content type', async () => {
    const before = await noteCount()
    const [cookie] = await cookies()
    const sent = { cookie: `${cookie?.name}=${cookie?.value}` }
    for (const site of ['cross-site', 'same-site', 'none']) {
      for (const type of [
        'text/plain',
        'application/x-www-form-urlencoded',
        'multipart/form-data',
        'application/json',
      ]) {
        const headers = { ...sent, 'sec-fetch-site': site, 'content-type': type }
        const body = '{"title":"forged"}'
        const response = await fetch(`${app.server.url}/v1/notes`, { method: 'POST', headers, body })
        expect([site, type, response.status]).toEqual([site, type, 403])
        expect(await response.json()).toMatchObject({ code: 'cross_site' })
      }
    }
    expect(await noteCount()).toBe(before)
  })

  test('a foreign host name that resolves to the server is refused, for pages and endpoints', async () => {
    const [cookie] = await cookies()
    const sent = { host: 'evil.example', cookie: `${cookie?.name}=${cookie?.value}` }
    for (const path of ['/app', '/app/notes', '/app/api/session', '/v1/notes']) {
      const response = await fetch(`${app.server.url}${path}`, { headers: sent })
      expect([path, response.status]).toEqual([path, 421])
      expect(await response.json()).toMatchObject({ code: 'bad_host' })
    }
  })

  test(
    'files are served as downloads, without scripts, and never as pages',
    async () => {
      const names = ['page.html', 'picture.svg', 'feed.xhtml', 'script.js']
      for (const name of names) {
        const content = name.endsWith('svg')
          ? `<svg xmlns="http://www.w3.org/2000/svg">${SCRIPT}</svg>`
          : `<html xmlns="http://www.w3.org/1999/xhtml"><body>${SCRIPT}</body></html>`
        await upload(page, name, btoa(content))
      }
      const { files } = (await app.server.get('/v1/files')).body
      expect(files).toHaveLength(names.length)
      for (const { id } of files) {
        const { headers } = await app.server.get(`/v1/files/${id}/content`)
        expect(headers.get('content-disposition')).toStartWith('attachment;')
        expect(headers.get('x-content-type-options')).toBe('nosniff')
        expect(headers.get('content-security-policy')).toBe('sandbox')
        const other = await page.browserContext().newPage()
        await other.goto(`${app.server.url}/v1/files/${id}/content`).catch(() => {})
        expect(other.url()).toBe('about:blank')
        await other.close()
        await page.goto(`${app.server.url}/app/files/${id}`)
        await page.waitForSelector('.side .facts')
        expect(await page.title()).not.toBe('run')
      }
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'signing in never adopts a session id that was planted before',
    async () => {
      const victim = await app.newPage()
      const fixed = 'A'.repeat(43)
      const name = `daybook_session_${new URL(app.server.url).port}`
      await victim.goto(`${app.server.url}/app`)
      await victim.browserContext().setCookie({
        name,
        value: fixed,
        domain: '127.0.0.1',
        path: '/',
      })
      await victim.reload()
      await fill(victim, 'Name', 'owner')
      await fill(victim, 'Password', PASSWORD)
      await victim.keyboard.press('Enter')
      await victim.waitForSelector('.rail')
      const [cookie] = await victim.browserContext().cookies()
      expect(cookie).toMatchObject({ name, httpOnly: true, sameSite: 'Strict', path: '/' })
      expect(cookie?.value).not.toBe(fixed)
      const asAttacker = await fetch(`${app.server.url}/app/api/session`, {
        headers: { cookie: `${name}=${fixed}` },
      })
      expect(asAttacker.status).toBe(401)
      await victim.browserContext().close()
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'a stolen cookie is invalid once its owner has signed out',
    async () => {
      const [cookie] = await cookies()
      const headers = { cookie: `${cookie?.name}=${cookie?.value}` }
      const read = () => fetch(`${app.server.url}/v1/notes`, { headers })
      expect((await read()).status).toBe(200)
      await page.goto(`${app.server.url}/app/settings`)
      await page.locator('.rail-head').click()
      await press(page, 'Sign out')
      await page.waitForSelector('.sign-in-screen')
      expect((await read()).status).toBe(401)
      expect(await cookies()).toEqual([])
    },
    BROWSER_TIMEOUT_MS,
  )
})
