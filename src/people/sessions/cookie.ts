/** A cookie with a token, such as a session token: its name, and its format in headers. */
export interface SessionCookie {
  tokenIn(request: Request): string | undefined
  /** The `Set-Cookie` header for a token that expires at most `seconds` from now. */
  set(token: string, seconds: number): string
  clear(): string
}

/**
 * Behind https, the name begins with `__Host-`, which browsers accept only as `Secure` and for the whole host.
 * Otherwise the name ends with the listening port: browsers store cookies per host, not per port.
 */
function cookie(what: string, sameSite: string, isSecure: boolean, port: () => number): SessionCookie {
  const name = () => (isSecure ? `__Host-daybook_${what}` : `daybook_${what}_${port()}`)
  const attributes = `Path=/; HttpOnly; SameSite=${sameSite}${isSecure ? '; Secure' : ''}`
  return {
    tokenIn: (request) => {
      const prefix = `${name()}=`
      const pairs = request.headers.get('cookie')?.split(/; */) ?? []
      const token = pairs.find((pair) => pair.startsWith(prefix))?.slice(prefix.length)
      return token !== undefined && isToken(token) ? token : undefined
    },
    set: (token, seconds) => `${name()}=${token}; ${attributes}; Max-Age=${seconds}`,
    clear: () => `${name()}=; ${attributes}; Max-Age=0`,
  }
}

export const sessionCookie = (isSecure: boolean, port: () => number): SessionCookie =>
  cookie('session', 'Strict', isSecure, port)

/**
 * The cookie of a browser that has begun to sign in with the provider; browsers also send it when the provider
 * redirects back.
 */
export const providerCookie = (isSecure: boolean, port: () => number): SessionCookie =>
  cookie('oidc', 'Lax', isSecure, port)

/** 256 random bits in URL-safe base64. Only the SHA-256 is stored. */
export const newToken = (): string =>
  Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64url')

const isToken = (text: string): boolean => /^[A-Za-z0-9_-]{43}$/.test(text)
