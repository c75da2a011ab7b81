/**
 * Runs the tests: `--long` with the full counts of kills and random cases; everything else is handed to
 * `bun test`. The executable that some tests start is built first when it is missing or older than its sources.
 */
import { existsSync, statSync } from 'node:fs'
import { Glob, spawnSync } from 'bun'

const EXECUTABLE = 'dist/daybook'

function isStale(): boolean {
  if (!existsSync(EXECUTABLE)) return true
  const built = statSync(EXECUTABLE).mtimeMs
  const sources = ['src/**', 'drizzle/*.sql', 'package.json', 'bun.lock', 'scripts/build.ts'].flatMap(
    (pattern) => [...new Glob(pattern).scanSync('.')],
  )
  return sources.some((source) => statSync(source).mtimeMs > built)
}

function run(command: string[], env: Record<string, string> = {}): void {
  const { exitCode } = spawnSync([process.execPath, ...command], {
    stdio: ['inherit', 'inherit', 'inherit'],
    env: { ...process.env, ...env },
  })
  if (exitCode !== 0) process.exit(1)
}

const given = process.argv.slice(2)
const isLong = given.includes('--long')

if (isStale()) run(['scripts/build.ts'])
run(['test', ...given.filter((argument) => argument !== '--long')], isLong ? { DAYBOOK_TEST_LONG: '1' } : {})
