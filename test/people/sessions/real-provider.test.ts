import { afterEach, expect, test } from 'bun:test'
import { type Browser, browserOf, signedIn } from '../../support/browser-client.ts'
import { startRealProvider } from '../../support/real-provider.ts'
import { startService, type TestService } from '../../support/service.ts'

let provider: Awaited<ReturnType<typeof startRealProvider>>
let service: TestService
afterEach(() => {
  service.close()
  provider.stop()
})

const CALLBACK = 'http://localhost/app/sign-in/oidc/callback'

const account = (_: unknown, sub: string) => ({
  accountId: sub,
  claims: () => ({ sub, name: `${sub} of the studio`, groups: sub === 'ada' ? ['admins', 'staff'] : [] }),
})

const CONFIGURATIONS: readonly (readonly [string, object, object])[] = [
  [
    'with RS256, the secret in the header, and claims in the ID token',
    { token_endpoint_auth_method: 'client_secret_basic' },
    { conformIdTokenClaims: false, claims: { openid: ['sub'], profile: ['name'], groups: ['groups'] } },
  ],
  [
    'with ES256, the secret in the body, and claims that the client asks for',
    { token_endpoint_auth_method: 'client_secret_post', id_token_signed_response_alg: 'ES256' },
    {
      clientAuthMethods: ['client_secret_post'],
      features: { claimsParameter: { enabled: true } },
      claims: { openid: ['sub'], profile: ['name'], groups: ['groups'] },
    },
  ],
]

async function through(browser: Browser, name: string, query = ''): Promise<string | null> {
  const { headers } = await browser.request('GET', `/app/sign-in/oidc${query}`)
  const back = await provider.signIn(headers.get('location') ?? '', name)
  expect(back).toStartWith(`${CALLBACK}?`)
  const { pathname, search } = new URL(back)
  return (await browser.request('GET', pathname + search)).headers.get('location')
}

test.each(CONFIGURATIONS)('people sign in with oidc-provider %s', async (_, client, configuration) => {
  provider = await startRealProvider(
    { redirect_uris: [CALLBACK], ...client },
    { findAccount: account, jwks: { keys: await keys() }, ...configuration },
  )
  const roles = [{ value: 'staff', role: 'editor' }] as const
  const oidc = {
    issuer: provider.issuer,
    clientId: 'daybook',
    clientSecret: 'a secret of the client',
    name: 'Sign in with Studio ID',
    roleClaim: { claim: 'groups', roles, workspace: undefined },
    ca: undefined,
  }
  service = await startService({ config: { publicUrls: ['http://localhost'], oidc } })
  const owner = await signedIn(service)
  expect(await through(owner, 'mira', '?link=1')).toBe('/app/settings/sign-in')
  const browser = browserOf(service)
  expect(await through(browser, 'mira', '?return=/app/files')).toBe('/app/files')
  expect((await browser.request('GET', '/app/api/session')).body.user.name).toBe('owner')

  const newcomer = browserOf(service)
  expect(await through(newcomer, 'ada')).toBe('/app')
  expect((await newcomer.request('GET', '/app/api/session')).body).toMatchObject({
    user: { name: 'ada of the studio' },
    workspace: { name: 'Personal', role: 'editor' },
    oidc_linked: true,
  })
  expect(await through(browserOf(service), 'eve')).toBe('/app?sign-in=unknown')
})

/** Keys of both algorithms, for the signatures of the provider. */
async function keys(): Promise<object[]> {
  const made = await Promise.all([
    crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign', 'verify']),
    crypto.subtle.generateKey(
      {
        name: 'RSASSA-PKCS1-v1_5',
        modulusLength: 2048,
        publicExponent: new Uint8Array([1, 0, 1]),
        hash: 'SHA-256',
      },
      true,
      ['sign', 'verify'],
    ),
  ])
  return Promise.all(
    made.map(async ({ privateKey }, at) => {
      const { key_ops: _, ext: __, alg: ___, ...key } = await crypto.subtle.exportKey('jwk', privateKey)
      return { ...key, kid: `key ${at}`, use: 'sig' }
    }),
  )
}
