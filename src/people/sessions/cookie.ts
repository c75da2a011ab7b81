/** A cookie with a token, such as that of a session: its name, and its form in headers. */
export interface SessionCookie {
  tokenIn(request: Request): string | undefined
  /** The `Set-Cookie` of a token that ends at most `seconds` from now. */
  set(token: string, seconds: number): string
  clear(): string
}

/**
 * With https in front, the name begins with `__Host-`, which browsers accept only as `Secure` and for the whole host.
 * Without it the name ends with the port where the server listens: browsers keep cookies of a host, not of a port.
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
 * The cookie of a browser in which a sign-in with the provider has begun; browsers also send it when the provider
 * redirects back.
 */
export const providerCookie = (isSecure: boolean, port: () => number): SessionCookie =>
  cookie('oidc', 'Lax', isSecure, port)

/** 256 random bits in URL-safe base64, of which only the SHA-256 is stored. */
export const newToken = (): string =>
  Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64url')

const isToken = (text: string): boolean => /^[A-Za-z0-9_-]{43}$/.test(text)
