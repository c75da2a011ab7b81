import type { Io } from './io.ts'

/* Processes of the server that take an order, and talk with the server in one JSON object per line. */

/**
 * The first line of standard input; `handle` gets those that follow. The process ends as soon as the server closes it: two
 * processes must never work at one target.
 */
export async function readOrder<Order, Message>(io: Io, handle: (message: Message) => void): Promise<Order> {
  const { promise, resolve } = Promise.withResolvers<Order>()
  let take: (line: string) => void = (line) => {
    resolve(JSON.parse(line))
    take = (next) => handle(JSON.parse(next))
  }
  const read = async () => {
    let text = ''
    for await (const part of io.readChunks()) {
      const lines = (text + Buffer.from(part).toString()).split('\n')
      text = lines.pop() ?? ''
      for (const line of lines) take(line)
    }
    io.endWithin(0, 1)
  }
  void read()
  return promise
}

/** Reports to the server. `end` ends the process once everything is written. */
export function reporter<Message>(io: Io): { report(message: Message): void; end(exitCode?: number): void } {
  let written: Promise<unknown> = Promise.resolve()
  return {
    report: (message) => {
      written = io.write(Buffer.from(`${JSON.stringify(message)}\n`))
    },
    end: (exitCode = 0) => void written.then(() => io.endWithin(0, exitCode)),
  }
}
