import { join } from 'node:path'
import { openDataset, temporaryFolder } from './dataset.ts'
import { type Server, startServer } from './servers.ts'

/*
 * A server whose structure `ticks` receives numbered rows, and many stream readers in a separate process.
 */

export interface Bench {
  server: Server
  key: string
}

const now = () => performance.timeOrigin + performance.now()

export async function begin(): Promise<Bench> {
  const file = join(temporaryFolder(), 'watch.db')
  const data = await openDataset(file)
  const fields = [{ key: 'n', type: 'number' }]
  const made = await data.fetch('/v1/records/structures', {
    method: 'POST',
    body: JSON.stringify({ name: 'ticks', fields }),
  })
  if (made.status !== 201) throw new Error(await made.text())
  data.close()
  return { server: await startServer(file), key: data.key }
}

export const requestOf = ({ key }: Bench, method: string, path: string, body = ''): string =>
  `${method} ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Length: ${body.length}\r\n\r\n${body}`

export const writeOf = (n: number): string => JSON.stringify({ structure: 'ticks', data: { n } })

export interface Readers {
  /** Ends the readers and returns what they received. */
  end(): Promise<{ query: number; n: number; at: number }[]>
}

/** Opens this many streams, using the requests in rotation; resolves once each has received an event of this name. */
export async function startReaders(
  { server }: Bench,
  streams: number,
  requests: readonly string[],
  event: 'answer' | 'change',
): Promise<Readers> {
  const result = join(temporaryFolder(), 'arrivals.json')
  const program = join(import.meta.dir, 'processes', 'stream-readers.ts')
  const child = Bun.spawn([process.execPath, program, String(server.port), String(streams), result, event], {
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'inherit',
  })
  child.stdin.write(`${JSON.stringify(requests)}\n`)
  await child.stdin.flush()
  const { value } = await child.stdout.getReader().read()
  if (Buffer.from(value ?? []).toString() !== 'ready\n') throw new Error('the readers did not start')
  return {
    end: async () => {
      await child.stdin.end()
      await child.exited
      return await Bun.file(result).json()
    },
  }
}

/** Writes numbered rows at a fixed rate; returns the acknowledgement time of each. */
export async function writeSteadily(
  { server, key }: Bench,
  perSecond: number,
  seconds: number,
): Promise<number[]> {
  const written: number[] = []
  const sent: Promise<void>[] = []
  const started = performance.now()
  for (let n = 0; n < perSecond * seconds; n++) {
    const due = started + (n * 1000) / perSecond
    if (due > performance.now()) await Bun.sleep(due - performance.now())
    const answer = fetch(`http://127.0.0.1:${server.port}/v1/records`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}` },
      body: writeOf(n),
    })
    sent.push(
      answer.then(async (response) => {
        written[n] = now()
        await response.arrayBuffer()
      }),
    )
  }
  await Promise.all(sent)
  return written
}
