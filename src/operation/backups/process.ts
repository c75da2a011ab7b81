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

/** The longest line that a process may send, in characters. */
const MAX_LINE = 65_536
/** The most of what a failed process wrote to standard error, from its end, in characters. */
const MAX_FAILURE = 2_000

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

/**
 * Starts an internal command. It ends when this process does, because its standard input closes. A process that cannot
 * be started, for example while the system has no more file descriptors, counts as one that ended.
 */
function start<Received, Sent>(
  { backup, checkpoint }: AppContext['config'],
  command: string,
  order: object,
  onMessage: (message: Received) => void,
): MessagedProcess<Sent> {
  const child = spawned(() =>
    Bun.spawn([...ownCommand(), command], {
      env: { ...backup?.environment, DAYBOOK_CHECKPOINT: checkpoint },
      stdin: 'pipe',
      stdout: 'pipe',
      stderr: 'pipe',
    }),
  )
  if (child instanceof Error) return { ...notStarted(child), send: () => {} }
  const send = (message: object) => {
    try {
      // Both are rejected once the process has ended, which `failure` reports.
      Promise.resolve(child.stdin.write(`${JSON.stringify(message)}\n`)).catch(() => {})
      Promise.resolve(child.stdin.flush()).catch(() => {})
    } catch {
      // Thrown in place of a rejection where the pipe is closed already.
    }
  }
  send(order)
  const { failure, kill } = processOf(child)
  const messages = readMessages(child.stdout, onMessage).catch((error) => {
    kill()
    return `the process sent something else than messages (${(error as Error).message})`
  })
  return {
    failure: messages.then(async (problem) => problem ?? (await failure)),
    kill,
    send: (message) => send(message as object),
  }
}

/** Throws for a line that is no JSON or too long. */
async function readMessages<Message>(
  output: ReadableStream<Uint8Array>,
  onMessage: (message: Message) => void,
): Promise<undefined> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const part of output) {
    const lines = (text + decoder.decode(part, { stream: true })).split('\n')
    text = lines.pop() ?? ''
    if (text.length > MAX_LINE) throw new Error(`a line of over ${MAX_LINE} characters`)
    for (const line of lines) onMessage(JSON.parse(line))
  }
}

/** Copies the database to the file with the command `backup`, for a download. */
export function startCopy(db: string, file: string, checkpoint: string): BackupProcess {
  const child = spawned(() =>
    Bun.spawn([...ownCommand(), 'backup', file, '--db', db], {
      env: { DAYBOOK_CHECKPOINT: checkpoint },
      stdin: 'ignore',
      stdout: 'ignore',
      stderr: 'pipe',
    }),
  )
  return child instanceof Error ? notStarted(child) : processOf(child)
}

/** The error of a process that could not be started. */
function spawned<Child>(spawn: () => Child): Child | Error {
  try {
    return spawn()
  } catch (error) {
    return error as Error
  }
}

const notStarted = ({ message }: Error): BackupProcess => ({
  failure: Promise.resolve(`the process could not be started (${message})`),
  kill: () => {},
})

function processOf(child: Bun.Subprocess<'pipe' | 'ignore', 'pipe' | 'ignore', 'pipe'>): BackupProcess {
  const failure = async () => {
    const [errors, exitCode] = await Promise.all([child.stderr.text(), child.exited])
    return exitCode === 0
      ? undefined
      : errors.trim().slice(-MAX_FAILURE) || `the process ended with ${exitCode}`
  }
  return { failure: failure(), kill: () => child.kill('SIGKILL') }
}
