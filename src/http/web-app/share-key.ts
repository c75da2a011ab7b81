/*
 * The service worker accepts every post to the address for shared content, even from a page of another site. Browsers
 * do not report the sender. So the address has a key, which the system knows only from the manifest. Another site can
 * read neither the manifest nor the cookie that stores the key. The page asks for confirmation before it creates a note
 * from content without the key.
 */

const NAME = 'daybook_share'
/** The longest lifetime of a cookie in browsers: 400 days from its last use. */
const SECONDS = 400 * 24 * 3_600

/** With https, the prefix keeps other hosts from setting the cookie. */
const nameOf = (isSecure: boolean): string => (isSecure ? `__Host-${NAME}` : NAME)

/** The key of a browser: from its cookie, or a new one. */
export function shareKeyOf(request: Request, isSecure: boolean): string {
  const prefix = `${nameOf(isSecure)}=`
  const pairs = request.headers.get('cookie')?.split(/; */) ?? []
  const known = pairs.find((pair) => pair.startsWith(prefix))?.slice(prefix.length) ?? ''
  if (/^[\w-]{22}$/.test(known)) return known
  return Buffer.from(crypto.getRandomValues(new Uint8Array(16))).toString('base64url')
}

/** The `Set-Cookie` that stores the key, readable by the pages of the application. */
export const shareCookie = (key: string, isSecure: boolean): string =>
  `${nameOf(isSecure)}=${key}; Path=/; SameSite=Strict; Max-Age=${SECONDS}${isSecure ? '; Secure' : ''}`
