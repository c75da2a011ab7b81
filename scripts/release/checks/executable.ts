import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { executableOf, FOLDER, type Target } from '../targets.ts'
import { checkFormat } from './format.ts'
import { run } from './run.ts'

/** How to start an executable for another system on Linux on x64: the required files, and the command prefix. */
const RUNNERS: Readonly<Record<string, { needs: readonly string[]; command: readonly string[] }>> = {
  'linux-x64': { needs: [], command: [] },
  'linux-arm64': {
    needs: ['/usr/bin/qemu-aarch64-static', '/usr/aarch64-linux-gnu/lib/ld-linux-aarch64.so.1'],
    command: ['/usr/bin/qemu-aarch64-static', '-L', '/usr/aarch64-linux-gnu'],
  },
  'linux-x64-musl': {
    needs: ['/lib/ld-musl-x86_64.so.1', '/lib/x86_64-linux-musl/libstdc++.so.6'],
    command: [],
  },
  'linux-arm64-musl': {
    needs: [
      '/usr/bin/qemu-aarch64-static',
      '/usr/aarch64-linux-musl/lib/ld-musl-aarch64.so.1',
      '/usr/aarch64-linux-musl/lib/libstdc++.so.6',
    ],
    command: ['/usr/bin/qemu-aarch64-static', '-L', '/usr/aarch64-linux-musl'],
  },
}

/** Checks the format of an executable, and tests it as a user would if this machine can start it. */
export async function checkExecutable(target: Target): Promise<string> {
  const file = join(FOLDER, executableOf(target))
  checkFormat(target, await Bun.file(file).bytes())
  const runner = RUNNERS[target.name]
  if (process.platform !== 'linux' || process.arch !== 'x64' || !runner)
    return 'has the right format and embeds everything; not started'
  const missing = runner.needs.filter((path) => !existsSync(path))
  if (missing.length > 0) return `has the right format; not started, as there is no ${missing.join(', ')}`
  run([process.execPath, 'scripts/checks/smoke.ts', ...runner.command, file])
  return 'works'
}
