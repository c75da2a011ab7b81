import { describe, expect, test } from 'bun:test'
import { dirname, join, normalize } from 'node:path'
import { Glob } from 'bun'
import { Elysia } from 'elysia'
import { startService } from '../support/service.ts'
import { LOOKING_IN, PAST, REACHING_IN } from './inner-tests.ts'

const SOURCE = join(import.meta.dir, '..', '..', 'src')

/** Ordered from left to right: a file imports from its own folder or from folders on its left. */
const ORDER = [
  ['lib'],
  ['storage'],
  ['filter', 'search'],
  ['kernel'],
  ['log', 'backup-config.ts', 'config.ts', 'context.ts'],
  ['http'],
  ['people', 'notes', 'records', 'events', 'files', 'shares', 'comments'],
  // Reads and restores every kind of object.
  ['objects', 'finder'],
  ['feed'],
  ['jobs.ts'],
  ['transfer', 'clients'],
  ['operation'],
  ['api.ts', 'operations.ts', 'worker.ts'],
  ['server.ts'],
  ['cli'],
  ['main.ts'],
]

/**
 * The application runs in a browser and consists of its own files and of pure functions. These come from `lib` and from
 * the modules that search and filter the offline copy and plan an import, as the server does. It uses no other
 * interface than the API.
 */
const APPLICATION = /^web\//
const PURE = [
  'lib/refusal.ts',
  'lib/record-data.ts',
  'files/size-limit.ts',
  'filter/operands.ts',
  'filter/operators.ts',
  'filter/sentence.ts',
  'filter/words.ts',
  'filter/record/cell-format.ts',
  'filter/record/match.ts',
  'filter/record/month-names.ts',
  'filter/record/field-types.ts',
  'filter/record/parse.ts',
  'filter/record/readings.ts',
  'filter/record/type-inference.ts',
  'filter/record/values.ts',
  'notes/content-length.ts',
  'notes/excerpt.ts',
  'notes/property-values.ts',
  'transfer/field-keys.ts',
  'transfer/front-matter.ts',
  'transfer/vault/plan/block-references.ts',
  'transfer/vault/plan/files.ts',
  'transfer/vault/plan/link-targets.ts',
  'transfer/vault/plan/links.ts',
  'transfer/vault/plan/note.ts',
  'transfer/vault/plan/notion-databases.ts',
  'transfer/vault/plan/originals.ts',
  'transfer/vault/plan/properties.ts',
  'transfer/vault/plan/property-links.ts',
  'transfer/vault/plan/sources/bear.ts',
  'transfer/vault/plan/sources/logseq.ts',
  'transfer/vault/plan/sources/notion.ts',
  'transfer/vault/plan/sources/recognize.ts',
  'transfer/vault/plan/sources/source.ts',
  'transfer/vault/plan/tags.ts',
  'transfer/vault/plan/zip.ts',
  'transfer/workspace/format.ts',
  'search/find-notes.ts',
  'search/finder.ts',
  'search/highlighter.ts',
  'search/note-snippet.ts',
]
/** Packages of these modules, which run in a browser too. */
const PURE_PACKAGES = ['smol-toml', 'yaml', '@zip.js/zip.js/lib/zip-core-custom.js']
/** The layers of the application: a file imports from its own or from layers above it. */
const LAYERS = [
  ['router.ts', 'styles'],
  ['data'],
  ['offline', 'worker'],
  ['components'],
  ['pages'],
  ['application.tsx', 'main.tsx'],
]
const isOpenToApplication = (path: string) => /^(web|lib)\//.test(path) || PURE.includes(path)

interface SourceFile {
  path: string
  text: string
  /** Imports of own files, as paths below `src`. */
  imports: string[]
  /** Imported packages and platform modules. */
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

const all = await Promise.all(
  [...new Glob('**/*.{ts,tsx}').scanSync(SOURCE)]
    .sort()
    .map(async (path) => sourceFile(path, await Bun.file(join(SOURCE, path)).text())),
)
const files = all.filter(({ path }) => !APPLICATION.test(path))
const applicationFiles = all.filter(({ path }) => APPLICATION.test(path))

/** A file without its comments and imports. */
const codeOf = (text: string) => text.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$|^\} from '.*'$|^import .*$/gm, '')

const topOf = (path: string) => path.split('/')[0] ?? ''
const positionOf = (path: string) => ORDER.findIndex((names) => names.includes(topOf(path)))
const below = (path: string) => !path.startsWith('..')

/** Features whose statements drizzle writes. The folder `records/structures/storage` holds the tables of rows. */
const DRIZZLE = [
  'comments',
  'events/sources',
  'events/webhooks',
  'files',
  'log/objects',
  'notes/lenses',
  'notes/pinned',
  'notes/presets',
  'notes/properties',
  'notes/tags',
  'notes/views',
  'people/accounts',
  'people/sessions',
  'records/structures',
  'records/views',
]

/** Files of these features with handwritten statements, and the purpose of each. */
const BY_HAND = {
  'comments/inbox.ts': 'reads the newest notices with the state of their objects',
  'events/sources/deletion.ts': 'deletes events',
  'events/sources/forward-deliveries.ts': 'reads deliveries',
  'events/sources/forward-queue.ts': 'reads the queue',
  'events/sources/forward-targets.ts': 'ends deliveries',
  'events/sources/integrity.ts': 'compares whole tables',
  'events/sources/stored-bytes.ts': 'drops the oldest calls',
  'events/webhooks/deletion.ts': 'deletes deliveries',
  'events/webhooks/deliveries.ts': 'reads deliveries',
  'events/webhooks/integrity.ts': 'compares whole tables',
  'files/integrity.ts': 'compares whole tables',
  'files/search-upgrade.ts': 'reads pages in parts',
  'files/search.ts': 'searches the text of pages',
  'notes/lenses/graph.ts': 'reads links and tags of very many notes',
  'notes/properties/deletion.ts': 'takes values off very many notes',
  'notes/properties/integrity.ts': 'compares whole tables',
  'notes/tags/deletion.ts': 'takes a tag off very many notes',
  'notes/tags/integrity.ts': 'compares whole tables',
  'notes/tags/links.ts': 'puts tags on very many notes',
  'records/structures/deletion.ts': 'deletes rows',
}

/** The folders below which two files part: `notes/query` and `notes/links`; undefined when one lies around the other, and for the files outside all folders. */
function foldersBetween(from: string, to: string): [string, string] | undefined {
  if (dirname(from) === '.' || dirname(to) === '.') return undefined
  const left = dirname(from).split('/')
  const right = dirname(to).split('/')
  const shared = left.findIndex((name, at) => name !== right[at])
  if (shared === -1 || right.length <= shared) return undefined
  return [left.slice(0, shared + 1).join('/'), right.slice(0, shared + 1).join('/')]
}

/** Returns every dependency between two folders, with its imports. */
function arrows(): Map<string, string[]> {
  const found = new Map<string, string[]>()
  for (const { path, imports } of files) {
    for (const target of imports.filter(below)) {
      const between = foldersBetween(path, target)
      if (!between) continue
      const arrow = between.join(' -> ')
      found.set(arrow, [...(found.get(arrow) ?? []), `${path} imports ${target}`])
    }
  }
  return found
}

/**
 * Returns the dependencies that form cycles. Repeatedly removes folders without a remaining importer or without a
 * remaining import.
 */
function cyclic(found: Map<string, string[]>): Map<string, string[]> {
  const arrows = [...found.keys()].map((arrow) => ({ arrow, ends: arrow.split(' -> ') }))
  const importing = new Set(arrows.map(({ ends: [from] }) => from))
  const imported = new Set(arrows.map(({ ends: [, to] }) => to))
  const left = arrows.filter(({ ends: [from, to] }) => imported.has(from) && importing.has(to))
  const rest = new Map(left.map(({ arrow }) => [arrow, found.get(arrow) ?? []]))
  return rest.size < found.size ? cyclic(rest) : rest
}

/** Files with writes that belong to no caller, or that are part of a command, and the purpose of each. */
const OWN_WRITES = {
  'cli/mirror/commands.ts': 'detaches a mirror, and resets its local changes',
  'events/delivery/dispatch/dispatcher.ts': 'brings retries forward after the clock was set back',
  'events/delivery/dispatch/outcome-writer.ts': 'stores the outcomes of attempts',
  'files/new-file.ts': 'removes an incomplete file, also after the permission of its sender has ended',
  'files/text-extraction.ts': 'stores the texts that other processes extract',
  'log/objects/tally.ts': 'counts frequent events, once a second',
  'notes/search/indexing.ts': 'indexes the notes that a search waits for',
  'operation/integrity.ts': 'repairs a database',
  'people/accounts/keys.ts': 'stores when a credential was last used, once a minute',
  'records/structures/storage/auto-index.ts': 'requests an index, and stores its use',
  'server.ts': 'begins an epoch at the start',
  'transfer/import-run.ts': 'imports in one transaction, from files',
  'transfer/mirror/events.ts': 'stores the events that a mirror sends on',
  'transfer/mirror/follower.ts': 'applies the changes of the remote',
  'transfer/mirror/mirror.ts': 'creates a mirror',
  'transfer/mirror/overlay/push.ts': 'stores which local changes were pushed',
  'transfer/vault/export/update.ts': 'stores what an export has written',
}

/** Files that are themselves such infrastructure, and the purpose of each. */
const INFRASTRUCTURE = {
  'clients/types/connection.ts': 'the published client, which has no clock of a server',
  'files/extraction/process.ts': 'the process that reads one file, and can end the thread that does it',
  'files/extraction/worker.ts': 'the program of that thread',
  'http/web-app/assets.ts': 'the service worker of the application',
  'http/web-app/build.ts': 'builds that service worker',
  'http/web-app/packed.ts': 'packs that service worker',
  'http/web-app/routes.ts': 'serves that service worker',
  'lib/admission.ts': 'the queue of all shared resources',
  'lib/clock.ts': 'the timers of the system',
  'lib/fair-queue.ts': 'the order in that queue',
  'worker.ts': 'the program of the threads',
}

/** Files that serve many connections or long bodies in the main thread, and the work of each. */
const LOOPS = {
  'events/delivery/dispatch/dispatcher.ts': 'attempts deliveries',
  'events/sources/decide.ts': 'decides calls with long bodies',
  'feed/subscribers.ts': 'sends changes to many streams at once',
  'http/body.ts': 'parses long bodies',
  'http/download.ts': 'sends the parts of a file',
  'http/pipeline.ts': 'serves requests that arrive together',
  'http/responses.ts': 'sends the parts of a long list',
  'people/sessions/streams.ts': 'serves all open streams',
}

/**
 * Parts of the server that the API hides: the database, its connections, threads and statements, jobs, and the queues
 * of work. A module is internal if it is one of these, or takes or declares one of them.
 */
const HIDDEN = /^(?:storage|kernel)\/|^worker\.ts$|^lib\/(?:admission|fair-queue)\.ts$/
/** Words of the database that the API has too: roles, kinds and operations of changes. */
const VISIBLE = /^storage\/schema\/|^kernel\/caller\.ts$/
/** Entrances of the program: the HTTP API, the server and its commands. */
const OUTSIDE = ['api.ts', 'cli/run.ts', 'server.ts']

describe('src', () => {
  test('has only folders with a place in the order', () => {
    expect(files.filter(({ path }) => positionOf(path) === -1).map(({ path }) => path)).toEqual([])
    expect(files.length).toBeGreaterThan(50)
  })

  test('imports only from the left', () => {
    const wrong = files.flatMap(({ path, imports }) =>
      imports
        .filter((target) => below(target) && positionOf(target) > positionOf(path))
        .map((target) => `${path} imports ${target}`),
    )
    expect(wrong).toEqual([])
  })

  test('has no cycle of folders, of two or more', () => {
    expect(arrows().size).toBeGreaterThan(50)
    expect(Object.fromEntries(cyclic(arrows()))).toEqual({})
  })

  test('exports from each module only what that module declares', () => {
    const relaying = files.filter(({ text }) =>
      /^export (?:type )?(?:\*|\{[^}]*\}) ?(?:as \w+ )?from /m.test(text),
    )
    expect(relaying.map(({ path }) => path)).toEqual([])
  })

  test('names threads, work limits, scheduling and primitives of the event loop only in the kernel and in storage', () => {
    const primitives =
      /\b(?:Atomics|SharedArrayBuffer|MessageChannel|postMessage|Worker|setImmediate|setTimeout|setInterval|queueMicrotask|nextTick|performance\.now|Bun\.(?:sleep(?:Sync)?|nanoseconds))\b/g
    const limits =
      /\b(?:TooLongForMainThread|with(?:Row|Write)Limit|isLimited|stopCondition|in(?:Steps|Chunks)|forSomeMilliseconds|pause(?:Between|ForOthers))\b/g
    const scheduling =
      /\b(?:othersHaveRun|isBackground|isInline|isLong|[sS]chedulingKey\w*|QueryScheduling|\w+Turn(?:s|Of)?\b|(?<=#)turns?\b)/g
    const threads =
      /\b(?:Worker(?:Task|Query|Thread|Client)|openWorker|worker|(?:\w+I|i)nThread|(?:start|serve|open)Thread|StartThread)\b(?!\.[jt]s)/g
    const modules =
      /^storage\/(?:worker\/(?!client\.ts$)|writes\/(?:write-|chunks)|read-limit|thread-start)|^lib\/fair-queue/
    const found = files
      .filter(({ path }) => !/^(?:kernel|storage)\//.test(path))
      .flatMap(({ path, text, imports }) => {
        const code = codeOf(text)
        const named = [primitives, limits, scheduling, threads].flatMap((pattern) => [
          ...code.matchAll(pattern),
        ])
        return named.length > 0 || imports.some((target) => modules.test(target)) ? [path] : []
      })
    expect(found).toEqual(Object.keys(INFRASTRUCTURE))
  })

  test('names no step of a job where jobs are declared', () => {
    const steps = /\b\w*[sS]tep(?:s|ped|ping)?\b|\b\w*_STEPS?\b/g
    const declaring = files.filter(
      ({ path, imports }) => !path.startsWith('kernel/') && imports.includes('kernel/jobs.ts'),
    )
    expect(declaring.length).toBeGreaterThan(20)
    expect(
      declaring.flatMap(({ path, text }) =>
        [...codeOf(text).matchAll(steps)].map(([name]) => `${path}: ${name}`),
      ),
    ).toEqual([])
  })

  test('shares the main thread only in few loops of the server', () => {
    const sharing = files.filter(
      ({ path, imports }) => !path.startsWith('kernel/') && imports.includes('kernel/fair-share.ts'),
    )
    expect(sharing.map(({ path }) => path)).toEqual(Object.keys(LOOPS))
  })

  test('writes for callers through operations, and later work in jobs', () => {
    const writing = files.filter(
      ({ path, text }) => !/^(?:kernel|storage)\//.test(path) && /\bdb\s*\.write\(/.test(text),
    )
    expect(writing.map(({ path }) => path).sort()).toEqual(Object.keys(OWN_WRITES))
  })

  test('keeps no state in modules: it belongs to the connection, the thread or the server that it serves', () => {
    const variables = /^(?:export )?let \w+/gm
    const collections =
      /^(?:export )?const (?![A-Z])\w+(?=(?:: [^=]+(?:=>[^=]+)*)? = (?:\[\]|\{\}|new (?:(?:Map|Set)(?:<.*>)?\(\)|\w*(?:Weak(?:Map|Set)|Array|Buffer|Cache|Queue|State|Storage|Turns|Admission)\b)))/gm
    const ofClasses = /^ {2}static (?!readonly)#?\w+(?= *[:=;])/gm
    const kept = [
      // A thread runs one task at a time.
      'kernel/fair-share.ts: const shares',
      // Tests watch the failure points of a whole thread.
      'lib/failure-points.ts: let hook',
    ]
    const found = files.flatMap(({ path, text }) =>
      [variables, collections, ofClasses].flatMap((pattern) =>
        [...text.matchAll(pattern)].map(([match]) => `${path}: ${match.trim()}`),
      ),
    )
    expect(found).toEqual(kept)
  })

  test('leaves the folder only for files of the package', () => {
    const outside = files.flatMap(({ imports }) => imports.filter((target) => !below(target)))
    expect(
      outside.filter((target) => !/^\.\.\/(drizzle\/.*|scripts\/guide\/.*|package\.json)$/.test(target)),
    ).toEqual([])
  })

  test('runs Elysia in one file, and its generator in another; all others take schemas and types alone', () => {
    const IMPORT = /import (type )?\{([^}]*)\} from '(?:elysia|@elysiajs\/\w+)'/g
    const running = files.filter(({ text }) =>
      [...text.matchAll(IMPORT)].some(
        ([, isType, names = '']) =>
          !isType && names.split(',').some((name) => !/^\s*(type \w+|t( as \w+)?)?\s*$/.test(name)),
      ),
    )
    expect(running.map(({ path }) => path).sort()).toEqual(['http/mount.ts', 'http/openapi/document.ts'])
    const naming = files.filter(({ packages }) => packages.some((name) => /^(elysia|@elysiajs\/)/.test(name)))
    expect(naming.map(({ path }) => path).filter((path) => !/^(http\/|api\.ts$)/.test(path))).toEqual([])
  })

  test('uses drizzle for statements of secondary features', () => {
    const byHand = /\bsql\s*\.\s*(run|get|all|each|rows|column|scalar|script)\b/
    const writing = files.filter(({ path, text }) => DRIZZLE.includes(dirname(path)) && byHand.test(text))
    expect(writing.map(({ path }) => path)).toEqual(Object.keys(BY_HAND))
  })

  test('keeps every file at 400 lines or less', () => {
    const isGenerated = ({ text }: SourceFile) => text.startsWith('// Written by `bun run')
    const long = all.filter((file) => !isGenerated(file) && file.text.split('\n').length > 401)
    expect(long.map(({ path }) => path)).toEqual([])
  })

  test('takes the time only from the clock', () => {
    const now = /\bnew Date\(\s*\)|\bDate\.now\b|\bDate\(\s*\)/
    const naming = files.filter(({ path, text }) => path !== 'lib/clock.ts' && now.test(text))
    expect(naming.map(({ path }) => path)).toEqual([])
  })

  test('reads the environment in one place', () => {
    const naming = files.filter(
      ({ path, text }) => path !== 'cli/io.ts' && /(?<!')\b(process|Bun)\.env\b/.test(text),
    )
    expect(naming.map(({ path }) => path)).toEqual([])
  })

  test('prints nothing, and has no escape from the types', () => {
    const banned = /\bconsole\.|\bas any\b|: any\b|@ts-|biome-ignore|\bTODO\b|\bFIXME\b/
    expect(files.filter(({ text }) => banned.test(text)).map(({ path }) => path)).toEqual([])
  })

  test('never reads the sentence of a refusal, so that rewording one changes no behaviour', async () => {
    const READS =
      /\b(?:message|sentence|refusal|error)(?:\.value)?\??\.(?:includes|match|matchAll|replace|replaceAll|startsWith|endsWith|indexOf|search|split)\(|\.(?:test|exec)\((?:\w+\.)*(?:message|sentence|refusal|error)\b/
    /** Sentences of other programs, and one that is only displayed: a link in place of an id. */
    const ALLOWED = ['cli/command.ts', 'clients/mcp/server.ts', 'web/pages/records/refusal-text.tsx']
    const found: string[] = []
    for await (const file of new Glob('**/*.{ts,tsx}').scan(SOURCE))
      if (READS.test(await Bun.file(join(SOURCE, file)).text())) found.push(file)
    expect(found.sort()).toEqual(ALLOWED)
  })
})

describe('the server', () => {
  test('listens with one Elysia application', async () => {
    const service = await startService()
    expect(service.app.elysia).toBeInstanceOf(Elysia)
    service.app.elysia.get('/asked', () => ({ by: 'a test' })).compile()
    const listener = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: service.app.fetch })
    const answer = await fetch(new URL('/asked', listener.url))
    expect([await answer.json(), answer.headers.has('x-request-id')]).toEqual([{ by: 'a test' }, true])
    await listener.stop(true)
    service.close()
  })

  test('listens in one place, and passes every request on', () => {
    const listening = files.filter(({ text }) => /\bBun\.serve\(|\.listen\(\{/.test(text))
    expect(listening.map(({ path }) => path)).toEqual(['server.ts'])
    expect(listening[0]?.text).toContain('fetch: app.fetch,')
  })
})

describe('the application', () => {
  test('imports only pure functions of the server, and the server imports only its page', () => {
    const inward = applicationFiles.flatMap(({ path, imports }) =>
      imports.filter((target) => !isOpenToApplication(target)).map((target) => `${path} imports ${target}`),
    )
    const impure = files
      .filter(({ path }) => PURE.includes(path))
      .flatMap(({ path, imports, packages }) =>
        [
          ...packages.filter((name) => !PURE_PACKAGES.includes(name)),
          ...imports.filter((target) => !target.startsWith('lib/') && !PURE.includes(target)),
        ].map((target) => `${path} imports ${target}`),
      )
    const outward = files.flatMap(({ path, imports }) =>
      imports.filter((target) => APPLICATION.test(target)).map((target) => `${path} imports ${target}`),
    )
    expect(inward).toEqual([])
    expect(impure).toEqual([])
    expect(outward).toEqual([])
  })

  test('imports only from its own layer or from layers above it', () => {
    const layerOf = (path: string) => LAYERS.findIndex((names) => names.includes(path.split('/')[1] ?? ''))
    expect(applicationFiles.filter(({ path }) => layerOf(path) === -1).map(({ path }) => path)).toEqual([])
    const upward = applicationFiles.flatMap(({ path, imports }) =>
      imports
        .filter((target) => APPLICATION.test(target) && layerOf(target) > layerOf(path))
        .map((target) => `${path} imports ${target}`),
    )
    expect(upward).toEqual([])
  })

  test('has no escape from the types', () => {
    const banned = /\bas any\b|[\w)]: any\b(?!\)<)|@ts-|\bTODO\b|\bFIXME\b/
    expect(applicationFiles.filter(({ text }) => banned.test(text)).map(({ path }) => path)).toEqual([])
  })
})

describe('the tests', () => {
  const TESTS = join(import.meta.dir, '..')
  /** An import of values, and not of types alone. */
  const VALUES =
    /^import (?!type )(?!\{(?:\s*type [^,}]*,?)*\s*\} from)[^;]*? from '([^'\s]+)'|\bimport\('([^'\s]+)'\)/gm

  test('state guarantees through the API, except where their subject has none', async () => {
    const modules = files.filter(({ path }) => !OUTSIDE.includes(path))
    const isHidden = (path: string) => HIDDEN.test(path) && !VISIBLE.test(path)
    const internal = new Set(
      modules
        .filter(({ path, imports }) => HIDDEN.test(path) || imports.some(isHidden))
        .map(({ path }) => join(SOURCE, path)),
    )
    expect(internal.size).toBeGreaterThan(200)
    const reaching: string[] = []
    for (const path of [...new Glob('**/*.{ts,tsx}').scanSync(TESTS)].sort()) {
      // The harness opens services, and acts as commands and loops of the server do.
      if (/^(?:support|simulation)\//.test(path)) continue
      const text = await Bun.file(join(TESTS, path)).text()
      const targets = [...text.matchAll(VALUES)].map(([, from, dynamic]) => from ?? dynamic ?? '')
      if (targets.some((target) => internal.has(join(TESTS, dirname(path), target)))) reaching.push(path)
    }
    expect(reaching).toEqual(Object.values(REACHING_IN).flat().sort())
  })

  test('open the database only through named functions, for listed reasons', async () => {
    const direct =
      /\bctx\.db\b|\bnew Database\(|\bctx: \{ db\b|\{ (?:[\w, ]+, )?db(?:, [\w, ]+)? \} = .*\bctx\b/
    const reaching = Object.values(REACHING_IN).flat()
    const [through, past]: [string[], string[]] = [[], []]
    for (const path of [...new Glob('**/*.{ts,tsx}').scanSync(TESTS)].sort()) {
      if (/^(?:support|simulation|storage)\//.test(path)) continue
      const text = await Bun.file(join(TESTS, path)).text()
      if (/from '[./]+support\/database\.ts'/.test(text)) through.push(path)
      if (direct.test(text)) past.push(path)
    }
    const isListed = (path: string) => !reaching.includes(path)
    expect([...new Set([...through, ...past])].filter(isListed).sort()).toEqual(
      Object.values(LOOKING_IN).flat().sort(),
    )
    expect(past.filter(isListed)).toEqual(PAST)
  })
})
