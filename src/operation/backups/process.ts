import type { BackupTargetSettings } from '../../backup-config.ts'
import type { AppContext } from '../../context.ts'
import { ownCommand } from '../../lib/program.ts'
import type { BackupMessage } from './run.ts'

/** The internal command that makes the backups of one target; it reads its order from standard input. */
export const RUN_BACKUPS = 'run-backups'

/** The task of the process, sent as one line of JSON, so that no secret is among its arguments or in its environment. */
export interface BackupOrder {
  readonly db: string
  readonly target: BackupTargetSettings
  readonly everyMs: number
  readonly keep: number
  readonly recipients: readonly string[]
  readonly drillEveryMs?: number | undefined
  readonly identity?: string | undefined
}

export interface BackupProcess {
  /** Resolves when the process has ended; with the reason if it failed without a message. */
  readonly failure: Promise<string | undefined>
  kill(): void
}

const MAX_LINE = 65_536

/** Starts the process for one target. It ends when this process does, because its standard input closes. */
export function startBackups(
  { backup, checkpoint }: AppContext['config'],
  order: BackupOrder,
  onMessage: (message: BackupMessage) => void,
): BackupProcess {
  const child = Bun.spawn([...ownCommand(), RUN_BACKUPS], {
    env: { ...backup?.environment, DAYBOOK_CHECKPOINT: checkpoint },
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  child.stdin.write(`${JSON.stringify(order)}\n`)
  void child.stdin.flush()
  const messages = readMessages(child.stdout, onMessage)
  const { failure, kill } = processOf(child)
  return { failure: messages.then(() => failure), kill }
}

async function readMessages(
  output: ReadableStream<Uint8Array>,
  onMessage: (message: BackupMessage) => void,
): Promise<void> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const part of output) {
    const lines = (text + decoder.decode(part, { stream: true })).split('\n')
    text = (lines.pop() ?? '').slice(0, MAX_LINE)
    for (const line of lines) onMessage(JSON.parse(line))
  }
}

/** Copies the database to the file with the command `backup`, for a download. */
export function startCopy(db: string, file: string, checkpoint: string): BackupProcess {
  const child = Bun.spawn([...ownCommand(), 'backup', file, '--db', db], {
    env: { DAYBOOK_CHECKPOINT: checkpoint },
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'pipe',
  })
  return processOf(child)
}

function processOf(child: Bun.Subprocess<'pipe' | 'ignore', 'pipe' | 'ignore', 'pipe'>): BackupProcess {
  const failure = async () => {
    const [said, exitCode] = await Promise.all([child.stderr.text(), child.exited])
    return exitCode === 0 ? undefined : said.trim() || `the process ended with ${exitCode}`
  }
  return { failure: failure(), kill: () => child.kill('SIGKILL') }
}
