import { readFileSync } from 'node:fs'
import type { ServerProcess } from '../support/process.ts'

/** Connections that a test holds open. */
export interface Connections {
  /** How many bytes the system has taken for all of them. */
  readonly sentBytes: () => number
  /** The status lines that came back. */
  readonly statuses: () => string[]
  readonly close: () => void
}

const CHUNK = Buffer.alloc(1_048_576, ' ')

/** Opens connections that send this beginning, then `bytes` spaces as they are taken, then nothing. */
export async function hold(
  { url }: ServerProcess,
  count: number,
  beginning: string,
  bytes = 0,
): Promise<Connections> {
  const statuses: string[] = []
  let sent = 0
  const pump = (socket: Bun.Socket<{ left: number }>): void => {
    while (socket.data.left > 0) {
      const taken = socket.write(CHUNK.subarray(0, socket.data.left))
      if (taken <= 0) return
      socket.data.left -= taken
      sent += taken
    }
  }
  const sockets = await Promise.all(
    Array.from({ length: count }, () =>
      Bun.connect<{ left: number }>({
        hostname: '127.0.0.1',
        port: Number(new URL(url).port),
        data: { left: bytes },
        socket: {
          open: (socket) => {
            socket.write(beginning)
            pump(socket)
          },
          drain: pump,
          data: (_, chunk) => void statuses.push(chunk.toString().split('\r\n')[0] ?? ''),
        },
      }),
    ),
  )
  return {
    sentBytes: () => sent,
    statuses: () => statuses,
    close: () => {
      for (const socket of sockets) socket.end()
    },
  }
}

export const UNFINISHED = 'GET /v1/me HTTP/1.1\r\nHost: daybook\r\nX-More: '

/** The processor time that a process has used, in milliseconds. */
export function processorMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10
}

/** The most memory that a process has had, in MiB. */
export function peakMebibytes(pid: number): number {
  return Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_024
}
