/**
 * Puts the executable under a mixed load with faults thrown in, keeps a ledger of what was acknowledged, and holds
 * it against what is there in the end. `--minutes N` (10), `--seed S`; the same seed makes the same choices, though
 * not at the same moments. `--executable FILE` takes another than dist/daybook, `--faketime FILE` names libfaketime
 * where it is not installed. Exits 1 with the first differences.
 */
import { parseArgs } from 'node:util'
import { newFolder } from '../../test/support/process.ts'
import { buildWhenStale } from '../executable.ts'
import { Soak } from './soak.ts'

const { values: flags } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    seed: { type: 'string' },
    executable: { type: 'string' },
    faketime: { type: 'string' },
  },
})
const minutes = Number(flags.minutes)
const seed = Number(flags.seed ?? Math.floor(Math.random() * 2 ** 31))
if (!(minutes > 0) || !Number.isInteger(seed)) throw new Error('--minutes is a number and --seed an integer')

if (flags.executable === undefined) buildWhenStale()
const say = (line: string) => process.stdout.write(`${line}\n`)
say(`bun run soak --minutes ${minutes} --seed ${seed}`)
const folder = newFolder()
const soak = new Soak({
  executable: flags.executable ?? 'dist/daybook',
  folder: folder.path,
  durationMs: minutes * 60_000,
  seed,
  faketime: flags.faketime,
})

/** Says what was found so far; nothing stays, not the disk either. */
async function end(exitCode: number): Promise<never> {
  say(soak.lines.join('\n'))
  await soak.clear()
  folder.remove()
  process.exit(exitCode)
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void end(1))
try {
  await soak.run()
} catch (error) {
  say(`The soak broke off: ${error instanceof Error ? error.stack : error}`)
  await end(1)
}
await end(soak.findings.isGood ? 0 : 1)
