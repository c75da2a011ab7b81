import type { Respond } from '../../clients/mcp/stdio/messages.ts'
import { readConfig, readKey } from '../../config.ts'
import { contextOn } from '../../context.ts'
import { systemClock } from '../../lib/clock.ts'
import { createLog } from '../../lib/log.ts'
import { fail, Refusal } from '../../lib/refusal.ts'
import { createAuthenticate } from '../../people/accounts/keys.ts'
import { credentials } from '../../people/sessions/sessions.ts'
import type { Db } from '../../storage/database.ts'
import { type Command, checkedBaseUrl, DB_FLAG, flag, type Input, textFlag, WrongUsage } from '../command.ts'
import type { Io } from '../io.ts'
import { withDatabase } from '../open-database.ts'
import { STDIN, textOf } from '../read-input.ts'

const messages = () => import('../../clients/mcp/stdio/messages.ts')
const local = () => import('../../clients/mcp/stdio/local.ts')

/** The maximum body of an HTTP request. */
const MAX_LINE = 10_485_760

async function* linesOf(io: Io): AsyncGenerator<string> {
  let rest = ''
  for await (const chunk of textOf(io, STDIN)) {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop() ?? ''
    if (rest.length > MAX_LINE)
      throw new Refusal('too_large', 'A message is longer than 10 MiB; send smaller messages.')
    yield* lines
  }
  yield rest
}

async function serve(io: Io, respond: Respond): Promise<number> {
  const { serveLines } = await messages()
  await serveLines({ lines: linesOf(io), write: (line) => io.write(Buffer.from(line)) }, respond)
  return 0
}

const invalidKey = () =>
  new Refusal('unauthorized', 'The API key in DAYBOOK_KEY is not valid, or was revoked, or has expired.')

async function serveDatabase(io: Io, db: Db, key: string, input: Input): Promise<number> {
  const log = createLog('silent', systemClock, () => {})
  const config = readConfig(io.env, { db: textFlag(input, 'db') })
  const ctx = contextOn({ config, db, clock: systemClock, log, credentials })
  const authenticate = createAuthenticate(ctx)
  const caller = () => authenticate(key) ?? fail(invalidKey())
  try {
    caller()
    const { localResponder } = await local()
    return await serve(io, localResponder(ctx, caller))
  } finally {
    await ctx.kernel.close()
  }
}

export const mcp: Command = {
  name: 'mcp',
  summary: 'Serve an agent over MCP on standard input and output.',
  flags: [flag('--url <url>', 'the address of a daybook to work on, instead of a database'), DB_FLAG],
  remarks: [
    'The API key in DAYBOOK_KEY decides the workspace and whether the agent may write.',
    'Works while a server runs. A server offers the same at /mcp.',
  ],
  examples: [
    'DAYBOOK_KEY=dbk_… daybook mcp --db daybook.db',
    'DAYBOOK_KEY=dbk_… daybook mcp --url https://daybook.example.com',
  ],
  run: async (input, io) => {
    const key = readKey(io.env, {})
    if (key === undefined) throw new WrongUsage('"mcp" needs an API key in DAYBOOK_KEY.')
    const url = textFlag(input, 'url')
    if (url === undefined) return withDatabase(input, io, (db) => serveDatabase(io, db, key, input))
    if (textFlag(input, 'db') !== undefined) throw new WrongUsage('"mcp" takes --url or --db, not both.')
    const { remoteResponder } = await import('../../clients/mcp/stdio/messages.ts')
    return serve(io, remoteResponder({ url: checkedBaseUrl(url), key }))
  },
}
