import type {
  AuthenticationResponseJSON,
  RegistrationResponseJSON,
  WebAuthnCredential,
} from '@simplewebauthn/server'
import type { Static } from '@sinclair/typebox'
import type { AppContext, Caller } from '../../context.ts'
import { hostOf, nameOf } from '../../http/browser/browser-rules.ts'
import { guestCredential } from '../../kernel/call.ts'
import { write } from '../../kernel/operation.ts'
import { once } from '../../lib/bounded-cache.ts'
import { nodeNet } from '../../lib/node-modules.ts'
import { fail, notFound, Refusal, refused } from '../../lib/refusal.ts'
import { sha256 } from '../../lib/sha256.ts'
import { findUserByPk, listPasskeysOf, type PasskeyRow } from '../accounts/store.ts'
import type { FailedSignIns } from './failed-sign-ins.ts'
import { checkPasskeyCount, findCredential, type NewPasskey, updatePasskey } from './passkey-store.ts'
import type { NewPasskeyBody } from './schema.ts'
import { getRecentSession, sessionSettings } from './sessions.ts'
import { type Browser, beginSession, type Entrance, type NewSession } from './sign-in.ts'
import { Tickets } from './tickets.ts'

/** Loaded on first use: most starts of the program do not need it. */
const webauthn = once(async () => {
  const library = await import('@simplewebauthn/server')
  // Attestations are not requested. Without root certificates the library does not check them, and fetches nothing that
  // they name.
  for (const identifier of ['android-key', 'android-safetynet', 'apple'] as const)
    library.SettingsService.setRootCertificates({ identifier, certificates: [] })
  return library
})

const VALID_MS = 5 * 60_000
/** Ed25519, ECDSA with P-256, and RSA. */
const ALGORITHMS = [-8, -7, -257]

/** The context of a challenge: the host, and the session that adds a passkey; null for a sign-in. */
interface Challenge {
  readonly host: string
  readonly sessionId: string | null
}

/** The message of a browser, which the library checks. */
export type Sent = Readonly<Record<string, unknown>>

/** The same sentence for every cause. */
const wrongPasskey = () =>
  new Refusal('unauthorized', 'This passkey does not sign in here; try again, or sign in another way.')

interface UsedPasskey extends Entrance {
  readonly pk: number
  readonly userPk: number
  readonly credential: string
  /** The counter that its signature was checked against. */
  readonly before: number
  /** The counter of its signature. */
  readonly counter: number
}

export const enterWithPasskey = write({
  name: 'sessions.enterWithPasskey',
  covers: 'nothing',
  run: (tx, _, { pk, userPk, credential, before, counter, ...entrance }: UsedPasskey) => {
    // In the meantime the passkey may have been removed, also to be added by another user, or used with the same counter.
    const current = findCredential(tx, credential)
    if (current?.pk !== pk || current.user !== userPk || current.counter !== before) throw wrongPasskey()
    updatePasskey(tx, pk, { counter, lastUsedAt: tx.now })
    return beginSession(tx, userPk, entrance, wrongPasskey)
  },
})

export class Passkeys {
  readonly #challenges: Tickets<Challenge>

  constructor(
    private readonly ctx: AppContext,
    private readonly failures: FailedSignIns,
    /** The listening port. */
    private readonly port: () => number,
  ) {
    this.#challenges = new Tickets(ctx.clock, VALID_MS)
  }

  /** The options with which a browser creates a passkey for the caller. */
  async creationOptions(caller: Caller, request: Request) {
    const { host } = this.#partyOf(request)
    const { db, clock } = this.ctx
    const { id: sessionId, userPk } = getRecentSession(db, caller, clock.now())
    const { id, name } = findUserByPk(db, userPk) ?? fail(notFound('user'))
    const known = listPasskeysOf(db, userPk)
    checkPasskeyCount(known)
    const { generateRegistrationOptions } = await webauthn()
    return generateRegistrationOptions({
      challenge: this.#newChallenge({ host, sessionId }),
      rpName: 'daybook',
      rpID: host,
      userID: Uint8Array.from(Buffer.from(id)),
      userName: name,
      userDisplayName: name,
      timeout: VALID_MS,
      excludeCredentials: known
        .filter((row) => row.host === host)
        .map(({ credential, transports }) => ({
          id: credential,
          transports: transports.split(',').filter(Boolean),
        })),
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      supportedAlgorithmIDs: ALGORITHMS,
    })
  }

  /** Verifies a passkey that the caller's browser has created, and returns it in its stored form. */
  async verifiedNew(
    caller: Caller,
    { name, response }: Static<typeof NewPasskeyBody>,
    request: Request,
  ): Promise<NewPasskey> {
    const party = this.#partyOf(request)
    const { db, clock } = this.ctx
    const session = getRecentSession(db, caller, clock.now())
    const { credential, isSynced } = await this.#verifyNew(response, party, session.id)
    return {
      name: name.trim(),
      host: party.host,
      credential: credential.id,
      publicKey: Buffer.from(credential.publicKey).toString('base64url'),
      counter: credential.counter,
      isSynced: isSynced ? 1 : 0,
      transports: transportsIn(credential.transports),
    }
  }

  async #verifyNew(sent: Sent, { host, origins }: RelyingParty, sessionId: string) {
    const { verifyRegistrationResponse } = await webauthn()
    const checked = await verifyRegistrationResponse({
      response: sent as unknown as RegistrationResponseJSON,
      expectedChallenge: (challenge) => this.#isOwn(challenge, { host, sessionId }),
      expectedOrigin: origins,
      expectedRPID: host,
      requireUserVerification: true,
      supportedAlgorithmIDs: ALGORITHMS,
    }).catch(() => ({ verified: false as const }))
    const { credProps } = (sent.clientExtensionResults ?? {}) as { credProps?: { rk?: unknown } }
    if (!checked.verified || credProps?.rk === false)
      throw refused(
        'This passkey could not be added: what the browser sent is not what was asked for; try again.',
      )
    const { credential, credentialDeviceType } = checked.registrationInfo
    return { credential, isSynced: credentialDeviceType === 'multiDevice' }
  }

  /** The options with which a browser signs in without a user name: it offers its own passkeys. */
  async requestOptions(request: Request) {
    const { host } = this.#partyOf(request)
    const { generateAuthenticationOptions } = await webauthn()
    return generateAuthenticationOptions({
      challenge: this.#newChallenge({ host, sessionId: null }),
      rpID: host,
      userVerification: 'required',
      timeout: VALID_MS,
    })
  }

  async signIn(sent: Sent, request: Request, browser: Browser): Promise<NewSession> {
    const party = this.#partyOf(request)
    const { db, kernel } = this.ctx
    const id = typeof sent.id === 'string' && sent.id.length <= 1_400 ? sent.id : ''
    const row = findCredential(db, id)
    let counter: number | undefined
    const isRight = await this.failures.limit(
      { user: row?.user ?? `passkey ${sha256(id)}`, address: browser.address },
      async () => {
        counter = await this.#verify(sent, row, party)
        return counter !== undefined
      },
    )
    if (!row || !isRight || counter === undefined) throw wrongPasskey()
    const { pk, user: userPk, credential, counter: before } = row
    const input = { pk, userPk, credential, before, counter, browser, settings: sessionSettings(this.ctx) }
    return kernel.call(enterWithPasskey, guestCredential(browser.address), input)
  }

  /** The counter of a signature by this passkey; undefined if verification fails. */
  async #verify(sent: Sent, row: PasskeyRow | undefined, { host, origins }: RelyingParty) {
    const { verifyAuthenticationResponse } = await webauthn()
    const response = sent as unknown as AuthenticationResponseJSON
    try {
      const { verified, authenticationInfo } = await verifyAuthenticationResponse({
        response,
        expectedChallenge: (challenge) => this.#isOwn(challenge, { host, sessionId: null }),
        expectedOrigin: origins,
        expectedRPID: host,
        requireUserVerification: true,
        credential: row ? asCredential(row) : NO_CREDENTIAL,
      })
      const { newCounter, credentialDeviceType } = authenticationInfo
      const isSynced = credentialDeviceType === 'multiDevice'
      if (!verified || !row || isSynced !== (row.isSynced === 1) || !this.#isOf(row, response))
        return undefined
      return isSynced ? 0 : newCounter
    } catch {
      return undefined
    }
  }

  /** Whether the user handle from the authenticator, if any, matches the passkey's user. */
  #isOf({ user }: PasskeyRow, { response: { userHandle } }: AuthenticationResponseJSON): boolean {
    return (
      !userHandle || Buffer.from(userHandle, 'base64url').toString() === findUserByPk(this.ctx.db, user)?.id
    )
  }

  /**
   * The host of a request. Refuses hosts without browser support for passkeys: an IP address, or plain http elsewhere
   * than on localhost.
   */
  #partyOf(request: Request): RelyingParty {
    const host = nameOf(hostOf(request))
    const isLocal = host === 'localhost'
    const own = `http://${hostOf(request)}`
    const given = [...this.ctx.config.publicUrls, ...(isLocal && URL.canParse(own) ? [own] : [])]
    const origins = given
      .map((url) => new URL(url))
      .filter(({ hostname, protocol }) => hostname === host && (isLocal || protocol === 'https:'))
      .map(({ origin }) => origin)
    if (origins.length > 0 && nodeNet().isIP(host) === 0) return { host, origins }
    throw refused(
      `Passkeys need https or localhost, and a name in place of an address: open http://localhost:${this.port()} on the server's machine, or the https address that the server is given with --public-url.`,
    )
  }

  #newChallenge(challenge: Challenge): Uint8Array<ArrayBuffer> {
    return Uint8Array.from(Buffer.from(this.#challenges.issue(challenge), 'base64url'))
  }

  #isOwn(challenge: string, { host, sessionId }: Challenge): boolean {
    const challenged = this.#challenges.take(challenge)
    return challenged !== undefined && challenged.host === host && challenged.sessionId === sessionId
  }
}

/**
 * Stands in for an unknown passkey, so that its signature is verified like any other until its public key is needed.
 */
const NO_CREDENTIAL: WebAuthnCredential = { id: '', publicKey: new Uint8Array(), counter: 0 }

/** The counter of a synced passkey is not checked, because each of its devices counts separately. */
const asCredential = ({ credential: id, publicKey, counter, isSynced }: PasskeyRow): WebAuthnCredential => ({
  id,
  publicKey: Uint8Array.from(Buffer.from(publicKey, 'base64url')),
  counter: isSynced ? 0 : counter,
})

/** The transports known to WebAuthn. */
const transportsIn = (sent: unknown): string =>
  ['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb']
    .filter((transport) => Array.isArray(sent) && sent.includes(transport))
    .join()

/** The host that passkeys are bound to, and the origins of pages that may use them. */
interface RelyingParty {
  readonly host: string
  readonly origins: string[]
}
