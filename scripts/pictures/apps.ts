import type { Page } from 'puppeteer-core'
import { authorizationOf, authorizePath, type Request } from '../../test/support/connected-app.ts'
import { call } from './call.ts'

const ASSISTANTS = [
  { client_name: 'Claude', redirect_uris: ['https://claude.ai/api/mcp/auth_callback'], scope: 'write' },
  {
    client_name: 'ChatGPT',
    redirect_uris: ['https://chatgpt.com/connector_platform_oauth_redirect'],
    scope: 'read',
  },
  { client_name: 'Cursor', redirect_uris: ['cursor://anysphere.cursor-mcp/oauth/callback'], scope: 'write' },
] as const

type Assistant = (typeof ASSISTANTS)[number]

async function register(page: Page, { scope, ...metadata }: Assistant): Promise<Request> {
  const { client_id } = await call(page, '/oauth/register', metadata)
  return authorizationOf(client_id, { redirect_uri: metadata.redirect_uris[0], scope })
}

/** Registers an assistant and returns the path of its consent page. */
export const requestConsent = async (page: Page): Promise<string> =>
  authorizePath(await register(page, ASSISTANTS[0]))

/** Connects the assistants and returns the path of the settings that list them. */
export async function connectApps(page: Page): Promise<string> {
  const { origin } = new URL(page.url())
  for (const assistant of ASSISTANTS) {
    await page.goto(`${origin}/app/settings/apps`)
    const request = await register(page, assistant)
    const code = await codeFor(page, `${origin}${authorizePath(request)}`)
    const { verifier: code_verifier, parameters } = request
    const { client_id = '', redirect_uri = '' } = parameters
    const grant = { grant_type: 'authorization_code', code, code_verifier, client_id, redirect_uri }
    const { ok, status } = await fetch(`${origin}/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams(grant),
    })
    if (!ok) throw new Error(`the token endpoint answered ${status}`)
  }
  return '/app/settings/apps'
}

/** Agrees on the consent page, and returns the code that the assistant gets. */
async function codeFor(page: Page, url: string): Promise<string> {
  await page.goto(url)
  // The address of the assistant itself cannot be opened from here.
  const [response] = await Promise.all([
    page.waitForResponse((one) => one.request().method() === 'POST' && one.status() === 303),
    page.click('button[value=allow]'),
  ])
  return new URL(response.headers().location ?? '').searchParams.get('code') ?? ''
}
