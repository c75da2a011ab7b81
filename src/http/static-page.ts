import { Html, html } from '../lib/html.ts'

interface StaticPage {
  readonly title: string
  /** The style sheet, whose hash the policy of the page allows. */
  readonly style: string
  /** Further elements of the head. */
  readonly head?: Html
  readonly body: Html
}

/** A document that runs no script and names nothing of another host. */
export const staticPage = ({ title, style, head, body }: StaticPage): string =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
${head}
<title>${title}</title>
<style>${new Html(style)}</style>
</head>
<body>
${body}
</body>
</html>
`.text

const hashOf = (text: string): string => new Bun.CryptoHasher('sha256').update(text).digest('base64')

/** The policy of a static page: its own style, pictures and forms of this server, and nothing else. */
export const staticPagePolicy = (style: string): string =>
  [
    "default-src 'none'",
    `style-src 'sha256-${hashOf(style)}'`,
    "img-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ')
