import { invalid, Refusal } from '../../lib/refusal.ts'

/** The error codes of RFC 6749, 7591 and 8707. */
export type OAuthCode =
  | 'invalid_request'
  | 'invalid_client'
  | 'invalid_grant'
  | 'invalid_scope'
  | 'invalid_target'
  | 'unsupported_grant_type'
  | 'unsupported_response_type'
  | 'invalid_redirect_uri'
  | 'invalid_client_metadata'
  | 'access_denied'

/** A refusal with the error code of OAuth (`http/problem.ts` writes it). */
export const oauthRefusal = (oauth: OAuthCode, sentence: string) => invalid(sentence, { oauth })

/** The refusal of a client that is not registered. */
export const unknownClient = () =>
  new Refusal('unauthorized', 'There is no client with this client_id; register it again.', {
    oauth: 'invalid_client',
  })
