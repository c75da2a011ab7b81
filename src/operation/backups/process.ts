import type { BackupTargetSettings } from '../../backup-config.ts'
import type { AppContext } from '../../context.ts'
import { ownCommand } from '../../lib/program.ts'
import type { BackupMessage } from './run.ts'
import { type FromStream, STREAM_BACKUPS, type StreamOrder, type ToStream } from './stream/messages.ts'
import type { StreamBase } from './stream/segments.ts'

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
  /** Whether copies are made by the process that uploads the log (`stream/uploader.ts`). */
  readonly isStreamed?: boolean
}

/** The reply to a message `copyTo`. */
export type CopyReply = { readonly base: StreamBase } | { readonly failure: string }

export interface BackupProcess {
  /** Resolves when the process has ended; with the reason if it failed without a message. */
  readonly failure: Promise<string | undefined>
  kill(): void
}

/** A process that takes further messages. */
export interface MessagedProcess<Sent> extends BackupProcess {
  send(message: Sent): void
}

const MAX_LINE = 65_536

/** Starts the process that makes the backups of one target. */
export const startBackups = (
  config: AppContext['config'],
  order: BackupOrder,
  onMessage: (message: BackupMessage) => void,
): MessagedProcess<CopyReply> => start(config, RUN_BACKUPS, order, onMessage)

/** Starts the process that uploads the write-ahead log to one target. */
export const startStream = (
  config: AppContext['config'],
  order: StreamOrder,
  onMessage: (message: FromStream) => void,
): MessagedProcess<ToStream> => start(config, STREAM_BACKUPS, order, onMessage)

/** Starts an internal command. It ends when this process does, because its standard input closes. */
function start<Received, Sent>(
  { backup, checkpoint }: AppContext['config'],
  command: string,
  order: object,
  onMessage: (message: Received) => void,
): MessagedProcess<Sent> {
  const child = Bun.spawn([...ownCommand(), command], {
    env: { ...backup?.environment, DAYBOOK_CHECKPOINT: checkpoint },
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const send = (message: object) => {
    child.stdin.write(`${JSON.stringify(message)}\n`)
    // Rejected once the process has ended, which `failure` reports.
    Promise.resolve(child.stdin.flush()).catch(() => {})
  }
  send(order)
  const messages = readMessages(child.stdout, onMessage)
  const { failure, kill } = processOf(child)
  return { failure: messages.then(() => failure), kill, send: (message) => send(message as object) }
}

async function readMessages<Message>(
  output: ReadableStream<Uint8Array>,
  onMessage: (message: Message) => void,
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
    const [errors, exitCode] = await Promise.all([child.stderr.text(), child.exited])
    return exitCode === 0 ? undefined : errors.trim() || `the process ended with ${exitCode}`
  }
  return { failure: failure(), kill: () => child.kill('SIGKILL') }
}
