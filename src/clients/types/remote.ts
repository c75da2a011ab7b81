import { trusting, untrustedSentence } from '../../lib/trust.ts'
import { Daybook } from './connection.ts'
import { DaybookError } from './surface.ts'

/* The published client, as the program itself uses it for another daybook server. */

/** The address of a daybook server, and the key for it. */
export interface RemoteDaybook {
  readonly url: string
  readonly key: string
  /** Additional trusted certificates, in PEM. */
  readonly ca?: string | undefined
}

/** A request without a response, to which a retry may get one. */
export class NoResponse extends Error {}

/** The code of the error if no trusted authority issued the certificate of the server. */
export const UNTRUSTED = 'untrusted'

function failure(url: string, error: { name?: string; code?: string }): Error {
  const code = error.name === 'TimeoutError' ? 'timeout' : (error.code ?? 'unknown')
  const untrusted = untrustedSentence(url, code)
  return untrusted === undefined
    ? new NoResponse(`${url} does not answer (${code}).`)
    : new DaybookError(0, UNTRUSTED, untrusted)
}

/**
 * A client of a daybook server that does not follow redirects, because the key must not be sent to another host. A
 * request that its signal aborts throws the reason, unless that is a timeout. `init` is passed to `fetch`.
 */
export function remoteDaybook({ url, key, ca }: RemoteDaybook, init: BunFetchRequestInit = {}): Daybook {
  const send = (target: string, sent: RequestInit): Promise<Response> =>
    fetch(target, { ...sent, ...init, redirect: 'manual', ...trusting(ca) }).catch((error) => {
      if (error.name !== 'TimeoutError') sent.signal?.throwIfAborted()
      throw failure(url, error)
    })
  return new Daybook({ url, key, fetch: send as typeof fetch })
}
