import { commandCaller } from '../../src/cli/open-database.ts'
import { runDaybook } from '../../src/cli/run.ts'
import { getWorkspaceOrOnly } from '../../src/people/accounts/workspaces.ts'
import type { Outcome } from './process.ts'
import type { TestService } from './service.ts'

/** The caller of the command line, in the only workspace of the service. */
export const callerOf = ({ ctx }: TestService) => commandCaller(getWorkspaceOrOnly(ctx.db, undefined))

export interface InProcessOptions {
  env?: Record<string, string>
  input?: string | Uint8Array
  isInputTerminal?: boolean
  /** Whether commands that run until a signal never get one; by default they get it at once. */
  hasNoSignal?: boolean
}

/** Runs one command in this process: the same code as the executable, without the cost of a process start. */
export async function runInProcess(args: string[], options: InProcessOptions = {}): Promise<Outcome> {
  const printed = { out: '', err: '' }
  const exitCode = await runDaybook(args, {
    env: options.env ?? {},
    out: (text) => {
      printed.out += text
    },
    write: async (data) => {
      printed.out += Buffer.from(data).toString()
      return true
    },
    err: (text) => {
      printed.err += text
    },
    readSecret: async () => String(options.input ?? ''),
    readAll: async () => Buffer.from(options.input ?? ''),
    status: (text) => {
      printed.err += text
    },
    isTerminal: false,
    isInputTerminal: options.isInputTerminal ?? false,
    readChunks: async function* () {
      yield Buffer.from(options.input ?? '')
    },
    untilSignal: () => (options.hasNoSignal ? new Promise(() => {}) : Promise.resolve()),
    yieldProcessor: () => {},
    endWithin: () => {},
    killAfter: () => {},
  })
  return { exitCode, ...printed }
}
