import type { Configuration, CustomFetch, ServerMetadata } from 'openid-client'
import { isLoopbackUrl, type OidcSettings } from '../../../config.ts'
import type { Clock } from '../../../lib/clock.ts'
import { Refusal, type RefusalCode } from '../../../lib/refusal.ts'
import { ACCEPTED, streamOf } from '../../../lib/response-stream.ts'
import { trusting } from '../../../lib/trust.ts'

/** Loaded on first use. */
const library = () => import('openid-client')

const TIMEOUT_SECONDS = 10
/** The lifetime of the cached provider metadata. */
const KNOWN_MS = 5 * 60_000
/** The size limit of a response, decompressed, in bytes. Tokens and keys take a few thousand. */
const MAX_RESPONSE_BYTES = 1_048_576
/** The maximum length that OpenID Connect allows. */
const MAX_SUBJECT_LENGTH = 255
/** Clocks may differ by five minutes, and the transfer of a token takes additional time. */
const CLOCK_TOLERANCE_SECONDS = 330

/** The server-side secrets of one sign-in. */
export interface Secrets {
  readonly nonce: string
  readonly verifier: string
}

/** An account at the provider, and its claims. */
export interface Account {
  readonly issuer: string
  readonly subject: string
  /** The claims of the ID token. */
  readonly claims: Readonly<Record<string, unknown>>
  /** Fetches additional claims; returns none if the provider does not respond. */
  more(): Promise<Readonly<Record<string, unknown>>>
}

export class Provider {
  #known: { readonly metadata: ServerMetadata; readonly until: number } | undefined
  /** The pending request for the provider's metadata. */
  #discovery: Promise<ServerMetadata> | undefined

  constructor(
    private readonly settings: OidcSettings,
    /** The address to which the provider redirects browsers. */
    private readonly callback: string,
    private readonly clock: Clock,
  ) {}

  async newSecrets(): Promise<Secrets> {
    const { randomNonce, randomPKCECodeVerifier } = await library()
    return { nonce: randomNonce(), verifier: randomPKCECodeVerifier() }
  }

  /** The URL at the provider where a browser signs in. */
  async authorizationUrl(state: string, { nonce, verifier }: Secrets): Promise<string> {
    const { buildAuthorizationUrl, calculatePKCECodeChallenge } = await library()
    const configuration = await this.#configuration()
    const metadata = configuration.serverMetadata()
    const claim = this.settings.roleClaim?.claim
    const scopes = ['openid', 'profile', ...(claim === undefined ? [] : [claim])]
    const { scopes_supported: supported = ['openid', 'profile'] } = metadata
    const claims = Object.fromEntries(['name', 'preferred_username', claim].map((name) => [name, null]))
    const url = buildAuthorizationUrl(configuration, {
      redirect_uri: this.callback,
      scope: scopes.filter((scope) => scope === 'openid' || supported.includes(scope)).join(' '),
      state,
      nonce,
      code_challenge: await calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      ...(metadata.claims_parameter_supported && { claims: JSON.stringify({ id_token: claims }) }),
    })
    return checkedAddress(url).href
  }

  /** The account for the code in the provider's redirect; `search` is the query of the callback. */
  async accountOf(search: string, state: string, { nonce, verifier }: Secrets): Promise<Account> {
    const { authorizationCodeGrant, fetchUserInfo } = await library()
    const configuration = await this.#configuration()
    const tokens = await authorizationCodeGrant(configuration, new URL(`${this.callback}?${search}`), {
      expectedState: state,
      expectedNonce: nonce,
      pkceCodeVerifier: verifier,
      idTokenExpected: true,
    })
    const claims = tokens.claims()
    if (!claims || claims.sub === '' || claims.sub.length > MAX_SUBJECT_LENGTH)
      throw new SignInFailure('failed')
    return {
      issuer: claims.iss,
      subject: claims.sub,
      claims,
      more: () => fetchUserInfo(configuration, tokens.access_token, claims.sub).catch(() => ({})),
    }
  }

  /** Created anew for each use, so that signatures are checked with the provider's current keys. */
  async #configuration(): Promise<Configuration> {
    const oidc = await library()
    const { clientId, clientSecret } = this.settings
    const metadata = await this.#metadata()
    const { token_endpoint_auth_methods_supported: methods = ['client_secret_basic'] } = metadata
    const isBasic = methods.includes('client_secret_basic')
    const configuration = new oidc.Configuration(
      metadata,
      clientId,
      { [oidc.clockTolerance]: CLOCK_TOLERANCE_SECONDS },
      isBasic ? oidc.ClientSecretBasic(clientSecret) : oidc.ClientSecretPost(clientSecret),
    )
    configuration.timeout = TIMEOUT_SECONDS
    configuration[oidc.customFetch] = this.#fetch as CustomFetch
    if (isLoopbackUrl(this.settings.issuer)) oidc.allowInsecureRequests(configuration)
    oidc.enableNonRepudiationChecks(configuration)
    return configuration
  }

  #metadata(): ServerMetadata | Promise<ServerMetadata> {
    if (this.#known && this.clock.now() < this.#known.until) return this.#known.metadata
    this.#discovery ??= this.#discover().finally(() => {
      this.#discovery = undefined
    })
    return this.#discovery
  }

  async #discover(): Promise<ServerMetadata> {
    const { allowInsecureRequests, customFetch, discovery } = await library()
    const { issuer, clientId } = this.settings
    const found = await discovery(new URL(issuer), clientId, undefined, undefined, {
      timeout: TIMEOUT_SECONDS,
      [customFetch]: this.#fetch,
      execute: isLoopbackUrl(issuer) ? [allowInsecureRequests] : [],
    })
    this.#known = { metadata: found.serverMetadata(), until: this.clock.now() + KNOWN_MS }
    return this.#known.metadata
  }

  readonly #fetch = async (address: string, init: RequestInit): Promise<Response> => {
    checkedAddress(new URL(address))
    const { ca } = this.settings
    try {
      const headers = new Headers(init.headers)
      for (const [name, value] of Object.entries(ACCEPTED)) headers.set(name, value)
      const response = await fetch(address, {
        ...init,
        headers,
        decompress: false,
        ...trusting(ca),
      })
      // The timeout of `init` covers the body too: a provider that does not finish its response is unreachable.
      const body = await boundedBody(response)
      if (response.status < 500) return new Response(body, withoutEncoding(response))
    } catch (error) {
      if (error instanceof SignInFailure) throw error
      throw new SignInFailure('unreachable', { cause: error })
    }
    throw new SignInFailure('unreachable')
  }
}

/** Refuses a response over the size limit. */
async function boundedBody(response: Response): Promise<Uint8Array<ArrayBuffer> | null> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const bytes of streamOf(response) ?? []) {
    size += bytes.length
    if (size > MAX_RESPONSE_BYTES) throw new SignInFailure('failed')
    chunks.push(bytes)
  }
  return chunks.length === 0 ? null : new Uint8Array(Buffer.concat(chunks))
}

function withoutEncoding({ status, statusText, headers }: Response): ResponseInit {
  const kept = new Headers(headers)
  kept.delete('content-encoding')
  kept.delete('content-length')
  return { status, statusText, headers: kept }
}

/** The issuer is trusted, but secrets must never cross a network unencrypted. */
function checkedAddress(url: URL): URL {
  if (url.protocol !== 'https:' && !isLoopbackUrl(url.href)) throw new SignInFailure('failed')
  return url
}

/**
 * The reason why signing in with the provider, or linking to it, failed. It is part of the address of the page that
 * explains it.
 */
export type FailureReason =
  /** The provider does not respond. */
  | 'unreachable'
  /** The user declined at the provider. */
  | 'cancelled'
  /** The sign-in was not begun in this browser, took too long, or has already ended. */
  | 'expired'
  /** The provider's response cannot be trusted. */
  | 'failed'
  /** No user is linked to this account. */
  | 'unknown'
  /** The account no longer grants access to any workspace. */
  | 'closed'
  /** Another user is linked to this account. */
  | 'taken'
  /** The user is already linked to another account. */
  | 'linked'
  | 'link-used'
  | 'name-taken'
  /** Linking an account needs a session, and must begin in the application. */
  | 'signed-out'
  | 'sign-in-again'
  | 'cross-site'

export class SignInFailure extends Error {
  constructor(
    readonly reason: FailureReason,
    options?: ErrorOptions,
  ) {
    super(reason, options)
  }
}

const REASON_OF_REFUSAL: Partial<Record<RefusalCode, FailureReason>> = {
  name_taken: 'name-taken',
  refused: 'name-taken',
  unauthorized: 'closed',
}

/** The failure reason for an error of the library or of a service. */
export function reasonOf(error: unknown): FailureReason {
  if (error instanceof SignInFailure) return error.reason
  if (error instanceof Refusal) return REASON_OF_REFUSAL[error.code] ?? 'failed'
  const { error: code, cause } = error as { error?: unknown; cause?: unknown }
  if (code === 'access_denied') return 'cancelled'
  return cause instanceof SignInFailure ? cause.reason : 'failed'
}
