import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import { isoCBOR } from '@simplewebauthn/server/helpers'

/** Deliberate deviations of an authenticator and its browser from correct behavior. */
export interface Forged {
  readonly origin?: string
  readonly host?: string
  readonly challenge?: string
  readonly type?: string
  readonly counter?: number
  readonly userHandle?: string
  readonly isVerified?: boolean
  readonly isSynced?: boolean
  readonly signature?: string
}

interface CreationOptions {
  readonly challenge: string
  readonly rp: { readonly id: string }
  readonly user: { readonly id: string }
}

const encoded = (bytes: Uint8Array | string) => Buffer.from(bytes).toString('base64url')
const hashed = (bytes: Uint8Array | string) => createHash('sha256').update(bytes).digest()

const [PRESENT, VERIFIED, SYNCED, WITH_KEY] = [0x01, 0x04, 0x18, 0x40]

/** A software passkey, together with the browser that uses it. */
export class SoftwarePasskey {
  readonly id = encoded(randomBytes(16))
  counter = 0
  #userHandle = ''
  readonly #keys = generateKeyPairSync('ec', { namedCurve: 'P-256' })

  constructor(
    readonly host: string,
    readonly origin: string,
    /** A passkey that is not synced between devices counts its signatures. */
    readonly isSynced = false,
  ) {}

  /** Returns the `toJSON()` of `navigator.credentials.create()`. */
  create({ challenge, user }: CreationOptions, forged: Forged = {}) {
    this.#userHandle = user.id
    const { x = '', y = '' } = this.#keys.publicKey.export({ format: 'jwk' })
    const coordinate = (text: string) => Uint8Array.from(Buffer.from(text, 'base64url'))
    const key = new Map<number, number | Uint8Array>([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, coordinate(x)],
      [-3, coordinate(y)],
    ])
    const id = Buffer.from(this.id, 'base64url')
    const authData = Buffer.concat([
      this.#data(forged, WITH_KEY),
      Buffer.alloc(16),
      Buffer.from([0, id.length]),
      id,
      isoCBOR.encode(key),
    ])
    const attestation = new Map<string, unknown>([
      ['fmt', 'none'],
      ['attStmt', new Map()],
      ['authData', Uint8Array.from(authData)],
    ])
    return this.#credential({
      clientDataJSON: this.#clientData('webauthn.create', challenge, forged),
      attestationObject: encoded(isoCBOR.encode(attestation as never)),
      transports: ['internal'],
    })
  }

  /** Returns the `toJSON()` of `navigator.credentials.get()`. */
  get({ challenge }: { challenge: string }, forged: Forged = {}) {
    if (!this.isSynced) this.counter += 1
    const authenticatorData = this.#data(forged)
    const clientDataJSON = this.#clientData('webauthn.get', challenge, forged)
    const signed = Buffer.concat([authenticatorData, hashed(Buffer.from(clientDataJSON, 'base64url'))])
    return this.#credential({
      clientDataJSON,
      authenticatorData: encoded(authenticatorData),
      signature: forged.signature ?? encoded(sign('sha256', signed, this.#keys.privateKey)),
      userHandle: forged.userHandle ?? this.#userHandle,
    })
  }

  #credential(response: object) {
    const { id } = this
    return { id, rawId: id, type: 'public-key', clientExtensionResults: {}, response }
  }

  #clientData(type: string, challenge: string, forged: Forged): string {
    const { origin = this.origin } = forged
    return encoded(
      JSON.stringify({ type: forged.type ?? type, challenge: forged.challenge ?? challenge, origin }),
    )
  }

  #data(
    { host = this.host, counter = this.counter, isVerified = true, isSynced = this.isSynced }: Forged,
    more = 0,
  ) {
    const flags = PRESENT | (isVerified ? VERIFIED : 0) | (isSynced ? SYNCED : 0) | more
    const count = Buffer.alloc(4)
    count.writeUInt32BE(counter)
    return Buffer.concat([hashed(host), Buffer.from([flags]), count])
  }
}
