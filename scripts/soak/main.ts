/**
 * Runs a mixed workload with fault injection against the executable. Records the expected state from the
 * acknowledgements, and compares it with the data at the end. `--minutes N` (10), `--seed S`: the same seed makes the
 * same choices, though not at the same moments. `--executable FILE` tests another executable than dist/daybook;
 * `--faketime FILE` is the path of libfaketime if it is not installed. Exits 1 with the first violations.
 *
 * `--workspaces N` simulates a month of N teams instead, in `--minutes` (60). `--earlier FILE` is the executable that
 * runs until the upgrade in the middle of the month.
 */
import { parseArgs } from 'node:util'
import { newFolder } from '../../test/support/process.ts'
import { buildWhenStale } from '../lib/executable.ts'
import { MonthRun } from './month/run.ts'
import { SoakRun } from './run.ts'

const { values: flags } = parseArgs({
  options: {
    minutes: { type: 'string' },
    workspaces: { type: 'string' },
    earlier: { type: 'string' },
    seed: { type: 'string' },
    executable: { type: 'string' },
    faketime: { type: 'string' },
  },
})
const workspaces = flags.workspaces === undefined ? undefined : Number(flags.workspaces)
const minutes = Number(flags.minutes ?? (workspaces === undefined ? 10 : 60))
const seed = Number(flags.seed ?? Math.floor(Math.random() * 2 ** 31))
if (!(minutes > 0) || !Number.isInteger(seed)) throw new Error('--minutes is a number and --seed an integer')

if (flags.executable === undefined) buildWhenStale()
const say = (line: string) => process.stdout.write(`${line}\n`)
const month = workspaces === undefined ? '' : ` --workspaces ${workspaces}`
say(`bun run soak${month} --minutes ${minutes} --seed ${seed}`)
const folder = newFolder()
const options = {
  executable: flags.executable ?? 'dist/daybook',
  folder: folder.path,
  durationMs: minutes * 60_000,
  seed,
  faketime: flags.faketime,
}
const run =
  workspaces === undefined
    ? new SoakRun(options)
    : new MonthRun({ ...options, workspaces, earlier: flags.earlier })

/** Prints the report and removes everything, the mounted disk included. */
async function end(exitCode: number): Promise<never> {
  say(run.lines.join('\n'))
  await run.clear()
  folder.remove()
  process.exit(exitCode)
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void end(1))
try {
  await run.run()
} catch (error) {
  say(`The soak was interrupted: ${error instanceof Error ? error.stack : error}`)
  await end(1)
}
await end(run.violations.isEmpty ? 0 : 1)
