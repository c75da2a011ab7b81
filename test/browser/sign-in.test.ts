import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { CDPSession, Page } from 'puppeteer-core'
import { ALL_LOOKS, accessibilityProblems, BROWSER_TIMEOUT_MS } from '../support/application.ts'
import {
  type Application,
  fill,
  press,
  startApplication,
  untilNoText,
  untilText,
} from '../support/application-server.ts'
import { hasBrowser, sharedFullBrowser } from '../support/browser.ts'
import { PASSWORD } from '../support/browser-client.ts'
import { endSession } from '../support/page-requests.ts'
import { daybook, newFolder } from '../support/process.ts'
import { startRealProvider } from '../support/real-provider.ts'
import { untilMembersSay } from '../support/screens/members.ts'
import {
  agreeAs,
  enterPassword,
  signInAs,
  untilOptionsSay,
  untilPasswordAsked,
  untilSessionsSay,
  untilSignedIn,
} from '../support/screens/sign-in.ts'

/** Returns a port that is currently free. */
function freePort(): number {
  const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response() })
  const { port } = server
  server.stop(true)
  return port ?? 0
}

/** A virtual authenticator of the browser, which approves every request as its user would. */
async function authenticator(page: Page, isSynced: boolean): Promise<CDPSession> {
  const client = await page.createCDPSession()
  await client.send('WebAuthn.enable')
  await client.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
      defaultBackupEligibility: isSynced,
      defaultBackupState: isSynced,
    },
  })
  return client
}

describe.skipIf(!hasBrowser)('people sign in', () => {
  let app: Application
  let provider: Awaited<ReturnType<typeof startRealProvider>>
  let url: string
  const folder = newFolder()

  beforeAll(async () => {
    const port = freePort()
    url = `http://localhost:${port}`
    // Uses an IP address, so that it is another site than the application.
    provider = await startRealProvider(
      { redirect_uris: [`${url}/app/sign-in/oidc/callback`] },
      {
        conformIdTokenClaims: false,
        findAccount: (_: unknown, sub: string) => ({
          accountId: sub,
          claims: () => ({ sub, name: 'Ada', groups: sub === 'eve' ? [] : ['staff'] }),
        }),
        claims: { openid: ['sub'], profile: ['name'], groups: ['groups'] },
      },
      '127.0.0.1',
    )
    const secret = folder.file('secret')
    await Bun.write(secret, 'a secret of the client\n')
    app = await startApplication(
      [
        ...['--port', String(port), '--public-url', url, '--oidc-issuer', provider.issuer],
        ...['--oidc-client-id', 'daybook', '--oidc-client-secret-file', secret],
        ...['--oidc-name', 'Sign in with Studio ID', '--oidc-role-claim', 'groups=staff:editor'],
      ],
      { startBrowser: sharedFullBrowser },
    )
  }, BROWSER_TIMEOUT_MS)
  afterAll(async () => {
    await app.close()
    provider.stop()
    folder.remove()
  }, BROWSER_TIMEOUT_MS)

  /** Ages the sessions of a user beyond the limit for changes of sign-in options. */
  const age = async (user: string) => {
    const database = new Database(app.file)
    database.run(
      'UPDATE sessions SET created_at = created_at - 700000 WHERE user = (SELECT pk FROM users WHERE name = ?)',
      [user],
    )
    database.close()
  }
  const signOut = async (page: Page) => {
    await endSession(page)
    await page.goto(`${url}/app`)
  }
  const openLink = async (page: Page, user = 'owner') => {
    const { hash } = new URL(await app.setupLink(user))
    await page.goto(`${url}/app${hash}`)
    await untilPasswordAsked(page)
  }

  const addUser = (name: string) => daybook(['users', 'add', name, '--db', app.file])

  test.each([
    ['owner', false],
    ['Vera', true],
  ])(
    'with a passkey that is offered once after a password, as %s, synced: %p',
    async (user, isSynced) => {
      if (user !== 'owner') await addUser(user)
      const page = await app.newPage()
      const client = await authenticator(page, isSynced)
      await openLink(page, user)
      await enterPassword(page, PASSWORD)
      await untilText(page, 'Sign in without a password next time?')
      expect(await accessibilityProblems(page)).toEqual([])
      await press(page, 'Add passkey')
      await untilNoText(page, 'Sign in without a password next time?')
      await page.goto(`${url}/app/settings/sign-in`)
      await untilOptionsSay(page, isSynced ? 'synced' : 'on one device')

      // The browser offers the passkey in the name field.
      await signOut(page)
      await untilSignedIn(page)
      await page.goto(`${url}/app/settings/sign-in`)
      await untilOptionsSay(page, 'used')

      // Renaming and removing do not depend on where the passkey is stored.
      if (isSynced) return

      await press(page, 'Rename Chrome on Linux')
      await fill(page, 'New name for Chrome on Linux', 'Work laptop')
      await page.keyboard.press('Enter')
      await untilOptionsSay(page, 'Work laptop')
      await press(page, 'Remove password')
      await untilSessionsSay(page, 'Set a password…')
      await press(page, 'Remove Work laptop')
      await untilOptionsSay(page, 'This is your last way to sign in')
      await press(page, 'Set a password…')
      await fill(page, 'New password (10 characters or more)', PASSWORD)
      await page.keyboard.press('Enter')
      await untilSessionsSay(page, 'Change password…')
      await press(page, 'Remove Work laptop')
      await untilNoText(page, 'Work laptop')
      expect(await accessibilityProblems(page, ALL_LOOKS)).toEqual([])

      // The browser's remaining credential is refused. The password works, and the passkey is not offered again.
      await client.send('WebAuthn.disable')
      await signOut(page)
      await signInAs(page, user, PASSWORD)
      await untilSignedIn(page)
      await untilText(page, 'All notes')
      expect(await page.$('dialog.modal[open]')).toBeNull()
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'with the provider: a linked account signs in, and a stranger learns how to get access',
    async () => {
      await addUser('Mira')
      const page = await app.newPage()
      await openLink(page, 'Mira')
      await enterPassword(page, PASSWORD)
      await untilSignedIn(page)
      await page.goto(`${url}/app/settings/sign-in`)
      await untilOptionsSay(page, 'not linked')
      await age('Mira')
      await press(page, 'Link')
      await untilText(page, 'Confirm it’s you')
      expect(await accessibilityProblems(page)).toEqual([])
      await fill(page, 'Password', PASSWORD)
      await page.keyboard.press('Enter')
      await agreeAs(page, 'mira')
      await untilOptionsSay(page, 'linked to your account there')

      await signOut(page)
      await press(page, 'Sign in with Studio ID')
      await untilSignedIn(page)
      await untilText(page, 'Mira')

      const stranger = await app.newPage()
      await stranger.goto(`${url}/app/files`)
      await press(stranger, 'Sign in with Studio ID')
      await agreeAs(stranger, 'eve')
      await untilText(stranger, 'This account is not linked to a user.')
      expect(stranger.url()).toBe(`${url}/app/files?sign-in=unknown`)
      expect(await accessibilityProblems(stranger, ALL_LOOKS)).toEqual([])

      const newMember = await app.newPage()
      await newMember.goto(`${url}/app/files`)
      await press(newMember, 'Sign in with Studio ID')
      await agreeAs(newMember, 'ada')
      await untilSignedIn(newMember)
      expect(newMember.url()).toBe(`${url}/app/files`)
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'with a setup link and an account at the provider, and see their other sign-in options',
    async () => {
      const page = await app.newPage()
      await openLink(page, 'Mira')
      await untilText(page, 'Mira can also sign in with the provider.')
      expect(await accessibilityProblems(page, ALL_LOOKS)).toEqual([])
      await addUser('Zoe')
      await openLink(page, 'Zoe')
      await press(page, 'Sign in with Studio ID instead')
      await agreeAs(page, 'zoe')
      await untilSignedIn(page)
      await page.goto(`${url}/app/settings/members`)
      await untilMembersSay(page, 'provider')
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'to connect an app: with a passkey, and with the provider and back',
    async () => {
      const registered = await fetch(`${url}/oauth/register`, {
        method: 'POST',
        body: JSON.stringify({ client_name: 'Assistant', redirect_uris: ['https://assistant.example/cb'] }),
      })
      const { client_id } = (await registered.json()) as { client_id: string }
      const query = new URLSearchParams({
        response_type: 'code',
        client_id,
        redirect_uri: 'https://assistant.example/cb',
        code_challenge: 'x'.repeat(43),
        code_challenge_method: 'S256',
        state: 'of-the-app',
      })
      const connecting = `${url}/oauth/authorize?${query}`
      await addUser('Olga')
      const page = await app.newPage()
      await authenticator(page, false)
      await openLink(page, 'Olga')
      await enterPassword(page, PASSWORD)
      await press(page, 'Add passkey')
      await untilNoText(page, 'Sign in without a password next time?')
      // Signed out in the open application, the page would go to its own sign-in meanwhile.
      await page.goto('about:blank')
      const context = page.browserContext()
      await context.deleteCookie(...(await context.cookies()))
      await page.goto(connecting)
      await untilText(page, 'Sign in with a passkey')
      expect(await accessibilityProblems(page, ALL_LOOKS)).toEqual([])
      await press(page, 'Sign in with a passkey')
      await untilText(page, 'Connect Assistant?')
      expect(page.url()).toBe(connecting)
      await press(page, 'Limit access')
      expect(await accessibilityProblems(page, ALL_LOOKS)).toEqual([])

      const newMember = await app.newPage()
      await newMember.goto(connecting)
      await press(newMember, 'Sign in with Studio ID')
      await agreeAs(newMember, 'bea')
      await untilText(newMember, 'Connect Assistant?')
      expect(newMember.url()).toBe(connecting)
      const stranger = await app.newPage()
      await stranger.goto(connecting)
      await press(stranger, 'Sign in with Studio ID')
      await agreeAs(stranger, 'eve')
      await untilText(stranger, 'This account is not linked to a user.')
    },
    BROWSER_TIMEOUT_MS,
  )
})
