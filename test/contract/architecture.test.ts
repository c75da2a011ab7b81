import { describe, expect, test } from 'bun:test'
import { dirname, join, normalize } from 'node:path'
import { Glob } from 'bun'

const SOURCE = join(import.meta.dir, '..', '..', 'src')

/** From left to right; a file imports from its own layer or from layers on its left. */
const LAYERS = [
  ['lib', 'refusal.ts', 'web'],
  ['db'],
  ['events', 'search'],
  ['filter'],
  ['delivery'],
  ['config.ts', 'context.ts'],
  ['http'],
  [
    'account',
    'notes',
    'tags',
    'properties',
    'structures',
    'records',
    'webhooks',
    'presets',
    'views',
    'lenses',
    'quick-access',
    'files',
  ],
  ['upkeep', 'import'],
  ['transfer'],
  ['api-description.ts', 'app.ts', 'heavy-reads.ts'],
  ['cli'],
  ['main.ts'],
]

interface SourceFile {
  path: string
  text: string
  /** What it imports of ours, as paths below `src`. */
  imports: string[]
  /** Packages and modules of the platform. */
  packages: string[]
}

const SPECIFIER = /\bfrom '([^'\s]+)'|^import '([^'\s]+)'|\bimport\('([^'\s]+)'\)/gm

function sourceFile(path: string, text: string): SourceFile {
  const specifiers = [...text.matchAll(SPECIFIER)].map((match) => match[1] ?? match[2] ?? match[3] ?? '')
  const ours = specifiers.filter((specifier) => specifier.startsWith('.'))
  return {
    path,
    text,
    imports: ours.map((specifier) => normalize(join(dirname(path), specifier))),
    packages: specifiers.filter((specifier) => !specifier.startsWith('.')),
  }
}

const files = await Promise.all(
  [...new Glob('**/*.ts').scanSync(SOURCE)]
    .sort()
    .map(async (path) => sourceFile(path, await Bun.file(join(SOURCE, path)).text())),
)

const roomOf = (path: string) => path.split('/')[0] ?? ''
const layerOf = (path: string) => LAYERS.findIndex((rooms) => rooms.includes(roomOf(path)))
const isFeature = (path: string) =>
  LAYERS.find((rooms) => rooms.includes('notes'))?.includes(roomOf(path)) === true
const below = (path: string) => !path.startsWith('..')

describe('src', () => {
  test('has only rooms with a place in the order', () => {
    expect(files.filter(({ path }) => layerOf(path) === -1).map(({ path }) => path)).toEqual([])
    expect(files.length).toBeGreaterThan(50)
  })

  test('imports only from the left', () => {
    const wrong = files.flatMap(({ path, imports }) =>
      imports
        .filter((target) => below(target) && layerOf(target) > layerOf(path))
        .map((target) => `${path} imports ${target}`),
    )
    expect(wrong).toEqual([])
  })

  test('imports between features never go round in a circle of files', () => {
    const targets = new Map(files.map(({ path, imports }) => [path, imports.filter(below)]))
    const circles = files.filter(({ path }) => isFeature(path) && reaches(path, path, targets))
    expect(circles.map(({ path }) => path)).toEqual([])
  })

  test('leaves the folder only for what belongs to the package', () => {
    const outside = files.flatMap(({ imports }) => imports.filter((target) => !below(target)))
    expect(outside.filter((target) => !/^\.\.\/(drizzle\/.*|package\.json)$/.test(target))).toEqual([])
  })

  test('names Elysia only at the edge', () => {
    const allowed = /^(http\/|app\.ts$)|\/(routes|schema)\.ts$/
    const naming = files.filter(({ packages }) => packages.some((name) => /^(elysia|@elysiajs\/)/.test(name)))
    expect(naming.map(({ path }) => path).filter((path) => !allowed.test(path))).toEqual([])
  })

  test('keeps every file under 300 lines', () => {
    const long = files.filter(({ text }) => text.split('\n').length > 300)
    expect(long.map(({ path }) => path)).toEqual([])
  })

  test('takes the time only from the clock', () => {
    const now = /\bnew Date\(\s*\)|\bDate\.now\b|\bDate\(\s*\)/
    const naming = files.filter(({ path, text }) => path !== 'lib/clock.ts' && now.test(text))
    expect(naming.map(({ path }) => path)).toEqual([])
  })

  test('reads the environment in one place', () => {
    const naming = files.filter(
      ({ path, text }) => path !== 'cli/io.ts' && /\b(process|Bun)\.env\b/.test(text),
    )
    expect(naming.map(({ path }) => path)).toEqual([])
  })

  test('is silent, and holds no escape from the types', () => {
    const banned = /\bconsole\.|\bas any\b|: any\b|@ts-|biome-ignore|\bTODO\b|\bFIXME\b/
    expect(files.filter(({ text }) => banned.test(text)).map(({ path }) => path)).toEqual([])
  })
})

function reaches(
  from: string,
  goal: string,
  targets: Map<string, string[]>,
  seen = new Set<string>(),
): boolean {
  return (targets.get(from) ?? []).some((target) => {
    if (target === goal) return true
    if (seen.has(target)) return false
    seen.add(target)
    return reaches(target, goal, targets, seen)
  })
}
