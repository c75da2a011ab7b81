import { isIP } from 'node:net'
import type { AppContext } from '../../context.ts'
import { hostOf, nameOf } from '../../http/browser/browser-rules.ts'
import { refused } from '../../refusal.ts'

/** The host for which passkeys are made, and where its pages may be that use them. */
export interface RelyingParty {
  readonly host: string
  readonly origins: string[]
}

/** The host of a request. Refuses one at which browsers have no passkeys: an address, or plain http elsewhere than on localhost. */
export function relyingPartyOf(
  request: Request,
  { config: { publicUrls } }: Pick<AppContext, 'config'>,
  port: number,
): RelyingParty {
  const host = nameOf(hostOf(request))
  const isLocal = host === 'localhost'
  const own = `http://${hostOf(request)}`
  const urls = [...publicUrls, ...(isLocal && URL.canParse(own) ? [own] : [])].map((url) => new URL(url))
  const origins = urls
    .filter(({ hostname, protocol }) => hostname === host && (isLocal || protocol === 'https:'))
    .map(({ origin }) => origin)
  if (origins.length > 0 && isIP(host) === 0) return { host, origins }
  throw refused(
    `Passkeys need https or localhost, and a name in place of an address: open http://localhost:${port} on the server's machine, or the https address that the server is given with --public-url.`,
  )
}
