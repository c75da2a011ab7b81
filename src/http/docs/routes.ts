import { Elysia } from 'elysia'
import viewerStyle from 'swagger-ui-dist/swagger-ui.css' with { type: 'file' }
import viewerScript from 'swagger-ui-dist/swagger-ui-bundle.js' with { type: 'file' }
import { NoQuery } from '../schema/types.ts'
import { DOCS_PAGE, DOCS_SCRIPT } from './page.ts'

/** Nothing from elsewhere; the viewer sets styles of its own and draws its icons from `data:` URLs. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const served = (content: string | Blob, contentType: string) =>
  new Response(content, {
    headers: {
      'Content-Type': contentType,
      'Content-Security-Policy': CONTENT_SECURITY_POLICY,
      'Referrer-Policy': 'no-referrer',
      'X-Content-Type-Options': 'nosniff',
      'Cache-Control': 'no-cache',
    },
  })

const JAVASCRIPT = 'text/javascript; charset=utf-8'

const hidden = { query: NoQuery, detail: { hide: true } }

/** `GET /docs`: an API reference that needs no network; the viewer is embedded in the executable. */
export const docsRoutes = () =>
  new Elysia({ prefix: '/docs' })
    .get('/', () => served(DOCS_PAGE, 'text/html; charset=utf-8'), hidden)
    .get('/start.js', () => served(DOCS_SCRIPT, JAVASCRIPT), hidden)
    .get('/viewer.js', () => served(Bun.file(viewerScript), JAVASCRIPT), hidden)
    .get('/viewer.css', () => served(Bun.file(viewerStyle), 'text/css; charset=utf-8'), hidden)
