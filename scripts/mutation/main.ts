/**
 * Mutation testing: changes the sources of a subject in one place at a time and runs the tests that should notice.
 * `bun run mutation [subject…]`; without one, all subjects. `--file PATH` takes the mutants of one source. `--sample N`
 * takes N mutants of each subject (all by default), chosen by `--seed S`. Prints the survivors and the score, and exits
 * 1 below 85 %.
 *
 * A mutant costs one or two seconds: it meets only the test files that run its line, the quickest first, until one
 * fails. A mutant that no test runs survives. It works in a copy of the repository, so that threads and processes of the
 * tests run the mutant too. A mutant that `equivalent.ts` names is not counted. A test that takes too long only kills a
 * mutant if it then passes in time without it, because other work of the machine delays tests, too.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { Glob } from 'bun'
import { copyRepository } from '../lib/copy.ts'
import { Random } from '../lib/random.ts'
import { type Coverage, coverageOf, runTest } from './coverage.ts'
import { EQUIVALENT, type Equivalent } from './equivalent.ts'
import { applied, type Mutant, mutantsOf } from './mutants.ts'
import { SUBJECTS, type Subject } from './subjects.ts'

const WANTED_SCORE = 0.85

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: { file: { type: 'string' }, sample: { type: 'string' }, seed: { type: 'string' } },
})
const say = (line: string) => process.stdout.write(`${line}\n`)

interface Candidate extends Mutant {
  readonly path: string
}

const isSame = ({ path, line, change }: Equivalent, candidate: Candidate): boolean =>
  path === candidate.path && change === candidate.description && line === candidate.lineText

function candidatesOf(folder: string, { files }: Subject): Candidate[] {
  const paths = files.flatMap((pattern) => [...new Glob(pattern).scanSync(folder)]).toSorted()
  const all = paths.flatMap((path) =>
    mutantsOf(path, readFileSync(join(folder, path), 'utf8')).map((mutant) => ({ ...mutant, path })),
  )
  const stale = EQUIVALENT.filter(
    (known) => paths.includes(known.path) && !all.some((mutant) => isSame(known, mutant)),
  )
  for (const { path, line, change } of stale)
    throw new Error(`equivalent.ts names ${change} in ${path}, which no longer has ${JSON.stringify(line)}`)
  return all
    .filter(({ path }) => flags.file === undefined || path === flags.file)
    .filter((mutant) => !EQUIVALENT.some((known) => isSame(known, mutant)))
}

function sampled(candidates: readonly Candidate[]): readonly Candidate[] {
  const random = new Random(Number(flags.seed ?? 20_261_121))
  const left = [...candidates]
  const count = Math.min(Number(flags.sample ?? left.length), left.length)
  while (left.length > count) left.splice(random.below(left.length), 1)
  return left
}

/** Whether a test that runs the line of the mutant fails in the copy. */
function isKilled(folder: string, candidate: Candidate, coverage: readonly Coverage[]): boolean {
  const files = coverage.filter(({ lines }) => lines.has(`${candidate.path}:${candidate.line}`))
  const file = join(folder, candidate.path)
  const text = readFileSync(file, 'utf8')
  const runMutated = ({ test, ms }: Coverage) => {
    writeFileSync(file, applied(text, candidate))
    try {
      return runTest(folder, test, ms)
    } finally {
      writeFileSync(file, text)
    }
  }
  return files.some((covering) => {
    const outcome = runMutated(covering)
    return outcome === 'late'
      ? runTest(folder, covering.test, covering.ms) === 'passed'
      : outcome === 'failed'
  })
}

/** The half-width of the 95 % confidence interval of a share that was found in a sample. */
function margin(share: number, count: number, all: number): number {
  const correction = all > 1 ? (all - count) / (all - 1) : 0
  return 1.96 * Math.sqrt(((share * (1 - share)) / Math.max(1, count)) * correction)
}

const percent = (share: number) => `${(share * 100).toFixed(1)} %`

/** Returns the share of mutants that the tests notice. */
function score(folder: string, name: string, subject: Subject): number {
  const all = candidatesOf(folder, subject)
  const candidates = sampled(all)
  const coverage = coverageOf(folder, subject.tests)
  const began = performance.now()
  let killed = 0
  for (const candidate of candidates)
    if (isKilled(folder, candidate, coverage)) killed += 1
    else
      say(
        `survives: ${candidate.path}:${candidate.line}: ${candidate.description}  in  ${candidate.lineText}`,
      )
  const share = candidates.length === 0 ? 1 : killed / candidates.length
  const seconds = ((performance.now() - began) / 1_000 / Math.max(1, candidates.length)).toFixed(1)
  const range =
    candidates.length < all.length ? ` ± ${percent(margin(share, candidates.length, all.length))}` : ''
  say(
    `${name}: ${killed} of ${candidates.length} killed, ${percent(share)}${range}; ${all.length} in all, ${seconds} s each`,
  )
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
