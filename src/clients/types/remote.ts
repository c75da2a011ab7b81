import { trusting, untrustedSentence } from '../../lib/trust.ts'
import { Daybook } from './connection.ts'
import { DaybookError } from './surface.ts'

/* The published client, which the program itself uses for other daybook servers. */

/** The address of a daybook server, and the key to use there. */
export interface RemoteDaybook {
  readonly url: string
  readonly key: string
  /** Additional trusted certificates, in PEM. */
  readonly ca?: string | undefined
}

/** The request got no response; a retry may get one. */
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
 * request aborted by its signal throws the signal's reason, unless that is a timeout. `init` is passed to `fetch`.
 */
export function remoteDaybook({ url, key, ca }: RemoteDaybook, init: BunFetchRequestInit = {}): Daybook {
  const send = (target: string, sent: RequestInit): Promise<Response> =>
    fetch(target, { ...sent, ...init, redirect: 'manual', ...trusting(ca) }).catch((error) => {
      if (error.name !== 'TimeoutError') sent.signal?.throwIfAborted()
      throw failure(url, error)
    })
  return new Daybook({ url, key, fetch: send as typeof fetch })
}
