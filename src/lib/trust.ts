/** Options of `fetch` that trust these certificates (PEM) in addition to the well-known authorities. */
export function trusting(ca: string | undefined): { tls?: { ca: string[] } } {
  if (ca === undefined) return {}
  // Not a static import: it would read all root certificates at the start of every command.
  return { tls: { ca: [...process.getBuiltinModule('node:tls').rootCertificates, ca] } }
}

const UNTRUSTED: readonly unknown[] = [
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'CERT_UNTRUSTED',
]

/**
 * Explains a connection that failed because no trusted authority issued its certificate; undefined for any other
 * failure.
 */
export const untrustedSentence = (url: string, code: unknown): string | undefined =>
  UNTRUSTED.includes(code)
    ? `No trusted authority issued the certificate of ${url} (${code}); name the file of its authority with --ca <file>.`
    : undefined
