import { readFileSync, rmSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { Glob } from 'bun'

/** The lines that one test file runs. */
export interface Coverage {
  readonly test: string
  readonly ms: number
  /** Paths and line numbers, as `path:line`. */
  readonly lines: ReadonlySet<string>
}

/** A test that takes longer than this many times its usual time does not end. */
const SLOWER = 10
const LEAST_MS = 15_000
const USUAL_MS = 60_000

/** Whether test files pass in a folder; they stop at the first failure. */
export function runTests(
  folder: string,
  tests: readonly string[],
  usualMs: number,
  ...flags: string[]
): boolean {
  const timeout = Math.ceil(LEAST_MS + usualMs * SLOWER)
  const command = [
    process.execPath,
    'test',
    '--bail',
    `--timeout=${Math.ceil(timeout / 2)}`,
    ...flags,
    ...tests,
  ]
  const { exitCode } = Bun.spawnSync(command, {
    cwd: folder,
    stdout: 'ignore',
    stderr: 'ignore',
    timeout,
    killSignal: 'SIGKILL',
  })
  return exitCode === 0
}

/** The lines that each test file runs, the quickest file first. Throws if a test fails. */
export function coverageOf(folder: string, tests: readonly string[]): Coverage[] {
  const files = tests.flatMap((path) =>
    path.endsWith('.ts') ? [path] : [...new Glob(`${path}/**/*.test.ts`).scanSync(folder)],
  )
  return files
    .filter((file) => !file.includes('.long.'))
    .map((file) => measure(folder, file))
    .toSorted((one, other) => one.ms - other.ms)
}

function measure(folder: string, test: string): Coverage {
  const report = join(folder, 'coverage-of-test')
  const began = performance.now()
  const flags = ['--coverage', '--coverage-reporter=lcov', `--coverage-dir=${report}`]
  if (!runTests(folder, [test], USUAL_MS, ...flags)) throw new Error(`${test} fails without a mutant`)
  const ms = performance.now() - began
  const lines = linesIn(readFileSync(join(report, 'lcov.info'), 'utf8'), folder)
  rmSync(report, { recursive: true })
  return { test, ms, lines }
}

/** The lines that ran, of a report in the format of LCOV. */
function linesIn(report: string, folder: string): Set<string> {
  const lines = new Set<string>()
  let path = ''
  for (const entry of report.split('\n')) {
    if (entry.startsWith('SF:')) path = relative(folder, resolve(folder, entry.slice(3)))
    const [, line, hits] = /^DA:(\d+),(\d+)/.exec(entry) ?? []
    if (Number(hits) > 0) lines.add(`${path}:${line}`)
  }
  return lines
}
