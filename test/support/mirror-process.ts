import { daybook, startCommand } from './process.ts'
import { type Client, clientOf } from './service.ts'

/** A mirror in a separate process. */
export interface MirrorProcess extends Client {
  readonly url: string
  readonly pid: number
  readonly err: () => string
  readonly exited: Promise<number | null>
  end(signal?: 'SIGTERM' | 'SIGKILL'): Promise<number | null>
}

export interface MirrorOptions {
  readonly file: string
  readonly remote: string
  /** The key of the remote. */
  readonly key: string
  /** The key of the copy, for later starts; the first start prints it. */
  readonly ownKey?: string
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}

/** Starts a mirror on a free port, and waits until it serves its copy. */
export async function startMirror({
  file,
  remote,
  key,
  ownKey,
  args = [],
  env = {},
}: MirrorOptions): Promise<MirrorProcess> {
  const command = startCommand(['mirror', remote, '--db', file, '--port', '0', ...args], {
    env: { DAYBOOK_KEY: key, DAYBOOK_LOG_LEVEL: 'warn', ...env },
  })
  const { out, err, pid, exited } = command
  const ready = await out.until(/listening on (http:\S+)\n/).catch(async () => {
    throw new Error(`the mirror exited ${await exited}: ${err.said()}`)
  })
  const url = ready[1] ?? ''
  const readKey = ownKey ?? (await err.until(/dbk_[\w-]{43}/))[0]
  const fetchFrom = (request: Request) =>
    fetch(new Request(request.url.replace('http://localhost', url), request))
  return {
    ...clientOf({ fetch: fetchFrom }, readKey),
    url,
    pid,
    err: err.said,
    exited,
    end: (signal = 'SIGTERM') => command.end(signal),
  }
}

/** Returns the output of `mirror verify` for a copy, whether or not the mirror runs. */
export async function verifyMirror(file: string, key: string): Promise<{ exitCode: number; text: string }> {
  const { exitCode, out, err } = await daybook(['mirror', 'verify', '--db', file], {
    env: { DAYBOOK_KEY: key },
  })
  return { exitCode, text: out + err }
}
