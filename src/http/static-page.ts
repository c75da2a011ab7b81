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

interface FurtherSources {
  /** The source of a redirect that follows the form. */
  readonly formTarget?: string | undefined
  /** The sources of scripts, which may call this server. */
  readonly scripts?: string | undefined
}

/** The policy of a static page: its own style, pictures and forms of this server, and the sources given. */
export const staticPagePolicy = (style: string, { formTarget, scripts }: FurtherSources = {}): string =>
  [
    "default-src 'none'",
    `style-src 'sha256-${hashOf(style)}'`,
    ...(scripts === undefined ? [] : [`script-src ${scripts}`, "connect-src 'self'"]),
    "img-src 'self'",
    "base-uri 'none'",
    `form-action 'self'${formTarget === undefined ? '' : ` ${formTarget}`}`,
    "frame-ancestors 'none'",
    "font-src 'self'",
  ].join('; ')
