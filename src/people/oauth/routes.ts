import type { AppContext } from '../../context.ts'
import { hiddenEndpoints } from '../../http/endpoints.ts'
import { BytesBody, IgnoredQuery } from '../../http/schema/types.ts'
import { embeddedFile } from '../../lib/program.ts'
import { Authorization, type SignInFeature } from './authorize.ts'
import { ClientDocuments } from './client-document.ts'
import { ClientEndpoints } from './endpoints.ts'
import type { OwnOrigin } from './origin.ts'
import signInScript from './sign-in.js' with { type: 'file' }

/** Pages of any origin may read the metadata, which is public. */
const PUBLIC = {
  'Access-Control-Allow-Origin': '*',
  'Cross-Origin-Resource-Policy': 'cross-origin',
}

const metadata = (content: object): Response => Response.json(content, { headers: PUBLIC })

const metadataPreflight = (): Response =>
  new Response(null, {
    status: 204,
    headers: {
      ...PUBLIC,
      'Access-Control-Allow-Methods': 'GET, HEAD',
      'Access-Control-Allow-Headers': '*',
      'Access-Control-Max-Age': '600',
    },
  })

const RESOURCE = '/.well-known/oauth-protected-resource'
const SERVER = '/.well-known/oauth-authorization-server'

/** OAuth 2.1 for agents: metadata, registration of clients, consent, tokens. */
export function oauthRoutes(ctx: AppContext, people: SignInFeature, origin: OwnOrigin) {
  const documents = new ClientDocuments(ctx.config, ctx.clock)
  const authorization = new Authorization({ ctx, origin, documents, people })
  const clients = new ClientEndpoints(ctx, origin)

  const resource = (request: Request) =>
    metadata({
      resource: origin.resourceOf(request),
      authorization_servers: [origin.of(request)],
      scopes_supported: ['read', 'write'],
      bearer_methods_supported: ['header'],
      resource_name: 'daybook',
    })
  const server = (request: Request) => {
    const issuer = origin.of(request)
    return metadata({
      issuer,
      authorization_endpoint: `${issuer}/oauth/authorize`,
      token_endpoint: `${issuer}/oauth/token`,
      registration_endpoint: `${issuer}/oauth/register`,
      revocation_endpoint: `${issuer}/oauth/revoke`,
      response_types_supported: ['code'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['none'],
      authorization_response_iss_parameter_supported: true,
      client_id_metadata_document_supported: true,
    })
  }

  return hiddenEndpoints('', 'nothing')
    .get(RESOURCE, ({ request }) => resource(request), ANYONE)
    .options(RESOURCE, metadataPreflight, ANYONE)
    .get(`${RESOURCE}/mcp`, ({ request }) => resource(request), ANYONE)
    .options(`${RESOURCE}/mcp`, metadataPreflight, ANYONE)
    .get(SERVER, ({ request }) => server(request), ANYONE)
    .options(SERVER, metadataPreflight, ANYONE)
    .post('/oauth/register', ({ exchange, body }) => clients.register(exchange, body), SENT)
    .get('/oauth/authorize', ({ exchange }) => authorization.show(exchange), {
      ...ANYONE,
      secret: true,
    })
    .post('/oauth/authorize', ({ exchange, body }) => authorization.decide(exchange, body), SENT)
    .get('/oauth/sign-in', ({ exchange }) => authorization.showSignIn(exchange), ANYONE)
    .post('/oauth/sign-in', ({ exchange, body }) => authorization.signIn(exchange, body), SENT)
    .get('/oauth/sign-in.js', scriptResponse, ANYONE)
    .post('/oauth/token', ({ exchange, body }) => clients.token(exchange, body), { ...SENT, secret: true })
    .post('/oauth/revoke', ({ exchange, body }) => clients.revoke(exchange, body), SENT)
}

const ANYONE = { open: true, query: IgnoredQuery } as const
const SENT = { ...ANYONE, body: BytesBody } as const

const scriptResponse = (): Response =>
  new Response(embeddedFile(signInScript), {
    headers: {
      'Content-Type': 'text/javascript; charset=utf-8',
      'Cache-Control': 'no-cache',
      'Cross-Origin-Resource-Policy': 'same-origin',
    },
  })
