/**
 * Sends random requests to the executable, started as a user starts it, and holds every answer against the
 * document that the server gives of itself. `--requests N` (100,000), `--seed S`. The same seed makes the same
 * requests, except for ids and times. Exits 1 with the smallest request found that breaks a promise.
 */
import { parseArgs } from 'node:util'
import { daybook, newFolder, type ServerProcess, startProcess } from '../../test/support/process.ts'
import { buildWhenStale } from '../executable.ts'
import { Random } from '../random.ts'
import { asCurl, send } from './client.ts'
import { type Document, operationsOf } from './document.ts'
import { type Fault, Judge } from './judge.ts'
import { Objects } from './objects.ts'
import { kindIn, Requests, type Sent } from './requests.ts'
import { shrink } from './shrink.ts'
import { Tally } from './tally.ts'
import { Values } from './values.ts'

const { values: flags } = parseArgs({
  options: { requests: { type: 'string', default: '100000' }, seed: { type: 'string' } },
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
  readonly #objects: Objects
  readonly #random = new Random(seed)
  readonly #requests: Requests
  readonly #judge: Judge
  readonly tally = new Tally()

  constructor(
    readonly server: ServerProcess,
    document: Document,
    readKey: string,
  ) {
    this.#objects = new Objects(this.#random)
    const values = new Values({ random: this.#random, objects: this.#objects }, document.components.schemas)
    const keys = { write: server.key ?? '', read: readKey }
    this.#requests = new Requests(operationsOf(document), values, keys)
    this.#judge = new Judge(document)
  }

  /** Whether all requests were answered as promised; says what was not. */
  async run(): Promise<boolean> {
    for (let at = 0; at < count; at++) {
      const sent = this.#requests.next()
      const fault = await this.#try(sent)
      if (fault && !(await this.#isOnlySlowOnce(sent, fault))) {
        await this.#report(sent, fault, at)
        return false
      }
    }
    return true
  }

  async #try(sent: Sent): Promise<Fault | undefined> {
    const received = await send(this.server.url, sent)
    if (!received) return { kind: 'silent', sentence: 'got no answer' }
    this.tally.add(sent.operation, received)
    const fault = this.#judge.faultOf(sent, received)
    if (!fault && received.status < 300) this.#learn(sent, received.text)
    return fault
  }

  #learn({ method, target }: Sent, text: string): void {
    // /v1/<collection>/<id>/<what belongs to it>
    const [, , collection = '', id, inner] = target.split(/[/?]/)
    if (method === 'DELETE' && id !== undefined && inner === undefined) {
      this.#objects.bury(kindIn(collection), decodeURIComponent(id))
    } else if (text.startsWith('{')) {
      this.#objects.learn(JSON.parse(text), inner === undefined ? undefined : id)
    }
  }

  /** The machine may have had something else to do. */
  async #isOnlySlowOnce(sent: Sent, { kind }: Fault): Promise<boolean> {
    return kind === 'slow' && (await this.#try(sent))?.kind !== 'slow'
  }

  async #report(sent: Sent, fault: Fault, at: number): Promise<void> {
    const again = async (smaller: Sent) => (await this.#try(smaller))?.kind === fault.kind
    const smallest = fault.kind === 'silent' ? sent : await shrink(sent, again)
    say(`Request ${at + 1}, ${sent.operation.id}, ${fault.sentence}`)
    say(`The smallest that is answered so, after all that went before:\n${asCurl('$URL', smallest)}`)
  }
}

async function readKeyOf(file: string): Promise<string> {
  const { out } = await daybook(['keys', 'create', '--name', 'reader', '--scope', 'read', '--db', file])
  return out.trim()
}

/** Files come in by the command line alone. */
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
  say([...run.tally.lines, `${Math.round((performance.now() - begin) / 1000)} s`].join('\n'))
  const exitCode = await server.end()
  if (exitCode !== 0) say(`The server ended with ${exitCode}: ${server.err()}`)
  const check = await daybook(['check', '--db', file], { how: 'executable' })
  if (check.exitCode !== 0) say(`The check found:\n${check.out}${check.err}`)
  return isGood && exitCode === 0 && check.exitCode === 0
}

buildWhenStale()
say(`bun run fuzz --requests ${count} --seed ${seed}`)
const folder = newFolder()
try {
  if (!(await fuzz(folder))) process.exitCode = 1
} finally {
  folder.remove()
}
