/**
 * Runs the tests. `--long` uses the full counts of kills and random cases; other arguments go to `bun test`. The
 * executable that some tests start is built first when it is missing or older than its sources.
 */
import { spawnSync } from 'bun'
import { buildWhenStale } from './executable.ts'

/** Enough on a busy machine, and still ends a test that hangs. */
const TIMEOUT_MS = 60_000

const given = process.argv.slice(2)
const isLong = given.includes('--long')

buildWhenStale()
const { exitCode } = spawnSync(
  [
    process.execPath,
    'test',
    '--timeout',
    String(TIMEOUT_MS),
    ...given.filter((argument) => argument !== '--long'),
  ],
  {
    stdio: ['inherit', 'inherit', 'inherit'],
    env: { ...process.env, ...(isLong && { DAYBOOK_TEST_LONG: '1' }) },
  },
)
if (exitCode !== 0) process.exit(1)
