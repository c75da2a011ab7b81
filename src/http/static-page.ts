import { Html, html } from '../lib/html.ts'

interface StaticPage {
  readonly title: string
  /** The style sheet, whose hash the policy of the page permits. */
  readonly style: string
  /** Additional elements of the head. */
  readonly head?: Html
  readonly body: Html
}

/** A document without scripts and without references to other hosts. */
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

/** The policy of a static page: only its own style, and pictures and forms of this server. */
export const staticPagePolicy = (style: string): string =>
  [
    "default-src 'none'",
    `style-src 'sha256-${hashOf(style)}'`,
    "img-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ')
