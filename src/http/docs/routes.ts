import viewerStyle from 'swagger-ui-dist/swagger-ui.css' with { type: 'file' }
import viewerScript from 'swagger-ui-dist/swagger-ui-bundle.js' with { type: 'file' }
import { once } from '../../lib/bounded-cache.ts'
import { embeddedFile } from '../../lib/program.ts'
import { fail } from '../../lib/refusal.ts'
import { VERSION } from '../../lib/version.ts'
import { scriptSources } from '../browser/script-sources.ts'
import { hiddenEndpoints } from '../endpoints.ts'
import { unknownPath } from '../errors.ts'
import type { OpenApiDocument } from '../openapi/document.ts'
import { entityResponse } from '../responses.ts'
import { t, text } from '../schema/types.ts'
import { guidePageResponse, guideResponseFor, MAX_QUERY } from './guide/page.ts'
import { guidePictureResponse } from './guide/pictures.ts'
import startScript from './start.js' with { type: 'file' }

const GuideQuery = t.strict({ q: t.Optional(text({ maxLength: MAX_QUERY })) })
const DocumentQuery = t.strict({ webhooks: t.Optional(t.flag()) })

/** The document for client generators that fail on `webhooks`, such as openapi-generator for Python. */
export function withoutWebhooks({ webhooks: _, ...document }: OpenApiDocument): OpenApiDocument {
  return document
}

const bytesOf = (document: OpenApiDocument) => new TextEncoder().encode(JSON.stringify(document))

/** The API reference: a frame for the embedded viewer, which reads `/openapi.json` of the same server. */
const DOCS_PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>daybook API</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="/docs/viewer.css">
    <style>
      .program { margin: 0; padding: 8px 20px; font: 14px sans-serif }
      .swagger-ui .response-col_links { display: none }
      .swagger-ui tr.error td { padding: 4px 0; font-size: 14px; vertical-align: baseline }
      .swagger-ui tr.error button { border: 0; padding: 4px 0; background: none; font: inherit; text-decoration: underline; cursor: pointer }
    </style>
  </head>
  <body>
    <p class="program">Served by daybook ${VERSION}. The version below is that of the API. <a href="/docs/guide">Guide</a></p>
    <noscript>This page needs JavaScript; the same description is in <a href="/openapi.json">/openapi.json</a>.</noscript>
    <main id="reference"></main>
    <script src="/docs/viewer.js"></script>
    <script src="/docs/start.js"></script>
  </body>
</html>
`

/** Nothing from other hosts; the viewer sets styles of its own and draws its icons from `data:` URLs. */
const contentSecurityPolicy = (scripts: string): string =>
  [
    "default-src 'none'",
    `script-src ${scripts}`,
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')

const JAVASCRIPT = 'text/javascript; charset=utf-8'

/**
 * `GET /docs`: an API reference that works offline, because the viewer is embedded in the executable; `GET
 * /openapi.json`, which it shows; and the guide below `/docs/guide`.
 */
export function docsRoutes(openApi: () => Promise<OpenApiDocument>, publicUrls: readonly string[]) {
  const served =
    (content: () => string | Blob, contentType: string) =>
    ({ request }: { request: Request }) =>
      new Response(content(), {
        headers: {
          'Content-Type': contentType,
          'Content-Security-Policy': contentSecurityPolicy(scriptSources(request, publicUrls, '/docs')),
          'Referrer-Policy': 'no-referrer',
          'Cache-Control': 'no-cache',
        },
      })
  // Writing the document takes several milliseconds.
  const bytes = once(async () => bytesOf(await openApi()))
  const withoutWebhookBytes = once(async () => bytesOf(withoutWebhooks(await openApi())))
  return hiddenEndpoints('', 'nothing')
    .get(
      '/openapi.json',
      async ({ request, query }) =>
        entityResponse(request, await (query.webhooks === false ? withoutWebhookBytes() : bytes())),
      { open: true, query: DocumentQuery },
    )
    .get(
      '/docs',
      served(() => DOCS_PAGE, 'text/html; charset=utf-8'),
      { open: true },
    )
    .get('/docs/guide', ({ query }) => guideResponseFor(query.q ?? ''), { open: true, query: GuideQuery })
    .get(
      '/docs/guide/pictures/:name',
      ({ params }) => guidePictureResponse(params.name) ?? fail(unknownPath()),
      { open: true },
    )
    .get('/docs/guide/:page', ({ params }) => guidePageResponse(params.page), { open: true })
    .get(
      '/docs/start.js',
      served(() => embeddedFile(startScript), JAVASCRIPT),
      { open: true },
    )
    .get(
      '/docs/viewer.js',
      served(() => embeddedFile(viewerScript), JAVASCRIPT),
      { open: true },
    )
    .get(
      '/docs/viewer.css',
      served(() => embeddedFile(viewerStyle), 'text/css; charset=utf-8'),
      { open: true },
    )
}
