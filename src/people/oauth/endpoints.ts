import type { AppContext } from '../../context.ts'
import type { Exchange } from '../../http/exchange.ts'
import { guestCredential } from '../../kernel/call.ts'
import type { WriteOperation } from '../../kernel/operation.ts'
import { addressGroup } from '../../lib/address-group.ts'
import { BoundedCache } from '../../lib/bounded-cache.ts'
import type { Clock } from '../../lib/clock.ts'
import { HOUR_MS } from '../../lib/dates.ts'
import { Refusal } from '../../lib/refusal.ts'
import { MAX_FORM_BYTES, type SentForm } from './authorize.ts'
import { isDocumentUrl } from './client-document.ts'
import { checkedMetadata, findRegistered, registerClient } from './clients.ts'
import type { OwnOrigin } from './origin.ts'
import { oauthRefusal, unknownClient } from './refusals.ts'
import {
  ACCESS_TOKEN_SECONDS,
  issueTokens,
  revokeToken,
  type TokenCredential,
  type TokenFailure,
} from './tokens.ts'

/* The endpoints that clients call themselves: registration, tokens and revocation. */

const PER_HOUR = 20
const MAX_ADDRESSES = 10_000

/** Counts registrations by address: at most 20 an hour. */
class RegistrationLimit {
  readonly #registered = new BoundedCache<string, readonly number[]>(MAX_ADDRESSES)

  constructor(private readonly clock: Clock) {}

  count(address: string): void {
    const now = this.clock.now()
    const recent = (this.#registered.get(address) ?? []).filter((at) => at <= now && now - at < HOUR_MS)
    const [oldest = now] = recent
    if (recent.length >= PER_HOUR)
      throw new Refusal('rate_limited', 'Too many clients were registered from this address; wait.', {
        retryAfterSeconds: Math.max(1, Math.ceil((oldest + HOUR_MS - now) / 1_000)),
      })
    this.#registered.set(address, [...recent, now])
  }
}

export class ClientEndpoints {
  readonly #limit: RegistrationLimit

  constructor(
    private readonly ctx: AppContext,
    private readonly origin: OwnOrigin,
  ) {
    this.#limit = new RegistrationLimit(ctx.clock)
  }

  async register(exchange: Exchange, body: SentForm): Promise<Response> {
    const metadata = checkedMetadata(parsed(await textIn(exchange, body)))
    this.#limit.count(addressGroup(exchange.address))
    const { id, name, redirectUris, createdAt } = await this.#call(exchange, registerClient, metadata)
    const registered = {
      client_id: id,
      client_id_issued_at: Math.floor(createdAt / 1_000),
      client_name: name,
      redirect_uris: redirectUris,
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
    }
    return Response.json(registered, { status: 201 })
  }

  async token(exchange: Exchange, body: SentForm): Promise<Response> {
    const { db, log, clock } = this.ctx
    const parameters = await parametersIn(exchange, body)
    const credential = credentialIn(parameters)
    const client = parameters.required('client_id')
    if (!isDocumentUrl(client) && !findRegistered(db, client, clock.now())) throw unknownClient()
    const resource = parameters.optional('resource')
    if (resource !== undefined && !this.origin.isResource(resource, exchange.request))
      throw oauthRefusal('invalid_target', `resource must be ${this.origin.resourceOf(exchange.request)}.`)
    const tokens = await this.#call(exchange, issueTokens, { ...credential, client })
    if (tokens === 'replayed')
      log.warn('a used code or refresh token came again; its app was disconnected', {
        request_id: exchange.requestId,
      })
    if (typeof tokens === 'string') throw REFUSALS[tokens]()
    return Response.json({
      access_token: tokens.accessToken,
      token_type: 'Bearer',
      expires_in: ACCESS_TOKEN_SECONDS,
      refresh_token: tokens.refreshToken,
      scope: tokens.scope,
    })
  }

  async revoke(exchange: Exchange, body: SentForm): Promise<Response> {
    const parameters = await parametersIn(exchange, body)
    const token = parameters.required('token')
    const client = parameters.optional('client_id')
    await this.#call(exchange, revokeToken, { token, client })
    return Response.json({})
  }

  #call<Input, Output>({ address }: Exchange, operation: WriteOperation<Input, Output>, input: Input) {
    return this.ctx.kernel.call(operation, guestCredential(address), input)
  }
}

const REFUSALS: Readonly<Record<TokenFailure, () => Refusal>> = {
  unknown: () => oauthRefusal('invalid_grant', 'The code or refresh token is not valid, or has expired.'),
  replayed: () =>
    oauthRefusal('invalid_grant', 'The code or refresh token was used before; the app was disconnected.'),
  mismatch: () =>
    oauthRefusal('invalid_grant', 'The client, redirect_uri or code_verifier is not that of the request.'),
  'too-wide': () => oauthRefusal('invalid_scope', 'The app was connected for reading only.'),
}

const VERIFIER = /^[A-Za-z0-9._~-]{43,128}$/

/** Reads the parameters of a grant type. */
function credentialIn({ required, optional }: Parameters): TokenCredential {
  const type = required('grant_type')
  if (type === 'authorization_code') {
    const [code, verifier, redirectUri] = [
      required('code'),
      required('code_verifier'),
      optional('redirect_uri'),
    ]
    if (!VERIFIER.test(verifier)) throw REFUSALS.mismatch()
    return { type, code, redirectUri, verifier }
  }
  if (type === 'refresh_token') {
    const token = required('refresh_token')
    const scopes = (optional('scope') ?? '').split(' ').filter(Boolean)
    if (!scopes.every((scope) => scope === 'read' || scope === 'write'))
      throw oauthRefusal('invalid_scope', 'scope must be read or write.')
    return { type, token, wantsWrite: scopes.includes('write') }
  }
  throw oauthRefusal('unsupported_grant_type', 'grant_type must be authorization_code or refresh_token.')
}

interface Parameters {
  required(name: string): string
  /** An empty parameter counts as absent (RFC 6749, section 3.2). */
  optional(name: string): string | undefined
}

async function textIn(exchange: Exchange, body: SentForm): Promise<string> {
  const bytes = await body.bytes(addressGroup(exchange.address), MAX_FORM_BYTES)
  return new TextDecoder().decode(bytes)
}

async function parametersIn(exchange: Exchange, body: SentForm): Promise<Parameters> {
  const type = exchange.request.headers.get('content-type') ?? ''
  if (!/^application\/x-www-form-urlencoded\s*(?:;|$)/i.test(type))
    throw oauthRefusal('invalid_request', 'The parameters must be sent as application/x-www-form-urlencoded.')
  const sent = new URLSearchParams(await textIn(exchange, body))
  const optional = (name: string) => {
    const [value, ...more] = sent.getAll(name)
    if (more.length > 0) throw oauthRefusal('invalid_request', `${name} is given more than once.`)
    return value === '' ? undefined : value
  }
  const required = (name: string) => {
    const value = optional(name)
    if (value === undefined) throw oauthRefusal('invalid_request', `${name} is required.`)
    return value
  }
  return { required, optional }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
