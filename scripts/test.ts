/**
 * Runs the tests. `--long` uses the full counts of kills and random cases; other arguments go to `bun test`. The
 * executable that some tests start is built first when it is missing or older than its sources.
 */
import { availableParallelism } from 'node:os'
import { spawnSync } from 'bun'
import { buildWhenStale } from './executable.ts'

/** Enough on a busy machine, and still ends a test that hangs. */
const TIMEOUT_MS = { short: 60_000, long: 1_800_000 }
/** Tests wait for servers and browsers for a good part of their time, so there may be more processes than processors. */
const MOST_PROCESSES = 3

const given = process.argv.slice(2)
const isLong = given.includes('--long')

buildWhenStale()
const { exitCode } = spawnSync(
  [
    process.execPath,
    'test',
    `--timeout=${isLong ? TIMEOUT_MS.long : TIMEOUT_MS.short}`,
    // The files are spread over processes, the slowest first, as the last run measured them.
    `--parallel=${Math.min(2 * availableParallelism(), MOST_PROCESSES)}`,
    '--no-isolate',
    '--timings=dist/test-timings.json',
    '--update-timings',
    ...given.filter((argument) => argument !== '--long'),
  ],
  {
    stdio: ['inherit', 'inherit', 'inherit'],
    env: { ...process.env, ...(isLong && { DAYBOOK_TEST_LONG: '1' }) },
  },
)
if (exitCode !== 0) process.exit(1)
