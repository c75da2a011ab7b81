import type { SecureContext } from 'node:tls'
import type { Config } from '../../config.ts'
import {
  addressesError,
  createResolve,
  familyOf,
  isAddress,
  isNamedAnywhere,
  type ParsedUrl,
  parseDeliveryUrl,
  type Resolve,
  urlError,
} from '../../lib/addresses.ts'
import { Admission } from '../../lib/admission.ts'
import { BoundedCache, once } from '../../lib/bounded-cache.ts'
import type { Clock } from '../../lib/clock.ts'
import { DAY_MS } from '../../lib/dates.ts'
import { isObject } from '../../lib/json.ts'
import { nodeTls } from '../../lib/node-modules.ts'
import { unavailable } from '../../lib/refusal.ts'
import { VERSION } from '../../lib/version.ts'
import { type Client, checkedMetadata } from './clients.ts'
import { bodyOf, MAX_RESPONSE_BYTES } from './http-response.ts'
import { oauthRefusal } from './refusals.ts'

/*
 * Clients that are named by the URL of a document about them (client ID metadata documents). The document is fetched
 * under the address rules of webhooks: the name is resolved once, all its addresses are checked, and the connection
 * goes to one of them. Redirects are not followed.
 */

const TIMEOUT_MS = 5_000
const MAX_CACHED = 1_000
/** The fetches at a time, of all visitors and of one address. */
const MAX_FETCHES = 32
const MAX_FETCHES_PER_ADDRESS = 4

const unusable = (sentence: string) => oauthRefusal('invalid_client', sentence)

/** Whether a client id is the URL of a document. */
export const isDocumentUrl = (id: string): boolean => /^https:\/\//i.test(id)

function targetOf(id: string, allowlist: Config['webhookAllowlist']): ParsedUrl {
  const error = urlError(id, allowlist)
  if (error !== undefined) throw unusable(`The description of the client is not fetched: ${error}`)
  const { href, pathname } = new URL(id)
  // Two spellings of one URL would be two clients.
  if (href !== id || pathname === '/')
    throw unusable('The client_id must be an https URL in canonical form, with a path.')
  return parseDeliveryUrl(id)
}

interface Known {
  readonly client: Client
  readonly until: number
}

export class ClientDocuments {
  readonly #known = new BoundedCache<string, Known>(MAX_CACHED)
  readonly #fetching = new Map<string, Promise<Client>>()
  readonly #fetches = new Admission({
    most: MAX_FETCHES,
    mostPerKey: MAX_FETCHES_PER_ADDRESS,
    refusal: () =>
      unavailable('Too many descriptions of clients are being fetched; try again in a moment.', {
        retryAfterSeconds: 5,
      }),
  })
  readonly #resolve: Resolve
  readonly #tls: () => SecureContext | undefined

  constructor(
    private readonly config: Pick<Config, 'webhookAllowlist' | 'webhookCa'>,
    private readonly clock: Clock,
  ) {
    const { webhookAllowlist, webhookCa: ca } = config
    this.#resolve = createResolve({ clock, isTrusted: (host) => isNamedAnywhere(host, webhookAllowlist) })
    this.#tls = once(() =>
      ca === undefined
        ? undefined
        : nodeTls().createSecureContext({ ca: [...nodeTls().rootCertificates, ca] }),
    )
  }

  /** The client that the document at this URL describes; `visitor` is the address group that asks for it. */
  async find(id: string, visitor: string): Promise<Client> {
    const known = this.#known.get(id)
    if (known && this.clock.now() < known.until) return known.client
    const running = this.#fetching.get(id)
    if (running) return running
    const target = targetOf(id, this.config.webhookAllowlist)
    const release = this.#fetches.hold(visitor)
    const fetching = this.#fetch(id, target).finally(() => {
      this.#fetching.delete(id)
      release()
    })
    this.#fetching.set(id, fetching)
    const client = await fetching
    this.#known.set(id, { client, until: this.clock.now() + DAY_MS })
    return client
  }

  async #fetch(id: string, target: ParsedUrl): Promise<Client> {
    const expired = Promise.withResolvers<never>()
    let abandon = () => {}
    const stop = this.clock.after(TIMEOUT_MS, () => {
      abandon()
      expired.reject(
        unusable(`The description of the client did not arrive within ${TIMEOUT_MS / 1_000} seconds.`),
      )
    })
    try {
      const addresses = await Promise.race([this.#addressesOf(target), expired.promise])
      const refusal = addressesError(target, addresses, this.config.webhookAllowlist)
      if (refusal !== undefined) throw unusable(refusal)
      // Many machines have no route to IPv6 addresses.
      const address = addresses.find((one) => familyOf(one) === 'ipv4') ?? addresses[0] ?? ''
      const request = this.#request(target, address)
      abandon = request.abandon
      return clientIn(id, await Promise.race([request.body, expired.promise]))
    } finally {
      stop()
    }
  }

  async #addressesOf({ host }: ParsedUrl): Promise<readonly string[]> {
    if (isAddress(host)) return [host]
    return this.#resolve(host).catch(() => [])
  }

  /** Fetches the document from exactly this address, without a proxy from the environment. */
  #request({ host, port, authority, path }: ParsedUrl, address: string) {
    const body = Promise.withResolvers<Uint8Array>()
    const unreachable = () =>
      body.reject(unusable(`The description of the client could not be fetched from "${host}".`))
    const socket = nodeTls().connect({
      host: address,
      port,
      secureContext: this.#tls(),
      ALPNProtocols: ['http/1.1'],
      ...(!isAddress(host) && { servername: host }),
    })
    let received = Buffer.alloc(0)
    const take = (isComplete: boolean) => {
      try {
        const found = bodyOf(received, isComplete)
        if (found === undefined && received.length <= MAX_RESPONSE_BYTES) return
        if (found === undefined) throw unusable('The description of the client is larger than 64 KiB.')
        body.resolve(found)
      } catch (error) {
        body.reject(error)
      }
      socket.destroy()
    }
    socket.on('error', unreachable).on('close', unreachable)
    socket.on('data', (bytes: Buffer) => {
      received = Buffer.concat([received, bytes])
      take(false)
    })
    socket.on('end', () => take(true))
    socket.once('secureConnect', () =>
      socket.write(
        `GET ${path} HTTP/1.1\r\nHost: ${authority}\r\nUser-Agent: daybook/${VERSION}\r\nAccept: application/json\r\nAccept-Encoding: identity\r\nConnection: close\r\n\r\n`,
      ),
    )
    return { body: body.promise, abandon: () => socket.destroy() }
  }
}

function clientIn(id: string, body: Uint8Array): Client {
  const document = parsed(body)
  if (!isObject(document) || document.client_id !== id)
    throw unusable('The document at the client_id must be JSON that names this URL as its client_id.')
  return { id, ...checkedMetadata(document) }
}

function parsed(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body))
  } catch {
    return undefined
  }
}
