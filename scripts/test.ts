/**
 * Runs the tests. Files named `*.long.test.ts` and those of a browser take long: `--long` runs these instead of the
 * others. `--cases` runs all of them with the full counts of kills and random cases, which takes hours; `--cases=COUNT`
 * sets the number of histories, and `--seed=SEED` the first seed. Other arguments go to `bun test`: files that are named
 * are taken from either kind. The executable that some tests start is built first when it is missing or older than its
 * sources, and the threads of the sources are bundled.
 */
import { copyFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statfsSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { spawnSync } from 'bun'
import { buildWhenStale } from './lib/executable.ts'
import { bundleThreads } from './lib/threads.ts'

/** Enough on a busy machine, and still ends a test that hangs. */
const TIMEOUT_MS = { few: 120_000, many: 1_800_000 }
/**
 * Tests wait for servers, browsers and disks for a good part of their time, so there are more processes than processors.
 * Tests measure processor time, which other processes do not change.
 */
const MAX_PROCESSES = 3
const OWN = /^--(long|cases|seed)(=\d+)?$/
/** Milliseconds per file, as the last runs here measured them. */
const TIMINGS = 'dist/test-timings.json'
/** The same for the heaviest files, with which a new clone begins: started last, they would run alone. */
const FIRST_TIMINGS = 'test/heaviest-files.json'
/** A file system in memory, on which syncing a commit takes no time. */
const MEMORY = '/dev/shm'
const MIN_FREE_BYTES = 8 * 2 ** 30

const given = process.argv.slice(2)
const isLong = given.includes('--long')
const hasManyCases = given.some((argument) => argument.startsWith('--cases'))
const rest = given.filter((argument) => !OWN.test(argument))
/** The number given with an option. */
const numberOf = (option: string): string | undefined =>
  given.find((argument) => argument.startsWith(`${option}=`))?.slice(option.length + 1)
const [count, seed] = [numberOf('--cases'), numberOf('--seed')]

const LONG = ['.long.test.ts', 'test/browser/']

/** Which files are run. */
function chosenFiles(): string[] {
  if (hasManyCases || rest.some((argument) => !argument.startsWith('-') && takesLong(argument))) return rest
  if (!isLong)
    return ['--path-ignore-patterns=**/*.long.test.ts', '--path-ignore-patterns=test/browser/**', ...rest]
  return rest.some((argument) => !argument.startsWith('-')) ? rest : [...LONG, ...rest]
}

const takesLong = (path: string) => LONG.some((part) => `${path}/`.includes(part))

/** Where the files of tests go: into memory if there is room for databases, copies and executables. */
function rootOfFiles(): string {
  try {
    const [, options = ''] = /^\S+ \/dev\/shm \S+ (\S+)/m.exec(readFileSync('/proc/mounts', 'utf8')) ?? []
    const { bavail, bsize } = statfsSync(MEMORY)
    return bavail * bsize < MIN_FREE_BYTES || options.split(',').includes('noexec') ? tmpdir() : MEMORY
  } catch {
    return tmpdir()
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Creates a folder for the files of tests, and removes the folders of runs that were killed. */
function newFolder(): string {
  const root = hasManyCases ? tmpdir() : rootOfFiles()
  for (const name of readdirSync(root)) {
    const [, pid] = /^daybook-tests-(\d+)-/.exec(name) ?? []
    if (pid !== undefined && !isRunning(Number(pid)))
      rmSync(join(root, name), { recursive: true, force: true })
  }
  return mkdtempSync(join(root, `daybook-tests-${process.pid}-`))
}

buildWhenStale()
if (!existsSync(TIMINGS)) copyFileSync(FIRST_TIMINGS, TIMINGS)
/** Leftovers of tests go here: folders of failed tests, and browser profiles. */
const folder = newFolder()
const threads = join(folder, 'threads')
bundleThreads(threads)
const { exitCode } = spawnSync(
  [
    process.execPath,
    'test',
    `--timeout=${hasManyCases ? TIMEOUT_MS.many : TIMEOUT_MS.few}`,
    `--parallel=${Math.min(2 * availableParallelism(), MAX_PROCESSES)}`,
    '--no-isolate',
    // The files are spread over processes, the slowest first.
    `--timings=${TIMINGS}`,
    '--update-timings',
    ...chosenFiles(),
  ],
  {
    stdio: ['inherit', 'inherit', 'inherit'],
    env: {
      ...process.env,
      TMPDIR: folder,
      DAYBOOK_TEST_THREADS: threads,
      ...(hasManyCases && { DAYBOOK_TEST_CASES: 'many' }),
      ...(count !== undefined && { DAYBOOK_TEST_COUNT: count }),
      ...(seed !== undefined && { DAYBOOK_TEST_SEED: seed }),
    },
  },
)
// A browser that ends writes for a moment.
rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
if (exitCode !== 0) process.exit(1)
