import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type Browser, signedIn } from '../../support/browser-client.ts'
import {
  authorizationOf,
  callTool,
  decide,
  exchange,
  refreshed,
  returnedIn,
} from '../../support/connected-app.ts'
import { startService, type TestService } from '../../support/service.ts'

/*
 * The flows of the two large assistants as their documentation and their servers' requests show them: both find the
 * server from the challenge, register themselves, and name the resource. One of them leaves `scope` out when it
 * connects again.
 */

let service: TestService
let browser: Browser
beforeAll(async () => {
  service = await startService()
  browser = await signedIn(service)
})
afterAll(() => service.close())

const ASSISTANTS = [
  {
    client_name: 'Claude',
    redirect_uri: 'https://claude.ai/api/mcp/auth_callback',
    grant_types: ['authorization_code', 'refresh_token'],
    scopes: ['read write', 'write'],
  },
  {
    client_name: 'ChatGPT',
    redirect_uri: 'https://chatgpt.com/connector_platform_oauth_redirect',
    grant_types: ['authorization_code', 'refresh_token'],
    scopes: ['read write', undefined],
  },
]

const pathOf = (url: string) => new URL(url).pathname

/** The endpoints that a client finds from the challenge of a call without a token. */
async function discover() {
  const { status, headers } = await callTool(service, undefined, 'describe')
  expect(status).toBe(401)
  const [, metadata = ''] = /resource_metadata="([^"]+)"/.exec(headers.get('www-authenticate') ?? '') ?? []
  const anonymous = service.as(undefined)
  const { resource, authorization_servers } = (await anonymous.get(pathOf(metadata))).body
  const { body } = await anonymous.get(
    pathOf(`${authorization_servers[0]}/.well-known/oauth-authorization-server`),
  )
  return { resource, ...body }
}

test.each(ASSISTANTS)(
  '$client_name connects, calls a tool, refreshes, and connects again',
  async (assistant) => {
    const { client_name, redirect_uri, grant_types, scopes } = assistant
    const found = await discover()
    expect(found.code_challenge_methods_supported).toContain('S256')
    const { status, body: client } = await service.as(undefined).post(pathOf(found.registration_endpoint), {
      client_name,
      redirect_uris: [redirect_uri],
      grant_types,
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      scope: 'read write',
    })
    expect([status, client.redirect_uris]).toEqual([201, [redirect_uri]])
    for (const scope of scopes) {
      const resource = found.resource
      const request = authorizationOf(client.client_id, {
        redirect_uri,
        resource,
        ...(scope !== undefined && { scope }),
      })
      const answer = await decide(browser, request)
      expect(answer.headers.get('location')).toStartWith(redirect_uri)
      const { code = '', state, iss } = returnedIn(answer)
      expect([state, iss]).toEqual(['xyz', found.issuer])
      const { body: tokens } = await exchange(service, code, request, { resource })
      expect(tokens.token_type).toBe('Bearer')
      expect((await callTool(service, tokens.access_token, 'describe')).status).toBe(200)
      const next = await refreshed(service, tokens.refresh_token, client.client_id, { resource })
      expect((await callTool(service, next.body.access_token, 'describe')).status).toBe(200)
    }
  },
)
