import type { AppContext } from '../../context.ts'
import { type ClientDocuments, isDocumentUrl } from './client-document.ts'
import { type Client, findRegistered } from './clients.ts'
import type { OwnOrigin } from './origin.ts'
import { allowsRedirect } from './redirect-uri.ts'
import { type OAuthCode, oauthRefusal } from './refusals.ts'

/** A request for authorization whose client and redirect URI are known. */
export interface Returnable {
  readonly client: Client
  readonly redirectUri: string
  readonly state: string | undefined
}

export interface AuthorizationRequest extends Returnable {
  /** The SHA-256 of the PKCE verifier in URL-safe base64. */
  readonly challenge: string
  readonly scope: 'write' | 'read'
}

/** An error that the client gets through its redirect URI. */
export interface AuthorizationError {
  readonly error: OAuthCode
  readonly sentence: string
}

const single = (query: URLSearchParams, name: string): string | undefined => {
  const values = query.getAll(name)
  return values.length === 1 ? values[0] : undefined
}

/** The client of a request and where it returns to; throws a refusal for the person, because nothing may be redirected. */
export async function returnableOf(
  { db, clock }: AppContext,
  documents: ClientDocuments,
  query: URLSearchParams,
  visitor: string,
): Promise<Returnable> {
  const id = single(query, 'client_id') ?? ''
  const redirectUri = single(query, 'redirect_uri') ?? ''
  const client = isDocumentUrl(id) ? await documents.find(id, visitor) : findRegistered(db, id, clock.now())
  if (!client)
    throw oauthRefusal(
      'invalid_client',
      'This app is not registered with this server, or its registration has ended.',
    )
  if (!allowsRedirect(client.redirectUris, redirectUri))
    throw oauthRefusal('invalid_request', 'This app asks to return to an address that it has not registered.')
  return { client, redirectUri, state: single(query, 'state') }
}

const CHALLENGE = /^[A-Za-z0-9_-]{43}$/
/** The state is part of the consent form. */
const MAX_STATE = 8_000
const PARAMETERS = ['response_type', 'code_challenge', 'code_challenge_method', 'state', 'scope', 'resource']

/** Checks the rest of a request. */
export function checkedRequest(
  returnable: Returnable,
  query: URLSearchParams,
  origin: OwnOrigin,
  request: Request,
): AuthorizationRequest | AuthorizationError {
  const repeated = PARAMETERS.find((name) => query.getAll(name).length > 1)
  if (repeated) return { error: 'invalid_request', sentence: `${repeated} is given more than once.` }
  const parameter = (name: string) => single(query, name)
  if ((parameter('state')?.length ?? 0) > MAX_STATE)
    return { error: 'invalid_request', sentence: `state is longer than ${MAX_STATE} characters.` }
  if (parameter('response_type') === undefined)
    return { error: 'invalid_request', sentence: 'response_type is required.' }
  if (parameter('response_type') !== 'code')
    return { error: 'unsupported_response_type', sentence: 'response_type must be code.' }
  const challenge = parameter('code_challenge') ?? ''
  if (parameter('code_challenge_method') !== 'S256' || !CHALLENGE.test(challenge))
    return {
      error: 'invalid_request',
      sentence: 'A code_challenge with the code_challenge_method S256 is required.',
    }
  const scopes = (parameter('scope') ?? '').split(' ').filter(Boolean)
  if (!scopes.every((scope) => scope === 'read' || scope === 'write'))
    return { error: 'invalid_scope', sentence: 'scope must be read or write.' }
  const resource = parameter('resource')
  if (resource !== undefined && !origin.isResource(resource, request))
    return { error: 'invalid_target', sentence: `resource must be ${origin.resourceOf(request)}.` }
  return { ...returnable, challenge, scope: scopes.includes('write') ? 'write' : 'read' }
}
