const quoted = (host: string) => `"${host}"`

/** What the codes of the system, of TLS and of our own reader mean, after "The receiver …". */
const SENTENCES: Record<string, (host: string) => string> = {
  ECONNREFUSED: (host) => `${quoted(host)} refuses connections.`,
  EHOSTUNREACH: (host) => `${quoted(host)} cannot be reached from here.`,
  ENETUNREACH: (host) => `${quoted(host)} cannot be reached from here.`,
  EADDRNOTAVAIL: (host) => `${quoted(host)} cannot be reached from here.`,
  ETIMEDOUT: (host) => `${quoted(host)} cannot be reached from here.`,
  ECONNRESET: (host) => `${quoted(host)} ended the connection without an answer.`,
  EPIPE: (host) => `${quoted(host)} ended the connection without an answer.`,
  NOT_HTTP: (host) => `${quoted(host)} answered with something that is not HTTP/1.1.`,
  ERR_SSL_WRONG_VERSION_NUMBER: (host) => `${quoted(host)} does not speak TLS at this port.`,
  ERR_TLS_CERT_ALTNAME_INVALID: (host) => `The certificate of ${quoted(host)} is for another name.`,
  CERT_HAS_EXPIRED: (host) => `The certificate of ${quoted(host)} has expired.`,
  CERT_NOT_YET_VALID: (host) => `The certificate of ${quoted(host)} is not valid yet.`,
  DEPTH_ZERO_SELF_SIGNED_CERT: (host) =>
    `The certificate of ${quoted(host)} is signed by itself, so it is not trusted.`,
  SELF_SIGNED_CERT_IN_CHAIN: (host) =>
    `The certificate of ${quoted(host)} comes from an authority that is not trusted.`,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: (host) =>
    `The certificate of ${quoted(host)} comes from an authority that is not trusted.`,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: (host) =>
    `The certificate of ${quoted(host)} comes from an authority that is not trusted.`,
}

/** Says why there is no answer; an error that is not known is named by its code alone, never by its text. */
export function connectionFault(error: unknown, host: string): string {
  const code = String((error as { code?: unknown }).code ?? 'unknown')
  return SENTENCES[code]?.(host) ?? `The connection to ${quoted(host)} failed (${code}).`
}
