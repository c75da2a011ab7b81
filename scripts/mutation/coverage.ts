import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
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

export type Outcome = 'passed' | 'failed' | 'late'

/** Runs a test file in a folder until its first failure. It is late after a multiple of its usual time. */
export function runTest(folder: string, test: string, usualMs: number, ...flags: string[]): Outcome {
  const timeout = Math.ceil(LEAST_MS + usualMs * SLOWER)
  const command = [process.execPath, 'test', '--bail', `--timeout=${Math.ceil(timeout / 2)}`, ...flags, test]
  const { exitCode, exitedDueToTimeout = false } = Bun.spawnSync(command, {
    cwd: folder,
    stdout: 'ignore',
    stderr: 'ignore',
    timeout,
    killSignal: 'SIGKILL',
  })
  if (exitedDueToTimeout) return 'late'
  return exitCode === 0 ? 'passed' : 'failed'
}

/** The lines that each test file runs, the quickest file first. Throws if a test fails. */
export function coverageOf(folder: string, tests: readonly string[]): Coverage[] {
  const files = tests.flatMap((path) =>
    path.endsWith('.ts') ? [path] : [...new Glob(`${path}/**/*.test.ts`).scanSync(folder)],
  )
  return files
    .filter((file) => !file.includes('.long.'))
    .map((file) => stored(folder, file) ?? measure(folder, file))
    .toSorted((one, other) => one.ms - other.ms)
}

/** The coverage of a test file as it is stored, valid while none of its files changes. */
interface Stored {
  readonly ms: number
  readonly lines: readonly string[]
  /** Of the test file, of all helpers of tests, and of every source that the test loads. */
  readonly digests: Readonly<Record<string, string>>
}

const STORE = 'dist/coverage'
const storeOf = (test: string) => join(STORE, `${test.replaceAll('/', '-')}.json`)

const digestOf = (path: string): string =>
  existsSync(path) ? Bun.hash(readFileSync(path)).toString(36) : 'missing'

function stored(folder: string, test: string): Coverage | undefined {
  if (!existsSync(storeOf(test))) return undefined
  const { ms, lines, digests }: Stored = JSON.parse(readFileSync(storeOf(test), 'utf8'))
  const isValid = Object.entries(digests).every(([path, digest]) => digestOf(join(folder, path)) === digest)
  return isValid ? { test, ms, lines: new Set(lines) } : undefined
}

function store(folder: string, { test, ms, lines }: Coverage, sources: readonly string[]): void {
  const helpers = [...new Glob(`{test/support,${dirname(test)}}/*.ts`).scanSync(folder)]
  const paths = [test, ...sources, ...helpers.filter((path) => !path.includes('.test.'))]
  const digests = Object.fromEntries(paths.map((path) => [path, digestOf(join(folder, path))]))
  mkdirSync(STORE, { recursive: true })
  writeFileSync(storeOf(test), JSON.stringify({ ms, lines: [...lines], digests } satisfies Stored))
}

function measure(folder: string, test: string): Coverage {
  const report = join(folder, 'coverage-of-test')
  const began = performance.now()
  const flags = ['--coverage', '--coverage-reporter=lcov', `--coverage-dir=${report}`]
  if (runTest(folder, test, USUAL_MS, ...flags) !== 'passed')
    throw new Error(`${test} fails without a mutant`)
  const ms = performance.now() - began
  const { sources, lines } = read(readFileSync(join(report, 'lcov.info'), 'utf8'), folder)
  rmSync(report, { recursive: true })
  const coverage = { test, ms, lines }
  store(folder, coverage, sources)
  return coverage
}

/** The sources that were loaded and the lines that ran, of a report in the format of LCOV. */
function read(report: string, folder: string): { sources: string[]; lines: Set<string> } {
  const sources: string[] = []
  const lines = new Set<string>()
  let path = ''
  for (const entry of report.split('\n')) {
    if (entry.startsWith('SF:')) {
      path = relative(folder, resolve(folder, entry.slice(3)))
      sources.push(path)
    }
    const [, line, hits] = /^DA:(\d+),(\d+)/.exec(entry) ?? []
    if (Number(hits) > 0) lines.add(`${path}:${line}`)
  }
  return { sources, lines }
}
