/**
 * Sends random requests to the executable and validates every response against the OpenAPI document of the server.
 * `--requests N` (100,000), `--seed S`: the same seed generates the same requests, except for ids and times. At the
 * first violation it exits 1 and prints the smallest request found that still causes it. `--cost N` instead searches N
 * legal reads for those that delay other callers' reads longest.
 */
import { parseArgs } from 'node:util'
import { daybook, newFolder, type ServerProcess, startProcess } from '../../test/support/process.ts'
import { buildWhenStale } from '../lib/executable.ts'
import { Random } from '../lib/random.ts'
import { asCurl, send } from './client.ts'
import { findCosts } from './cost.ts'
import { Coverage } from './coverage.ts'
import { KnownObjects } from './known-objects.ts'
import { type Document, operationsOf } from './openapi.ts'
import { Oracle, type Violation } from './oracle.ts'
import { type FuzzRequest, kindOf, Requests } from './requests.ts'
import { SchemaValues } from './schema-values.ts'
import { shrink } from './shrink.ts'

const { values: flags } = parseArgs({
  options: {
    requests: { type: 'string', default: '100000' },
    seed: { type: 'string' },
    cost: { type: 'string' },
  },
})
const count = Number(flags.requests)
const seed = Number(flags.seed ?? Math.floor(Math.random() * 2 ** 31))
if (!Number.isInteger(count) || !Number.isInteger(seed)) throw new Error('--requests and --seed are integers')

const FILES = [
  ['tea.md', `# Tea\n\n${'Green tea, black tea and Ada. '.repeat(400)}\n\n## Later\n\nInk and paper.\n`],
  ['table.csv', 'what,amount\ntea,3\nink,7\n'],
  ['broken.pdf', 'This is no PDF.'],
] as const

const say = (line: string) => process.stdout.write(`${line}\n`)

class Fuzz {
  readonly #objects: KnownObjects
  readonly #random = new Random(seed)
  readonly #requests: Requests
  readonly #oracle: Oracle
  readonly coverage = new Coverage()

  constructor(
    readonly server: ServerProcess,
    document: Document,
    readKey: string,
  ) {
    this.#objects = new KnownObjects(this.#random)
    const values = new SchemaValues(
      { random: this.#random, objects: this.#objects },
      document.components.schemas,
    )
    const keys = { write: server.key ?? '', read: readKey }
    this.#requests = new Requests(operationsOf(document), values, keys)
    this.#oracle = new Oracle(document)
  }

  /** Returns whether there was no violation; prints the first one. */
  async run(): Promise<boolean> {
    for (let at = 0; at < count; at++) {
      const request = this.#requests.next()
      const violation = await this.#try(request)
      if (violation && !(await this.#isOnlySlowOnce(request, violation))) {
        await this.#report(request, violation, at)
        return false
      }
    }
    return true
  }

  async #try(request: FuzzRequest): Promise<Violation | undefined> {
    const response = await send(this.server.url, request)
    if (!response) return { kind: 'no-response', sentence: 'got no response' }
    this.coverage.add(request.operation, response)
    const violation = this.#oracle.check(request, response)
    const isJson = response.headers.get('content-type')?.startsWith('application/json') === true
    if (!violation && response.status < 300 && isJson) this.#record(request, response.text)
    return violation
  }

  #record({ method, target }: FuzzRequest, text: string): void {
    // /v1/<collection>/<id>/<nested collection>
    const [, , collection = '', id, inner] = target.split(/[/?]/)
    if (method === 'DELETE' && id !== undefined && inner === undefined) {
      this.#objects.markDeleted(kindOf(collection), decodeURIComponent(id))
    } else if (text.startsWith('{')) {
      this.#objects.record(JSON.parse(text), inner === undefined ? undefined : id)
    }
  }

  /** Retries once, because a busy machine may have caused a slow response. */
  async #isOnlySlowOnce(request: FuzzRequest, { kind }: Violation): Promise<boolean> {
    return kind === 'slow' && (await this.#try(request))?.kind !== 'slow'
  }

  async #report(request: FuzzRequest, violation: Violation, at: number): Promise<void> {
    const isSameViolation = async (smaller: FuzzRequest) =>
      (await this.#try(smaller))?.kind === violation.kind
    const smallest = violation.kind === 'no-response' ? request : await shrink(request, isSameViolation)
    say(`Request ${at + 1}, ${request.operation.id}, ${violation.sentence}`)
    say(`The smallest request that still causes it, after everything before:\n${asCurl('$URL', smallest)}`)
  }
}

async function readKeyOf(file: string): Promise<string> {
  const { out } = await daybook(['keys', 'create', '--name', 'reader', '--scope', 'read', '--db', file])
  return out.trim()
}

/** Only the command line can add files. */
async function addFiles(folder: ReturnType<typeof newFolder>, file: string): Promise<void> {
  const paths = FILES.map(([name]) => folder.file(name))
  for (const [name, text] of FILES) await Bun.write(folder.file(name), text)
  const added = await daybook(['files', 'add', ...paths, '--db', file], { how: 'executable' })
  if (added.exitCode !== 0) throw new Error(`no file was added: ${added.err}`)
}

async function fuzz(folder: ReturnType<typeof newFolder>): Promise<boolean> {
  const file = folder.file('daybook.db')
  const server = await startProcess(file, { how: 'executable', args: ['--log-level', 'error'] })
  const { body } = await server.get('/openapi.json')
  await addFiles(folder, file)
  const run = new Fuzz(server, body, await readKeyOf(file))
  const begin = performance.now()
  const isGood = await run.run()
  say([...run.coverage.lines, `${Math.round((performance.now() - begin) / 1000)} s`].join('\n'))
  const exitCode = await server.end()
  if (exitCode !== 0) say(`The server ended with ${exitCode}: ${server.err()}`)
  const check = await daybook(['check', '--db', file], { how: 'executable' })
  if (check.exitCode !== 0) say(`The check found:\n${check.out}${check.err}`)
  return isGood && exitCode === 0 && check.exitCode === 0
}

async function findViolations(): Promise<void> {
  buildWhenStale()
  say(`bun run fuzz --requests ${count} --seed ${seed}`)
  const folder = newFolder()
  try {
    if (!(await fuzz(folder))) process.exitCode = 1
  } finally {
    folder.remove()
  }
}

if (flags.cost === undefined) await findViolations()
else {
  say(`bun run fuzz --cost ${flags.cost} --seed ${seed}`)
  await findCosts(Number(flags.cost), seed)
  process.exit()
}
