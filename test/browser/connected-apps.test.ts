import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import type { Page } from 'puppeteer-core'
import { accessibilityProblems, BROWSER_TIMEOUT_MS } from '../support/application.ts'
import { type Application, press, startApplication, untilText } from '../support/application-server.ts'
import { hasBrowser } from '../support/browser.ts'
import { PASSWORD } from '../support/browser-client.ts'

/* A person connects an app in a browser: without script, on a phone, from a page of another site. */

const VERIFIER = 'v'.repeat(43)
const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url')

/** The app's own server, with a page that links to the daybook and one that the person returns to. */
function startClient() {
  const state = { link: '' }
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: ({ url }) => {
      const { pathname, search } = new URL(url)
      const page =
        pathname === '/callback' ? `<h1>Back</h1><p>${search}</p>` : `<a href="${state.link}">Connect</a>`
      return new Response(`<!doctype html><title>App</title>${page}`, {
        headers: { 'content-type': 'text/html' },
      })
    },
  })
  return { url: server.url.origin, state, stop: () => server.stop(true) }
}

describe.skipIf(!hasBrowser)('connecting an app in a browser', () => {
  let app: Application
  let client: ReturnType<typeof startClient>
  /** Passkeys need a host name. */
  let origin: string

  beforeAll(async () => {
    app = await startApplication()
    client = startClient()
    origin = `http://localhost:${new URL(app.server.url).port}`
    const redirect_uri = `${client.url}/callback`
    const registered = await fetch(`${origin}/oauth/register`, {
      method: 'POST',
      body: JSON.stringify({ client_name: 'Assistant', redirect_uris: [redirect_uri] }),
    })
    const { client_id } = (await registered.json()) as { client_id: string }
    const query = {
      response_type: 'code',
      client_id,
      redirect_uri,
      code_challenge: CHALLENGE,
      code_challenge_method: 'S256',
      state: 'of-the-app',
      scope: 'write',
    }
    client.state.link = `${origin}/oauth/authorize?${new URLSearchParams(query)}`
    const page = await app.newPage()
    await app.setUp(page, await app.setupLink())
  }, BROWSER_TIMEOUT_MS)
  afterAll(async () => {
    await client.stop()
    await app.close()
  }, BROWSER_TIMEOUT_MS)

  /** Returns from the consent page to the app with this choice, and exchanges the code, if there is one. */
  async function returned(page: Page, choice: string) {
    await Promise.all([page.waitForNavigation(), page.click(`button[value=${choice}]`)])
    const { origin: place, searchParams } = new URL(page.url())
    expect([place, searchParams.get('state'), searchParams.get('iss')]).toEqual([
      client.url,
      'of-the-app',
      origin,
    ])
    return searchParams
  }

  test(
    'without script, with a password, on a phone',
    async () => {
      const page = await app.newPage({ width: 360 })
      await page.setJavaScriptEnabled(false)
      await page.goto(client.url)
      await page.click('a')
      await page.waitForSelector('input[name=password]')
      await page.type('input[name=user]', 'owner')
      await page.type('input[name=password]', PASSWORD)
      await Promise.all([page.waitForNavigation(), page.click('form button')])
      expect(await page.$eval('h1', ({ textContent }) => textContent)).toBe('Connect Assistant?')
      const { scrollWidth, clientWidth } = await page.$eval('html', ({ scrollWidth, clientWidth }) => ({
        scrollWidth,
        clientWidth,
      }))
      expect(scrollWidth).toBe(clientWidth)
      const code = (await returned(page, 'allow')).get('code')
      expect(code).toStartWith('dbc_')

      // The session is there now: a link of another site leads to consent without a password.
      await page.goto(client.url)
      await page.click('a')
      await page.waitForSelector('button[value=deny]')
      expect((await returned(page, 'deny')).get('error')).toBe('access_denied')
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'in the settings, which list and disconnect it',
    async () => {
      const page = await app.newPage()
      await app.signIn(page)
      await page.goto(client.state.link.replace(origin, app.server.url))
      await page.waitForSelector('button[value=allow]')
      await page.select('select[name=workspace]', await page.$eval('option', ({ value }) => value))
      await press(page, 'Limit access')
      await page.select('select[name="access.files"]', 'none')
      await Promise.all([page.waitForNavigation(), page.click('button[value=allow]')])
      const { searchParams } = new URL(page.url())
      const exchanged = await fetch(`${app.server.url}/oauth/token`, {
        method: 'POST',
        body: new URLSearchParams({
          grant_type: 'authorization_code',
          code: searchParams.get('code') ?? '',
          code_verifier: VERIFIER,
          client_id: new URL(client.state.link).searchParams.get('client_id') ?? '',
        }),
      })
      expect(exchanged.status).toBe(200)
      await page.goto(`${app.server.url}/app/settings/apps`)
      await untilText(page, 'Assistant')
      await untilText(page, 'files: none')
      expect(await accessibilityProblems(page)).toEqual([])
      await press(page, 'Disconnect Assistant')
      await untilText(page, 'No connected apps yet.')
    },
    BROWSER_TIMEOUT_MS,
  )
})
