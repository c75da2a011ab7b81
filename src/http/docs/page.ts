/** The API reference: a frame for the embedded viewer, which reads `/openapi.json` of the same server. */
export const DOCS_PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>daybook API</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="/docs/viewer.css">
  </head>
  <body>
    <noscript>This page needs JavaScript; the same description stands in <a href="/openapi.json">/openapi.json</a>.</noscript>
    <main id="reference"></main>
    <script src="/docs/viewer.js"></script>
    <script src="/docs/start.js"></script>
  </body>
</html>
`

/** Starts the viewer. The key that a reader enters stays in the page. */
export const DOCS_SCRIPT = `SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#reference',
  deepLinking: true,
  defaultModelsExpandDepth: 0,
  displayOperationId: true,
  filter: true,
  tryItOutEnabled: true,
  validatorUrl: null,
})
`
