import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { spawn, which } from 'bun'
import { SoftwarePasskey } from '../support/authenticator.ts'
import { connectByAddress } from '../support/oauth-agent.ts'
import { newFolder, type ServerProcess, startProcess } from '../support/process.ts'
import { startRealProvider } from '../support/real-provider.ts'
import { deployFile, freePort } from './deploy.ts'

/*
 * Users sign in to the executable behind Caddy, which serves https: with a setup link, a passkey, and an account at a
 * provider.
 */

const CADDY = which('caddy')
const PASSWORD = 'correct horse battery'

/** The cookie handling of a browser, at the public address. */
class Visitor {
  readonly #cookies = new Map<string, string>()

  constructor(private readonly home: string) {}

  async request(method: string, path: string, body?: unknown, more: Record<string, string> = {}) {
    const cookie = [...this.#cookies].map((pair) => pair.join('=')).join('; ')
    const headers = { cookie, 'sec-fetch-site': 'same-origin', origin: this.home }
    const response = await fetch(new URL(path, this.home), {
      method,
      headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }), ...more },
      redirect: 'manual',
      tls: { rejectUnauthorized: false },
      ...(body !== undefined && {
        body: body instanceof Uint8Array ? new Uint8Array(body) : JSON.stringify(body),
      }),
    })
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (value === '') this.#cookies.delete(name)
      else this.#cookies.set(name, value)
    }
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.includes('json') ?? false
    return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text }
  }

  get cookies(): string[] {
    return [...this.#cookies.keys()]
  }
}

describe.skipIf(CADDY === null)('behind Caddy, with --public-url', () => {
  const folder = newFolder()
  let home: string
  let provider: Awaited<ReturnType<typeof startRealProvider>>
  let server: ServerProcess
  let proxy: ReturnType<typeof spawn>

  beforeAll(async () => {
    const port = freePort()
    home = `https://localhost:${port}`
    provider = await startRealProvider({ redirect_uris: [`${home}/app/sign-in/oidc/callback`] }, {})
    const secret = folder.file('secret')
    await Bun.write(secret, 'a secret of the client\n')
    const args = `--public-url ${home} --trusted-proxy 127.0.0.1 --oidc-issuer ${provider.issuer} --oidc-client-id daybook`
    server = await startProcess(folder.file('daybook.db'), {
      args: [
        ...args.split(' '),
        '--oidc-client-secret-file',
        secret,
        '--oidc-name',
        'Sign in with Studio ID',
      ],
    })
    const site = await deployFile('Caddyfile', {
      'daybook.example.com {': `${home} {\n\tbind 127.0.0.1\n\ttls internal`,
      '127.0.0.1:8787': server.url.replace('http://', ''),
    })
    const file = folder.file('Caddyfile')
    await Bun.write(file, `{\n\tadmin off\n\tskip_install_trust\n\tauto_https disable_redirects\n}\n${site}`)
    proxy = spawn([CADDY ?? '', 'run', '--adapter', 'caddyfile', '--config', file], {
      env: { HOME: folder.path },
      stdout: 'ignore',
      stderr: Bun.file(folder.file('proxy.log')),
    })
    const ask = () => fetch(`${home}/healthz`, { tls: { rejectUnauthorized: false } }).catch(() => undefined)
    for (let tries = 0; !(await ask())?.ok; tries++) {
      if (tries === 100) throw new Error(await Bun.file(folder.file('proxy.log')).text())
      await Bun.sleep(50)
    }
  })
  afterAll(async () => {
    proxy?.kill()
    await proxy?.exited
    await server?.end()
    provider?.stop()
    folder.remove()
  })

  test('people sign in with a setup link, a passkey, and an account at the provider', async () => {
    const [, token = ''] = /#setup=([\w-]+)/.exec(server.err()) ?? []
    const owner = new Visitor(home)
    const setUp = await owner.request('POST', '/app/api/setup', { token, password: PASSWORD })
    expect([setUp.status, owner.cookies]).toEqual([200, ['__Host-daybook_session']])
    expect(setUp.headers.get('set-cookie')).toMatch(/; Secure/)

    const passkey = new SoftwarePasskey('localhost', home)
    const creation = await owner.request('POST', '/app/api/passkeys/options')
    const response = passkey.create(creation.body)
    expect((await owner.request('POST', '/app/api/passkeys', { name: 'Laptop', response })).status).toBe(201)
    const other = new Visitor(home)
    const { body: options } = await other.request('POST', '/app/api/session/options')
    const signedIn = await other.request('POST', '/app/api/session', { passkey: passkey.get(options) })
    expect([signedIn.status, signedIn.body.user.name]).toEqual([200, 'owner'])

    const through = async (visitor: Visitor, path: string) => {
      const { headers } = await visitor.request('GET', path)
      const back = await provider.signIn(headers.get('location') ?? '', 'mira')
      return (await visitor.request('GET', back)).headers.get('location')
    }
    expect(await through(owner, '/app/sign-in/oidc?link=1')).toBe('/app/settings/sign-in')
    const third = new Visitor(home)
    expect(await through(third, '/app/sign-in/oidc?return=/app/files')).toBe('/app/files')
    const session = await third.request('GET', '/app/api/session')
    expect([session.body.user.name, session.body.oidc_linked]).toEqual(['owner', true])
    expect(third.cookies).toContain('__Host-daybook_oidc')
  })

  test('an agent connects by the public address', async () => {
    const owner = new Visitor(home)
    expect(
      (await owner.request('POST', '/app/api/session', { user: 'owner', password: PASSWORD })).status,
    ).toBe(200)
    const trusting = (input: string | URL | Request, init?: RequestInit) =>
      fetch(input, { ...init, tls: { rejectUnauthorized: false } })
    const { agent } = await connectByAddress(home, owner, trusting as typeof fetch)
    expect((await agent.call('create_note', { title: 'From afar' })).isError).toBe(false)
    await agent.close()
  })

  test('links to shares begin with it, and the cookie of a password is sent only over https', async () => {
    const { body: note } = await server.post('/v1/notes', { title: 'For all', content: 'Hello' })
    const input = { kind: 'note', target_id: note.note.id, password: 'open' }
    const { url } = (await server.post('/v1/shares', input)).body.share
    expect(url).toStartWith(`${home}/s/`)
    const visitor = new Visitor(home)
    expect((await visitor.request('GET', url)).status).toBe(401)
    const opened = await fetch(url, {
      method: 'POST',
      body: new URLSearchParams({ password: 'open' }),
      redirect: 'manual',
      tls: { rejectUnauthorized: false },
    })
    expect([opened.status, opened.headers.get('set-cookie')]).toEqual([
      303,
      expect.stringContaining('; Secure'),
    ])
  })
})
