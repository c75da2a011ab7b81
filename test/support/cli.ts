import { getWorkspaceOrOnly } from '../../src/account/workspaces.ts'
import { commandCaller } from '../../src/cli/open-database.ts'
import { runDaybook } from '../../src/cli/run.ts'
import type { Outcome } from './process.ts'
import type { TestService } from './service.ts'

/** Whoever works on the command line, in the only workspace of the service. */
export const callerOf = ({ ctx }: TestService) => commandCaller(getWorkspaceOrOnly(ctx.db, undefined))

export interface InProcessOptions {
  env?: Record<string, string>
  input?: string
}

/** Runs one command in this process: the same code as the executable, without the cost of starting one. */
export async function runInProcess(args: string[], options: InProcessOptions = {}): Promise<Outcome> {
  const printed = { out: '', err: '' }
  const exitCode = await runDaybook(args, {
    env: options.env ?? {},
    out: (text) => {
      printed.out += text
    },
    err: (text) => {
      printed.err += text
    },
    readSecret: async () => options.input ?? '',
    readAll: async () => Buffer.from(options.input ?? ''),
    isTerminal: false,
    untilAskedToEnd: async () => {},
    yieldProcessor: () => {},
    endWithin: () => {},
  })
  return { exitCode, ...printed }
}
