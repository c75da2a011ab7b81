import type { IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { readDatabaseFile } from '../../../config.ts'
import { findServerUrl } from '../../../people/sessions/server-address.ts'
import { inspectDatabase } from '../../../storage/connection/inspect.ts'
import { type Command, DB_FLAG, flag, JSON_FLAG, textFlag } from '../../command.ts'
import { printJson } from '../../output.ts'

export const health: Command = {
  name: 'health',
  summary: 'Check the health of the running server.',
  flags: [flag('--url <url>', 'the server (default the one of the database)'), JSON_FLAG, DB_FLAG],
  remarks: [
    'Prints "ok", or the problem and exits 1. Made for the health check of a container: it opens the database only to find',
    'out where its server listens.',
  ],
  examples: ['daybook health', 'daybook health --url http://127.0.0.1:8787'],
  run: async (input, io) => {
    const url =
      textFlag(input, 'url') ??
      inspectDatabase(readDatabaseFile(io.env, input.flags), (reader) => findServerUrl(reader))
    const found = await askHealth(url)
    if (input.flags.json) printJson(io, found)
    else if (found.status === 'ok') io.out(`${['ok', ...warningsOf(found)].join(', but ')}\n`)
    else io.err(`${found.error}\n`)
    return found.status === 'ok' ? 0 : 1
  },
}

/** The response of `/healthz`, or the reason why there is none. */
export interface ServerHealth {
  readonly url: string | null
  readonly status: 'ok' | 'failing' | 'unreachable'
  readonly backup?: 'failed' | 'stale'
  readonly log?: 'growing'
  readonly error?: string
}

/** Problems of a server that otherwise works. */
export const warningsOf = ({ backup, log }: ServerHealth): string[] => [
  ...(backup === 'failed' ? ['the backups fail'] : []),
  ...(backup === 'stale' ? ['a place for backups lacks recent ones'] : []),
  ...(log === 'growing' ? ['the write-ahead log grows; check the program that replicates the database'] : []),
]

const TIMEOUT_MS = 5_000

/** The loopback address of a server that listens on every address. */
function reachable(url: string): string {
  const parsed = new URL(url)
  if (parsed.hostname === '0.0.0.0') parsed.hostname = '127.0.0.1'
  if (parsed.hostname === '[::]') parsed.hostname = '[::1]'
  return parsed.origin
}

/** The health of a server without a known address. */
export const unreachableServer = (error: string): ServerHealth => ({
  url: null,
  status: 'unreachable',
  error,
})

/** Requests the health of the server at this address, if one has run; never throws. */
export async function askHealth(url: string | undefined): Promise<ServerHealth> {
  if (url === undefined) return unreachableServer('No server has run on this database yet.')
  if (!URL.canParse(url)) return unreachableServer(`"${url}" is no URL.`)
  const origin = reachable(url)
  try {
    const { statusCode, body } = await get(`${origin}/healthz`)
    const { status, backup, log, error } = JSON.parse(body) as Partial<ServerHealth>
    if (statusCode === 200 && status === 'ok')
      return { url: origin, status, ...(backup && { backup }), ...(log && { log }) }
    return { url: origin, status: 'failing', error: error ?? `${origin} answered ${statusCode}.` }
  } catch (error) {
    const { name, code = name } = error as { name: string; code?: string }
    return {
      url: origin,
      status: 'unreachable',
      error: `${origin} does not respond as a daybook server (${code}).`,
    }
  }
}

/** Unlike `fetch`, ignores proxies of the environment, which cannot reach this machine. */
async function get(url: string): Promise<{ statusCode: number | undefined; body: string }> {
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  // Imported on demand: a static import would delay the start of every other command.
  const { get: request } = await (url.startsWith('https:') ? import('node:https') : import('node:http'))
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request(url, { signal }, resolve).on('error', reject)
  })
  return { statusCode: response.statusCode, body: await text(response) }
}
