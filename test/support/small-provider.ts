import { createHash, generateKeyPairSync, type KeyObject, randomUUID, sign } from 'node:crypto'

/** Deliberate deviations of a provider from correct behavior. */
export interface Forged {
  readonly idToken?: object
  readonly header?: object
  readonly signWith?: KeyObject
  /** The response that replaces the tokens. */
  readonly tokenText?: string
  /** An endless response that replaces the tokens. */
  readonly endless?: 'plain' | 'gzip'
  /** Seconds that the provider's clock is ahead. */
  readonly aheadSeconds?: number
}

interface Code {
  readonly sent: URLSearchParams
  readonly claims: object
}

const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
const newKey = () => ({ kid: randomUUID(), ...generateKeyPairSync('ec', { namedCurve: 'P-256' }) })

function endless(encoding: 'plain' | 'gzip'): Response {
  const spaces = new Uint8Array(65_536).fill(32)
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull: (controller) => controller.enqueue(spaces),
  })
  const headers = { 'content-type': 'application/json' }
  if (encoding === 'plain') return new Response(body, { headers })
  return new Response(body.pipeThrough(new CompressionStream('gzip')), {
    headers: { ...headers, 'content-encoding': 'gzip' },
  })
}

/** An OpenID Connect provider with a setting for everything that tests vary. It signs in any given user. */
export function startSmallProvider({
  methods = ['client_secret_basic'],
  metadata = {} as object,
  tls = {},
  /** Responds in gzip, whatever the request accepts. */
  isCompressing = false,
} = {}) {
  let key = newKey()
  let delayMs = 0
  let asked = 0
  let forged: Forged = {}
  let userInfo: object | undefined
  const codes = new Map<string, Code>()
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    ...tls,
    fetch: async (request): Promise<Response> => {
      asked += 1
      await Bun.sleep(delayMs)
      const response = await answerOf(request)
      if (!isCompressing) return response
      const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' }
      return new Response(Bun.gzipSync(await response.arrayBuffer()), { status: response.status, headers })
    },
  })
  async function answerOf(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url)
    if (pathname === '/.well-known/openid-configuration') return Response.json(describe())
    if (pathname === '/jwks') return Response.json({ keys: [publicKey()] })
    if (pathname === '/token') return token(request)
    if (pathname === '/userinfo' && userInfo) return Response.json(userInfo)
    return new Response('', { status: 404 })
  }
  const issuer: string = `${'tls' in tls ? 'https' : 'http'}://localhost:${server.port}`
  const describe = () => ({
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/jwks`,
    userinfo_endpoint: `${issuer}/userinfo`,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['ES256'],
    token_endpoint_auth_methods_supported: methods,
    authorization_response_iss_parameter_supported: true,
    ...metadata,
  })
  const publicKey = () => ({
    ...key.publicKey.export({ format: 'jwk' }),
    kid: key.kid,
    alg: 'ES256',
    use: 'sig',
  })

  async function token(request: Request): Promise<Response> {
    const sent = new URLSearchParams(await request.text())
    const basic = `Basic ${Buffer.from('daybook:s%2Bcret').toString('base64')}`
    const isClient = methods.includes('client_secret_basic')
      ? request.headers.get('authorization') === basic
      : sent.get('client_secret') === 's+cret'
    if (!isClient) return Response.json({ error: 'invalid_client' }, { status: 401 })
    const code = codes.get(sent.get('code') ?? '')
    codes.delete(sent.get('code') ?? '')
    const challenge = createHash('sha256')
      .update(sent.get('code_verifier') ?? '')
      .digest('base64url')
    const isOwn = code?.sent.get('code_challenge') === challenge
    if (!code || !isOwn || sent.get('redirect_uri') !== code.sent.get('redirect_uri'))
      return Response.json({ error: 'invalid_grant' }, { status: 400 })
    if (forged.endless) return endless(forged.endless)
    if (forged.tokenText !== undefined)
      return new Response(forged.tokenText, { headers: { 'content-type': 'application/json' } })
    return Response.json({ access_token: randomUUID(), token_type: 'bearer', id_token: idToken(code) })
  }

  function idToken({ sent, claims }: Code): string {
    const now = Math.floor(Date.now() / 1000) + (forged.aheadSeconds ?? 0)
    const times = { iat: now, nbf: now, exp: now + 1 }
    const body = {
      iss: issuer,
      aud: 'daybook',
      nonce: sent.get('nonce'),
      ...times,
      ...claims,
      ...forged.idToken,
    }
    const signed = `${encoded({ alg: 'ES256', kid: key.kid, ...forged.header })}.${encoded(body)}`
    const by = forged.signWith ?? key.privateKey
    const signature = sign('sha256', Buffer.from(signed), { key: by, dsaEncoding: 'ieee-p1363' })
    return `${signed}.${signature.toString('base64url')}`
  }

  return {
    issuer,
    /** Performs the steps of a user there; returns the query of the redirect back. */
    signIn: (address: string, claims: object): string => {
      const { searchParams: sent } = new URL(address)
      const code = randomUUID()
      codes.set(code, { sent, claims })
      return `${new URLSearchParams({ code, state: sent.get('state') ?? '', iss: issuer })}`
    },
    rotate: () => {
      key = newKey()
    },
    forge: (next: Forged) => {
      forged = next
    },
    answerAfter: (ms: number) => {
      delayMs = ms
    },
    sayOf: (claims: object) => {
      userInfo = claims
    },
    asked: () => asked,
    stop: () => server.stop(true),
  }
}

export type SmallProvider = ReturnType<typeof startSmallProvider>
