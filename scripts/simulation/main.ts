/**
 * Simulates a server, its clients and its faults from a seed, in one process and without real time. `--seed N` runs one
 * seed, and `--seeds N` that many from there on; `--days D` is how much time passes, `--steps S` how much happens.
 * `--trace` prints everything, `--first` ends with the first failure. A failing seed is run again with ever fewer steps: the shortest trace that still fails
 * is printed, and the exit code is 1. The same seed always gives the same trace, whose digest is printed.
 */
import { parseArgs } from 'node:util'
import { type RunOptions, type RunResult, simulate } from '../../test/simulation/run.ts'
import { shrink } from '../../test/simulation/shrink.ts'

const { values: flags } = parseArgs({
  options: {
    seed: { type: 'string' },
    seeds: { type: 'string' },
    days: { type: 'string' },
    steps: { type: 'string' },
    only: { type: 'string' },
    trace: { type: 'boolean' },
    first: { type: 'boolean' },
    'no-shrink': { type: 'boolean' },
  },
})
const integer = (text: string | undefined, fallback: number): number => {
  const value = Number(text ?? fallback)
  if (!Number.isInteger(value) || value < 0) throw new Error(`${text} is not an integer`)
  return value
}

const first = integer(flags.seed, Math.floor(Math.random() * 2 ** 31))
const days = integer(flags.days, 40)
const steps = integer(flags.steps, 2_000)
const only = flags.only === undefined ? undefined : new Set(flags.only.split(',').map(Number))
const say = (line: string) => process.stdout.write(`${line}\n`)

function report(options: RunOptions, { failure, trace, logged }: RunResult): void {
  const chosen = options.only ? ` --only ${[...options.only]}` : ''
  say(
    flags.trace
      ? trace.join('\n')
      : trace
          .slice(-60)
          .map((line) => line.slice(0, 300))
          .join('\n'),
  )
  if (logged.length > 0) say(`log:\n${logged.join('').trimEnd().split('\n').slice(-10).join('\n')}`)
  say(failure ?? '')
  say(`bun run simulate --seed ${options.seed} --days ${options.days} --steps ${options.steps}${chosen}`)
}

let failed = 0
for (let seed = first; seed < first + integer(flags.seeds, 1); seed++) {
  const options: RunOptions = { seed, steps, days, ...(only && { only }) }
  const began = performance.now()
  const result = await simulate(options)
  const counts = Object.entries(result.counts).map(([name, count]) => `${name} ${count}`)
  const seconds = ((performance.now() - began) / 1_000).toFixed(1)
  say(`seed ${seed}: ${result.failure === undefined ? 'ok' : 'FAILED'}, ${seconds} s, ${result.digest}`)
  if (flags.trace && result.failure === undefined) say(`${result.trace.join('\n')}\n${counts.join(', ')}`)
  if (result.failure === undefined) continue
  failed += 1
  const least = flags['no-shrink'] ? { options, result } : await shrink(options, result)
  report(least.options, least.result)
  if (flags.first) break
}
if (failed > 0) process.exit(1)
