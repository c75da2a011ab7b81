import { readFileSync } from 'node:fs'
import type { ServerProcess } from '../support/process.ts'

/**
 * Opens connections that send this beginning, then nothing, as far as the server accepts them. Returns how to close
 * them.
 */
export async function hold({ url }: ServerProcess, count: number, beginning: string) {
  const open = (socket: Bun.Socket) => void socket.write(beginning)
  const { hostname, port } = new URL(url)
  const tried = await Promise.allSettled(
    Array.from({ length: count }, () =>
      Bun.connect({ hostname, port: Number(port), socket: { open, data() {} } }),
    ),
  )
  return {
    close: () => {
      for (const one of tried) if (one.status === 'fulfilled') one.value.end()
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

/** The peak memory of a process, in MiB. */
export function peakMebibytes(pid: number): number {
  return Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_024
}
