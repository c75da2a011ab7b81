import 'reflect-metadata'
import { isIP } from 'node:net'
import {
  BasicConstraintsExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
} from '@peculiar/x509'

/** A certificate and its key, as PEM. */
export interface Certificate {
  readonly cert: string
  readonly key: string
}

/** A certificate authority for one run of the tests. */
export interface Authority {
  /** As PEM, in the format of `--webhook-ca`. */
  readonly cert: string
  /** Issues a certificate for names and addresses. `from` and `to` are days from now. */
  certify(hosts: readonly string[], days?: { from: number; to: number }): Promise<Certificate>
}

const EC = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const
const DAY_MS = 86_400_000

const newKeys = () => crypto.subtle.generateKey(EC, true, ['sign', 'verify'])
const inDays = (days: number) => new Date(Date.now() + days * DAY_MS)

async function pemOf(key: CryptoKey): Promise<string> {
  const bytes = Buffer.from(await crypto.subtle.exportKey('pkcs8', key)).toString('base64')
  return `-----BEGIN PRIVATE KEY-----\n${bytes.replace(/.{64}/g, '$&\n')}\n-----END PRIVATE KEY-----\n`
}

export async function newAuthority(name = 'daybook test authority'): Promise<Authority> {
  const keys = await newKeys()
  const authority = await X509CertificateGenerator.createSelfSigned({
    name: `CN=${name}`,
    keys,
    signingAlgorithm: EC,
    notBefore: inDays(-30),
    notAfter: inDays(30),
    extensions: [
      new BasicConstraintsExtension(true, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign, true),
    ],
  })
  return {
    cert: authority.toString('pem'),
    certify: async (hosts, { from, to } = { from: -1, to: 1 }) => {
      const own = await newKeys()
      const certificate = await X509CertificateGenerator.create({
        subject: `CN=${hosts[0]}`,
        issuer: authority.subject,
        publicKey: own.publicKey,
        signingKey: keys.privateKey,
        signingAlgorithm: EC,
        notBefore: inDays(from),
        notAfter: inDays(to),
        extensions: [
          new SubjectAlternativeNameExtension(
            hosts.map((value) => ({ type: isIP(value) ? ('ip' as const) : ('dns' as const), value })),
          ),
        ],
      })
      return { cert: certificate.toString('pem'), key: await pemOf(own.privateKey) }
    },
  }
}
