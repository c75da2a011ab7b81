import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { spawn } from 'bun'
import { buildWhenStale } from '../../scripts/lib/executable.ts'
import { type Client, clientOf } from './service.ts'

const EXECUTABLE = resolve('dist/daybook')
const FROM_SOURCE = [process.execPath, '--max-http-header-size=131072', resolve('src/main.ts')]

type How = 'executable' | 'source'

let isBuilt = false

/**
 * The command that starts `daybook`. By default this is the released form, the executable, built first if it is older
 * than its sources. Running from the sources takes four times as long.
 */
export function program(how: How = 'executable'): string[] {
  if (how === 'source') return FROM_SOURCE
  if (!isBuilt) buildWhenStale()
  isBuilt = true
  return [EXECUTABLE]
}

/** Creates an empty folder; `remove` deletes it with its content. */
export function newFolder() {
  const path = mkdtempSync(join(tmpdir(), 'daybook-test-'))
  return {
    path,
    file: (name: string) => join(path, name),
    remove: () => rmSync(path, { recursive: true, force: true }),
  }
}

export interface Outcome {
  exitCode: number
  out: string
  err: string
}

/** Runs one command to its end; the environment holds only the given variables. */
export async function daybook(args: string[], options: RunOptions = {}): Promise<Outcome> {
  const child = spawn([...program(options.how), ...args], {
    cwd: options.cwd ?? tmpdir(),
    env: options.env ?? {},
    stdin: options.input === undefined ? 'ignore' : new Blob([options.input]),
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [out, err, exitCode] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  return { exitCode, out, err }
}

export interface RunOptions {
  how?: How
  /** An executable other than the build of these sources. */
  executable?: string
  cwd?: string
  env?: Record<string, string>
  input?: string
}

export interface StartOptions extends RunOptions {
  /** The limit of open files and connections. */
  maxOpenFiles?: number
}

/** Collects the output of a stream and allows waiting for more. */
function listenTo(stream: ReadableStream<Uint8Array>) {
  let text = ''
  const waiting = new Set<() => void>()
  const ended = (async () => {
    const decoder = new TextDecoder()
    for await (const chunk of stream) {
      text += decoder.decode(chunk, { stream: true })
      for (const wake of waiting) wake()
    }
    for (const wake of waiting) wake()
  })()
  let isOver = false
  void ended.then(() => {
    isOver = true
  })
  return {
    said: () => text,
    ended,
    /** Returns the first match in past or future output; fails if the stream ends without one. */
    until: async (pattern: RegExp): Promise<RegExpExecArray> => {
      for (;;) {
        const match = pattern.exec(text)
        if (match) return match
        if (isOver) throw new Error(`the stream ended without ${pattern}: ${text}`)
        await new Promise<void>((resolve) => {
          waiting.add(resolve)
          void ended.then(resolve)
        })
      }
    },
  }
}

/** A command that runs until it is ended. */
export interface CommandProcess {
  readonly pid: number
  readonly out: ReturnType<typeof listenTo>
  readonly err: ReturnType<typeof listenTo>
  /** The exit code, once the command has ended and all output is read (null when a signal killed it). */
  readonly exited: Promise<number | null>
  end(signal?: 'SIGTERM' | 'SIGINT' | 'SIGHUP' | 'SIGKILL'): Promise<number | null>
}

/** Starts one command; the environment holds only the given variables. */
export function startCommand(args: string[], options: StartOptions = {}): CommandProcess {
  const { maxOpenFiles } = options
  const limited = maxOpenFiles === undefined ? [] : ['sh', '-c', `ulimit -n ${maxOpenFiles}; exec "$0" "$@"`]
  const started = options.executable === undefined ? program(options.how) : [options.executable]
  const child = spawn([...limited, ...started, ...args], {
    cwd: options.cwd ?? tmpdir(),
    env: options.env ?? {},
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [out, err] = [listenTo(child.stdout), listenTo(child.stderr)]
  const exited = Promise.all([child.exited, out.ended, err.ended]).then(() =>
    child.signalCode === null ? child.exitCode : null,
  )
  const end = (signal: NodeJS.Signals = 'SIGINT') => {
    child.kill(signal)
    return exited
  }
  return { pid: child.pid, out, err, exited, end }
}

export interface ServerProcess extends Client {
  readonly url: string
  readonly pid: number
  /** The output so far. */
  readonly out: () => string
  readonly err: () => string
  /** The same server with another key. */
  as(key: string | undefined): Client
  /** The exit code, once the server has ended (null when a signal killed it). */
  readonly exited: Promise<number | null>
  /** Sends a signal and returns the exit code (null when the signal killed the server). */
  end(signal?: 'SIGTERM' | 'SIGINT' | 'SIGHUP' | 'SIGKILL'): Promise<number | null>
}

export interface ServeOptions extends StartOptions {
  args?: string[]
  /** The key for an existing database; a new database prints its own. */
  key?: string
}

/** Starts a real server on a free port and waits until it is ready. */
export async function startProcess(file: string, options: ServeOptions = {}): Promise<ServerProcess> {
  const args = ['serve', '--db', file, '--port', '0', ...(options.args ?? [])]
  const { pid, out, err, exited, end } = startCommand(args, options)
  const ready = await Promise.race([
    out.until(/listening on (http:\S+)\n/),
    exited.then((code) => {
      throw new Error(`the server exited ${code}: ${err.said()}`)
    }),
  ])
  const url = ready[1] ?? ''
  const key = options.key ?? (await err.until(/dbk_[\w-]{43}/))[0]
  const toServer = {
    fetch: (request: Request) => fetch(new Request(request.url.replace('http://localhost', url), request)),
  }
  const through = (other: string | undefined) => clientOf(toServer, other)
  return {
    ...through(key),
    url,
    pid,
    out: out.said,
    err: err.said,
    as: through,
    exited,
    end: (signal = 'SIGTERM') => end(signal),
  }
}
