import { STYLE } from '../../http/page-style.ts'
import { responseWithText } from '../../http/responses.ts'
import { staticPage, staticPagePolicy } from '../../http/static-page.ts'
import { Html, html } from '../../lib/html.ts'
import { withoutComments } from '../../lib/markdown-comments.ts'

/** Headers of every share response: no caching, no indexing by search engines, no referrer for other sites. */
export const SHARE_HEADERS = {
  'Referrer-Policy': 'no-referrer',
  'X-Robots-Tag': 'noindex',
  'X-Content-Type-Options': 'nosniff',
  'Cache-Control': 'no-store',
}

const HEADERS = {
  ...SHARE_HEADERS,
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': staticPagePolicy(STYLE),
}

interface Page {
  readonly title: string
  readonly main: Html
  /** Whether the page is as wide as the window, for example for a table. */
  readonly isBroad?: boolean
}

/** A text as visitors see it, without comments. */
export function shownText(text: string): string {
  const shown = withoutComments(text)
  return shown === text ? text : shown.trim()
}

/** A page for visitors without an account: one document without script. It fetches only its own pictures and the font. */
export const pageText = ({ title, main, isBroad }: Page): string =>
  staticPage({
    title,
    style: STYLE,
    head: html`<meta name="robots" content="noindex">`,
    body: html`<main${isBroad ? new Html(' class="broad"') : ''}>
${main}
</main>
<footer>Made with daybook.</footer>`,
  })

interface Head {
  readonly status?: number | undefined
  readonly retryAfterSeconds?: number | undefined
}

/** A page as a response; it may be encoded already. */
export const textResponse = (
  text: string | Uint8Array<ArrayBuffer>,
  { status = 200, retryAfterSeconds }: Head = {},
): Response => {
  const retry: Record<string, string> =
    retryAfterSeconds === undefined ? {} : { 'Retry-After': String(retryAfterSeconds) }
  return responseWithText(text, { status, headers: { ...HEADERS, ...retry } })
}

export const pageResponse = ({ status, retryAfterSeconds, ...page }: Page & Head): Response =>
  textResponse(pageText(page), { status, retryAfterSeconds })

/** The same page for a share that never existed, ended or expired, and for objects that a share does not show. */
export const notFoundPage = (): Response =>
  pageResponse({
    title: 'Not found',
    main: html`<h1>There is nothing here</h1>
<p>The link is wrong, or its contents are no longer shared. Ask the sender for another link.</p>`,
    status: 404,
  })
