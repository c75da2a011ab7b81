/*
 * The worker of the application takes in whatever is posted to it as shared, also by a page of another site, and no browser
 * tells it who posts. So the address for what is shared has a key, which the system knows from the manifest alone: another
 * site can read neither the manifest nor the cookie that keeps the key in this browser, and the page asks before it makes a
 * note of what came without it.
 */

const NAME = 'daybook_share'
/** The longest that browsers keep a cookie: 400 days from its last use. */
const SECONDS = 400 * 24 * 3_600

/** With https in front, the name is one that no other host can set. */
const nameOf = (isSecure: boolean): string => (isSecure ? `__Host-${NAME}` : NAME)

/** The key of a browser: the one in its cookie, else a new one. */
export function shareKeyOf(request: Request, isSecure: boolean): string {
  const prefix = `${nameOf(isSecure)}=`
  const pairs = request.headers.get('cookie')?.split(/; */) ?? []
  const known = pairs.find((pair) => pair.startsWith(prefix))?.slice(prefix.length) ?? ''
  if (/^[\w-]{22}$/.test(known)) return known
  return Buffer.from(crypto.getRandomValues(new Uint8Array(16))).toString('base64url')
}

/** The `Set-Cookie` that keeps it, where the pages of the application can read it. */
export const shareCookie = (key: string, isSecure: boolean): string =>
  `${nameOf(isSecure)}=${key}; Path=/; SameSite=Strict; Max-Age=${SECONDS}${isSecure ? '; Secure' : ''}`
