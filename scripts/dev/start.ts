/**
 * Starts daybook from its sources, for `bun run start`. SIGTERM ends npx at once, but no process passes it on to `bun
 * run`, which continues under another parent. The new parent is therefore a reason to stop, too.
 */
import { readFileSync } from 'node:fs'
import { spawnSync } from 'bun'

const POLL_MS = 250

function parentOf(pid: number): string | undefined {
  if (process.platform !== 'linux')
    return spawnSync(['ps', '-o', 'ppid=', '-p', String(pid)]).stdout.toString()
  try {
    return /^PPid:\s*(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  } catch {
    return undefined
  }
}

/** Sends this process a SIGTERM once the process that started `bun run` is gone. */
function stopWithStarter(): void {
  const runner = process.ppid
  const starter = parentOf(runner)
  const timer = setInterval(() => {
    if (parentOf(runner) === starter) return
    clearInterval(timer)
    process.kill(process.pid, 'SIGTERM')
  }, POLL_MS)
  timer.unref()
}

// Applies only to npx: a shell that started `bun run` may end first, as with nohup.
if (/^npm\//.test(process.env.npm_config_user_agent ?? '') && process.platform !== 'win32') stopWithStarter()
await import('../../src/main.ts')
// With --watch, Bun stays alive after the end and waits for the next file change.
process.once('beforeExit', () => process.exit())
