/**
 * Reintroduces each bug of `test/simulation/bugs.ts` into a copy of the repository, and simulates until a seed fails.
 * `--seeds N` is the most seeds for one bug (200), `--steps S` their length (400). Exits 1 if a bug stays unseen.
 */
import { parseArgs } from 'node:util'
import { BUGS, type Bug, reintroduce } from '../../test/simulation/bugs.ts'
import { copyRepository } from '../lib/copy.ts'

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: { seeds: { type: 'string' }, steps: { type: 'string' } },
})
const say = (line: string) => process.stdout.write(`${line}\n`)

/** Returns the first failing seed and its failure; undefined if none fails. */
function findIn(folder: string, bug: Bug): { seed: string; failure: string } | undefined {
  const repair = reintroduce(folder, bug)
  const command = ['scripts/simulation/main.ts', '--seed', '1', '--seeds', flags.seeds ?? '200', '--first']
  const { stdout } = Bun.spawnSync(
    [process.execPath, ...command, '--no-shrink', '--steps', flags.steps ?? '400'],
    { cwd: folder, stderr: 'inherit' },
  )
  repair()
  const lines = stdout.toString().split('\n')
  const failed = lines.find((line) => line.includes('FAILED'))
  const failure = lines.findLast((line) => /^\w*(?:Violation|Error): /.test(line)) ?? ''
  return failed === undefined ? undefined : { seed: failed.split(':')[0] ?? '', failure }
}

/** All, or those whose names contain an argument. */
const chosen = BUGS.filter(
  ({ name }) => positionals.length === 0 || positionals.some((part) => name.includes(part)),
)
const copy = copyRepository()
let unseen = 0
try {
  for (const bug of chosen) {
    const found = findIn(copy.path, bug)
    if (!found) unseen += 1
    say(`${bug.name}: ${found ? `${found.seed}: ${found.failure}` : 'NOT FOUND'}`)
  }
} finally {
  copy.remove()
}
if (unseen > 0) process.exit(1)
