/*
 * A probe of waiting times, in a separate process so that the measured load does not delay it: `bun stall-probe.ts
 * <port> <pid> <key> <note> <row>`. Two loops, one of small reads and one of small writes, send one request after
 * another. For each line on standard input it prints the longest waits since the previous line, as `{read, write}` of
 * `{waitMs, mainMs, allMs, count, failed}`. `mainMs` and `allMs` are processor times during the longest wait, in steps
 * of 10 ms: of the server's main thread, and of all its threads. They distinguish a busy server from a busy machine.
 */
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'

const [port, pid, key, note, row] = process.argv.slice(2) as [string, string, string, string, string]
const url = `http://127.0.0.1:${port}`
const headers = { authorization: `Bearer ${key}` }
const PAUSE_MS = 3
const CLOCK_TICK_MS = 10

function processorMs(path: string): number {
  const stat = readFileSync(path, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * CLOCK_TICK_MS
}

const mainThreadMs = () => processorMs(`/proc/${pid}/task/${pid}/stat`)
const allThreadsMs = () => processorMs(`/proc/${pid}/stat`)

interface Longest {
  waitMs: number
  mainMs: number
  allMs: number
  count: number
  failed: number
}

const nothing = (): Longest => ({ waitMs: 0, mainMs: 0, allMs: 0, count: 0, failed: 0 })

class Probe {
  #longest = nothing()
  /** Resolves when the request in flight is counted. */
  #running: Promise<void> = Promise.resolve()

  constructor(readonly send: () => Promise<Response>) {
    void this.#loop()
  }

  async #loop(): Promise<never> {
    for (;;) {
      this.#running = this.#measure()
      await this.#running
      await Bun.sleep(PAUSE_MS)
    }
  }

  async #measure(): Promise<void> {
    const [started, main, all] = [performance.now(), mainThreadMs(), allThreadsMs()]
    let isGood = false
    try {
      const response = await this.send()
      await response.arrayBuffer()
      isGood = response.ok
    } catch {
      // Counted as failed.
    }
    const waitMs = performance.now() - started
    this.#longest.count += 1
    if (!isGood) this.#longest.failed += 1
    if (waitMs <= this.#longest.waitMs) return
    this.#longest.waitMs = waitMs
    this.#longest.mainMs = mainThreadMs() - main
    this.#longest.allMs = allThreadsMs() - all
  }

  /** Waits for the request in flight, which may be the longest. */
  async take(): Promise<Longest> {
    await this.#running
    const longest = this.#longest
    this.#longest = nothing()
    return longest
  }
}

let n = 0
const patch = (path: string, body: () => unknown) =>
  fetch(url + path, { method: 'PATCH', headers, body: JSON.stringify(body()) })

const read = new Probe(() => fetch(`${url}/v1/notes/${note}`, { headers }))
const write = new Probe(() => {
  n += 1
  return n % 2 === 0
    ? patch(`/v1/records/${row}`, () => ({ data: { n } }))
    : patch(`/v1/notes/${note}`, () => ({ pin_label: `label ${n}` }))
})

for await (const _ of createInterface({ input: process.stdin })) {
  const [longestRead, longestWrite] = await Promise.all([read.take(), write.take()])
  process.stdout.write(`${JSON.stringify({ read: longestRead, write: longestWrite })}\n`)
}
process.exit(0)
