/**
 * Mutation testing: changes the sources of a subject in one place at a time and runs the tests that should notice.
 * `bun run mutation <subject>`; without one, all subjects. `--sample N` takes N mutants of each subject (all by
 * default), chosen by `--seed S`. Prints the survivors and the score, and exits 1 below 85 %.
 *
 * It works in a copy of the repository. A mutant that the equivalent ones (`equivalent.ts`) name is not counted.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { Glob } from 'bun'
import { copyRepository } from '../lib/copy.ts'
import { Random } from '../lib/random.ts'
import { EQUIVALENT } from './equivalent.ts'
import { applied, type Mutant, mutantsOf } from './mutants.ts'
import { SUBJECTS, type Subject } from './subjects.ts'

const WANTED_SCORE = 0.85
const TIMEOUT_MS = 120_000

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: { sample: { type: 'string' }, seed: { type: 'string' } },
})
const say = (line: string) => process.stdout.write(`${line}\n`)
const random = new Random(Number(flags.seed ?? 20_261_121))

interface Candidate extends Mutant {
  readonly path: string
}

/** Whether the tests of a subject pass in the copy. */
function passes(folder: string, { tests }: Subject): boolean {
  const command = [process.execPath, 'test', '--bail', `--timeout=${TIMEOUT_MS / 4}`, ...tests]
  const options = { cwd: folder, stdout: 'ignore', stderr: 'ignore', timeout: TIMEOUT_MS } as const
  return Bun.spawnSync(command, options).exitCode === 0
}

function candidatesOf({ files }: Subject): Candidate[] {
  const paths = files.flatMap((pattern) => [...new Glob(pattern).scanSync('.')]).toSorted()
  const all = paths.flatMap((path) =>
    mutantsOf(path, readFileSync(path, 'utf8')).map((mutant) => ({ ...mutant, path })),
  )
  const counted = all.filter(
    ({ path, description }) => !EQUIVALENT.some(([file, change]) => file === path && change === description),
  )
  const sample = Number(flags.sample ?? counted.length)
  while (counted.length > sample) counted.splice(random.below(counted.length), 1)
  return counted
}

/** Returns the share of mutants that the tests notice. */
function score(folder: string, name: string, subject: Subject): number {
  if (!passes(folder, subject)) throw new Error(`the tests of ${name} fail without a mutant`)
  const candidates = candidatesOf(subject)
  let killed = 0
  for (const candidate of candidates) {
    const text = readFileSync(candidate.path, 'utf8')
    const file = join(folder, candidate.path)
    writeFileSync(file, applied(text, candidate))
    if (passes(folder, subject))
      say(`survives: ${candidate.path}:${candidate.line}: ${candidate.description}`)
    else killed += 1
    writeFileSync(file, text)
  }
  const share = candidates.length === 0 ? 1 : killed / candidates.length
  say(`${name}: ${killed} of ${candidates.length} killed, ${(share * 100).toFixed(1)} %`)
  return share
}

const copy = copyRepository()
try {
  const names = positionals.length > 0 ? positionals : Object.keys(SUBJECTS)
  const scores = names.map((name) => {
    const subject = SUBJECTS[name]
    if (!subject) throw new Error(`${name} is no subject; there are ${Object.keys(SUBJECTS).join(', ')}`)
    return score(copy.path, name, subject)
  })
  if (scores.some((share) => share < WANTED_SCORE)) process.exitCode = 1
} finally {
  copy.remove()
}
