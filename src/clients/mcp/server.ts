import {
  type JSONRPCRequest,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  type Result,
  Server,
  type ServerContext,
} from '@modelcontextprotocol/server'
import type { AppContext } from '../../context.ts'
import { isObject } from '../../lib/json.ts'
import { Refusal } from '../../lib/refusal.ts'
import { VERSION } from '../../lib/version.ts'
import { asUnavailable } from '../../storage/errors.ts'
import { findPrompt, listPrompts } from './prompts.ts'
import { listResources, RESOURCE_TEMPLATES, readResource } from './resources.ts'
import { shorten, shortenSentence } from './text/fit.ts'
import { type Agent, type Answer, runTool, type Tool } from './tool.ts'
import { findTool, listTools } from './tools/all.ts'

export const INFO = { name: 'daybook', title: 'daybook', version: VERSION }
const CAPABILITIES = { tools: {}, resources: {}, prompts: {} }

/** The number of characters of an unknown name that a refusal repeats. */
const SHOWN_NAME = 200

const invalidParams = (sentence: string) => new ProtocolError(ProtocolErrorCode.InvalidParams, sentence)

export function createServer(ctx: AppContext, agent: Agent, instructions?: string): Server {
  const server = new SchemaCheckingServer(INFO, {
    capabilities: CAPABILITIES,
    ...(instructions !== undefined && { instructions }),
  })
  server.setRequestHandler('tools/list', () => ({ tools: listTools(agent.caller) }))
  server.setRequestHandler('tools/call', async ({ params }) => {
    const tool = findTool(params.name)
    if (!tool) throw invalidParams(`There is no tool "${shorten(params.name, SHOWN_NAME)}".`)
    return callTool(ctx, agent, tool, params.arguments ?? {})
  })
  server.setRequestHandler('prompts/list', () => ({ prompts: listPrompts() }))
  server.setRequestHandler('prompts/get', ({ params }) => getPrompt(params.name, params.arguments ?? {}))
  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: RESOURCE_TEMPLATES }))
  server.setRequestHandler('resources/list', async ({ params: { cursor } = {} }) => {
    try {
      return await agent.call(listResources, cursor === undefined ? {} : { cursor })
    } catch (error) {
      throw error instanceof Refusal && (error.code === 'invalid_request' || error.code === 'refused')
        ? invalidParams('"cursor" must be one that this server has returned.')
        : error
    }
  })
  server.setRequestHandler('resources/read', async ({ params: { uri } }) => {
    const found = await readResource(agent, uri)
    if (!found) throw new ResourceNotFoundError(shorten(uri, SHOWN_NAME))
    return found
  })
  return server
}

/** Runs a tool. A refusal, or a failure of the service, becomes a result that the model can read. */
export async function callTool(ctx: AppContext, agent: Agent, tool: Tool, input: unknown) {
  try {
    return resultOf(await runTool(ctx, agent, tool, input))
  } catch (thrown) {
    ctx.db.noteError(thrown)
    const error = asUnavailable(thrown)
    if (error instanceof Refusal) return refusalOf(shortenSentence(error.message), error.code)
    const { message, stack = '' } = error instanceof Error ? error : { message: typeof error }
    ctx.log.error('tool failed', { tool: tool.name, error: message, stack })
    return refusalOf('Something failed on the side of the service; its log says what.', 'internal')
  }
}

const resultOf = ({ text, data, links = [] }: Answer) => ({
  content: [
    { type: 'text' as const, text },
    ...links.map(({ uri, name }) => ({
      type: 'resource_link' as const,
      uri,
      name,
      mimeType: 'text/markdown',
    })),
  ],
  structuredContent: data as Record<string, unknown>,
})

const refusalOf = (sentence: string, code: string) => ({
  content: [{ type: 'text' as const, text: sentence }],
  isError: true,
  _meta: { code },
})

function getPrompt(name: string, values: Readonly<Record<string, string>>) {
  const prompt = findPrompt(name)
  if (!prompt) throw invalidParams(`There is no prompt "${shorten(name, SHOWN_NAME)}".`)
  const missing = prompt.arguments.find((argument) => argument.required && !values[argument.name])
  if (missing) throw invalidParams(`The prompt "${name}" needs "${missing.name}".`)
  return {
    description: prompt.description,
    messages: [{ role: 'user' as const, content: { type: 'text' as const, text: prompt.text(values) } }],
  }
}

type Handler = (request: JSONRPCRequest, ctx: ServerContext) => Promise<Result>

/**
 * Refuses invalid parameters with one sentence. The library would return a list as JSON text, and call it an internal
 * error for most methods.
 */
class SchemaCheckingServer extends Server {
  protected override _wrapHandler(method: string, handler: Handler): Handler {
    const wrapped = super._wrapHandler(method, handler)
    return async (request, ctx) => {
      try {
        return await wrapped(request, ctx)
      } catch (error) {
        throw formErrorIn(error) ?? error
      }
    }
  }
}

function formErrorIn(error: unknown): ProtocolError | undefined {
  const message = error instanceof Error ? error.message : ''
  const [issue] = issuesIn(message.slice(message.indexOf('[')))
  if (!isObject(issue) || !Array.isArray(issue.path)) return undefined
  const name = issue.path.slice(1).join('.') || 'params'
  const { expected } = issue
  const rule = typeof expected === 'string' ? `must be of the type ${expected}` : 'is not valid'
  return new ProtocolError(ProtocolErrorCode.InvalidParams, `"${name}" ${rule}; see the schema of MCP.`)
}

function issuesIn(text: string): unknown[] {
  try {
    const issues: unknown = JSON.parse(text)
    return Array.isArray(issues) ? issues : []
  } catch {
    return []
  }
}
