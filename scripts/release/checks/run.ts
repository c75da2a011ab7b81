import { spawn, spawnSync, which } from 'bun'

interface Options {
  cwd?: string
  env?: Record<string, string | undefined>
}

/** Runs a program to its end and returns its output. Throws if it fails. */
export function run(command: readonly string[], { cwd, env = process.env }: Options = {}): string {
  const { success, stdout, stderr } = spawnSync([...command], {
    ...(cwd !== undefined && { cwd }),
    env,
    stderr: 'pipe',
  })
  if (!success) throw new Error(`${command.join(' ')} failed: ${stdout}${stderr}`)
  return stdout.toString()
}

export const isInstalled = (...programs: string[]): boolean =>
  programs.every((program) => which(program, { PATH: `${process.env.PATH}:/usr/sbin:/sbin` }) !== null)

/** Starts a server, uses it, and stops it with SIGTERM. Throws unless it ends cleanly. */
export async function useServer(
  command: readonly string[],
  options: Options,
  use: (url: string, key: string) => Promise<void>,
): Promise<void> {
  const child = spawn([...command], { ...options, env: options.env ?? {}, stdout: 'pipe', stderr: 'pipe' })
  const decoder = new TextDecoder()
  const waitFor = async (stream: ReadableStream<Uint8Array>, pattern: RegExp): Promise<string> => {
    let text = ''
    for await (const chunk of stream) {
      text += decoder.decode(chunk, { stream: true })
      const [found] = pattern.exec(text) ?? []
      if (found !== undefined) return found
    }
    throw new Error(`The server ended without ${pattern}: ${text}`)
  }
  try {
    const [url, key] = await Promise.all([
      waitFor(child.stdout, /http:\/\/\S+(?=\n)/),
      waitFor(child.stderr, /dbk_[\w-]{43}/),
    ])
    await use(url, key)
  } finally {
    child.kill('SIGTERM')
  }
  const exitCode = await child.exited
  if (exitCode !== 0) throw new Error(`The server exited ${exitCode} after SIGTERM.`)
}

/** Writes a note and finds it by search. */
export async function useNotes(url: string, key: string): Promise<void> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ title: 'Try', content: 'A chimney on the roof.' })
  const created = await fetch(`${url}/v1/notes`, { method: 'POST', headers, body })
  const found = await fetch(`${url}/v1/notes?search=chimney`, { headers })
  const { total } = (await found.json()) as { total?: number }
  if (created.status !== 201 || total !== 1)
    throw new Error(`A note: ${created.status}, found ${total} times.`)
}
