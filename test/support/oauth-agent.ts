import {
  type Client,
  type OAuthClientProvider,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client'
import { type Agent, agentOf, newClient } from './agent.ts'
import { formOf, REDIRECT_URI, tokenOn } from './connected-app.ts'

/** A signed-in person's browser at a server. */
export interface Visitor {
  request(
    method: string,
    path: string,
    body?: Uint8Array<ArrayBuffer>,
    headers?: Record<string, string>,
  ): Promise<{ readonly status: number; readonly headers: Headers; readonly body: string }>
}

/** The memory of the official client: its data about a server, and the address that it opens for the person. */
function newMemory() {
  const memory = {
    opened: undefined as URL | undefined,
    client: undefined as ReturnType<OAuthClientProvider['clientInformation']>,
    tokens: undefined as ReturnType<OAuthClientProvider['tokens']>,
    verifier: '',
    discovered: undefined as
      | Parameters<NonNullable<OAuthClientProvider['saveDiscoveryState']>>[0]
      | undefined,
  }
  const provider: OAuthClientProvider = {
    redirectUrl: REDIRECT_URI,
    clientMetadata: { client_name: 'Official client', redirect_uris: [REDIRECT_URI], scope: 'write' },
    state: () => 'of the client',
    clientInformation: () => memory.client,
    saveClientInformation: (client) => {
      memory.client = client
    },
    tokens: () => memory.tokens,
    saveTokens: (tokens) => {
      memory.tokens = tokens
    },
    redirectToAuthorization: (url) => {
      memory.opened = url
    },
    saveCodeVerifier: (verifier) => {
      memory.verifier = verifier
    },
    codeVerifier: () => memory.verifier,
    saveDiscoveryState: (state) => {
      memory.discovered = state
    },
    discoveryState: () => memory.discovered,
  }
  return { memory, provider }
}

/** Presses Connect on the consent page; returns the parameters that come back. */
async function consent(visitor: Visitor, opened: URL): Promise<URLSearchParams> {
  const page = await visitor.request('GET', `${opened.pathname}${opened.search}`)
  const sent = await visitor.request(
    'POST',
    '/oauth/authorize',
    formOf({ decision: 'allow', scope: 'write', token: tokenOn(page.body) }),
    { 'content-type': 'application/x-www-form-urlencoded' },
  )
  return new URL(sent.headers.get('location') ?? '').searchParams
}

/**
 * Connects the official client by the address of a server: it finds the metadata, registers itself, and gets its tokens
 * once the visitor has consented.
 */
export async function connectByAddress(
  origin: string,
  visitor: Visitor,
  fetch: typeof globalThis.fetch = globalThis.fetch,
): Promise<{ readonly agent: Agent; readonly expire: () => void }> {
  const { memory, provider } = newMemory()
  const url = new URL('/mcp', origin)
  const transport = () => new StreamableHTTPClientTransport(url, { authProvider: provider, fetch })
  const first = transport()
  const refused = await newClient()
    .connect(first)
    .then(() => undefined)
    .catch((error: unknown) => error)
  if (!(refused instanceof UnauthorizedError) || !memory.opened) throw refused
  await first.finishAuth(await consent(visitor, memory.opened))
  const client: Client = newClient()
  await client.connect(transport())
  return {
    agent: agentOf(client),
    /** Makes the client use a token that is no longer valid. */
    expire: () => {
      if (memory.tokens && 'access_token' in memory.tokens)
        memory.tokens = { ...memory.tokens, access_token: `dba_${'x'.repeat(43)}` }
    },
  }
}
