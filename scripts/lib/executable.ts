import { existsSync, statSync } from 'node:fs'
import { Glob, spawnSync } from 'bun'
import { PACKED } from '../../src/http/web-app/names.ts'

const EXECUTABLE = 'dist/daybook'

function isStale(): boolean {
  if (!existsSync(EXECUTABLE) || !existsSync(`dist/${PACKED}`)) return true
  const built = statSync(EXECUTABLE).mtimeMs
  const sources = [
    'src/**',
    'drizzle/**/*.sql',
    'package.json',
    'bun.lock',
    'scripts/build.ts',
    'scripts/guide/**',
    'scripts/lib/version.ts',
  ].flatMap((pattern) => [...new Glob(pattern).scanSync('.')])
  return sources.some((source) => statSync(source).mtimeMs > built)
}

/** Builds the executable, and the application for it, when one is missing or older than its sources. */
export function buildWhenStale(): void {
  if (!isStale()) return
  const { exitCode } = spawnSync([process.execPath, 'scripts/build.ts'], {
    stdio: ['inherit', 'inherit', 'inherit'],
  })
  if (exitCode !== 0) process.exit(1)
}
