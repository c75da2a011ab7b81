import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import type { Api } from '../../src/api.ts'
import { program } from './process.ts'

export const CURRENT = '2026-07-28'
export const BEFORE = '2025-11-25'
export type Revision = typeof CURRENT | typeof BEFORE

export interface ToolResult {
  /** The text that the model reads. */
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: what a tool returns is judged by what the test expects of it
  readonly data: any
  readonly isError: boolean
  readonly code: unknown
  readonly links: readonly { uri: string; name: string }[]
}

/** An agent: the official client with one API key. */
export interface Agent {
  readonly client: Client
  call(tool: string, input?: Record<string, unknown>): Promise<ToolResult>
  close(): Promise<void>
}

/** The official client, for one revision of the protocol. */
export const newClient = (revision: Revision = CURRENT): Client =>
  new Client(
    { name: 'test', version: '1.0.0' },
    { versionNegotiation: { mode: revision === CURRENT ? { pin: CURRENT } : 'legacy' } },
  )

export function agentOf(client: Client): Agent {
  return {
    client,
    call: async (tool, input = {}) => {
      const result = await client.callTool({ name: tool, arguments: input })
      const content = result.content as { type: string; text?: string; uri?: string; name?: string }[]
      return {
        text: content.flatMap(({ type, text = '' }) => (type === 'text' ? [text] : [])).join('\n'),
        data: result.structuredContent,
        isError: result.isError === true,
        code: result._meta?.code,
        links: content.flatMap(({ type, uri = '', name = '' }) =>
          type === 'resource_link' ? [{ uri, name }] : [],
        ),
      }
    },
    close: () => client.close(),
  }
}

/** Connects an agent to a server at an address, or to a service in this process. */
export async function connectAgent(
  service: { url: string } | Pick<Api, 'fetch'>,
  key: string | undefined,
  revision: Revision = CURRENT,
): Promise<Agent> {
  const client = newClient(revision)
  const url = new URL('/mcp', 'url' in service ? service.url : 'http://localhost')
  const transport = new StreamableHTTPClientTransport(url, {
    requestInit: { headers: { authorization: `Bearer ${key}` } },
    ...('fetch' in service && {
      fetch: async (input: string | URL, init?: RequestInit) =>
        service.fetch(new Request(String(input), init)),
    }),
  })
  await client.connect(transport)
  return agentOf(client)
}

/** Connects an agent to `daybook mcp` with these arguments, on standard input and output. */
export async function startAgent(args: string[], key: string, revision: Revision = CURRENT): Promise<Agent> {
  const [command = '', ...others] = program()
  const client = newClient(revision)
  await client.connect(
    new StdioClientTransport({
      command,
      args: [...others, 'mcp', ...args],
      env: { DAYBOOK_KEY: key },
      stderr: 'ignore',
    }),
  )
  return agentOf(client)
}
