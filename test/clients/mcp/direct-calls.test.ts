import { expect, test } from 'bun:test'
import { BEFORE, CURRENT, type Revision } from '../../support/agent.ts'
import { startService } from '../../support/service.ts'

/*
 * The server answers a plain tool call without the MCP library, and passes any unusual message to the library. Both
 * paths give the same response.
 */

const PREFIX = 'io.modelcontextprotocol/'

const ENVELOPE = {
  [`${PREFIX}protocolVersion`]: CURRENT,
  [`${PREFIX}clientInfo`]: { name: 'test', version: '1' },
  [`${PREFIX}clientCapabilities`]: { elicitation: {} },
}

/** The library answers a call with this member, because plain calls do not have it. */
const UNUSUAL = { 'com.example/trace': 'x' }

const CALLS: readonly (readonly [tool: string, input: object])[] = [
  ['describe', {}],
  ['list_notes', { limit: 5 }],
  ['read_note', { note: 'Räume' }],
  ['read_note', { note: 'nothing' }],
  ['query_records', { structure: 'nothing' }],
  ['create_note', { titel: 'x' }],
  ['search', { query: 'alpha "beta"' }],
]

test.each<Revision>([CURRENT, BEFORE])(
  'a plain call and an unusual one have the same response, on %s',
  async (revision) => {
    const service = await startService()
    await service.post('/v1/notes', { title: 'Räume', content: 'alpha "beta"\n', tags: ['a'] })
    const send = async (tool: string, input: object, extra: object) => {
      const meta = { ...(revision === CURRENT && ENVELOPE), ...extra }
      const params = { name: tool, arguments: input, ...(Object.keys(meta).length > 0 && { _meta: meta }) }
      const response = await service.app.fetch(
        new Request('http://localhost/mcp', {
          method: 'POST',
          headers: {
            authorization: `Bearer ${service.key}`,
            'content-type': 'application/json',
            accept: 'application/json, text/event-stream',
            'mcp-protocol-version': revision,
            ...(revision === CURRENT && { 'mcp-method': 'tools/call', 'mcp-name': tool }),
          },
          body: JSON.stringify({ jsonrpc: '2.0', id: 'one', method: 'tools/call', params }),
        }),
      )
      const type = response.headers.get('content-type')?.split(';')[0]
      return { status: response.status, type, body: await response.json() }
    }
    for (const [tool, input] of CALLS) {
      const plain = await send(tool, input, {})
      expect(plain).toEqual(await send(tool, input, UNUSUAL))
      expect(plain).toMatchObject({
        status: 200,
        type: 'application/json',
        body: { jsonrpc: '2.0', id: 'one' },
      })
    }
    service.close()
  },
)
