import { afterAll, beforeAll, expect, test } from 'bun:test'
import { DOCUMENTATION } from '../support/documentation.ts'
import { BODY, type GuideWorld, SECRET, startGuideWorld } from '../support/guide-world.ts'
import { hmac } from '../support/sources.ts'

/*
 * Every call of daybook in the documentation is executed as it is printed, except for what readers replace: addresses,
 * keys, ids and folders of other machines. Blocks with a mark run in order in commands.test.ts and others.
 */

/** Programs that the documentation calls beside daybook, and that a test cannot install or replace. */
const FOREIGN =
  /^(?:npx|npm|apt|cp|install|useradd|systemctl|journalctl|podman|litestream|age-keygen|sha256sum) /

/** A block that stands for itself, from a page. */
interface Block {
  readonly path: string
  readonly script: string
}

const unmarkedBlocks = (): Block[] =>
  DOCUMENTATION.flatMap(({ path, text }) =>
    [...text.matchAll(/(<!-- [^>]* -->\n)? *```sh\n([\s\S]*?)```/g)].flatMap(([, mark, script = '']) =>
      mark !== undefined && !mark.includes('generated') ? [] : { path, script },
    ),
  )

/** The lines of a block, without those of other programs and without what only another program would read. */
const linesOf = (script: string): string[] =>
  script
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .map((line) =>
      line
        .trim()
        .replace(/^runuser -u daybook -- /, '')
        .replace(/ (?:&& openapi-generator-cli|\| jq) .*/, ''),
    )
    .filter((line) => !FOREIGN.test(line))

const UUID = /[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[\da-f]{4}-[\da-f]{12}|01939f3e-…/

const SIGNED_AT = Math.floor(Date.now() / 1_000)

/** The id that a line means: the kind of object follows from its command. */
function idIn(line: string, { ids }: GuideWorld): string {
  if (/ apps /.test(line)) return ids.app
  if (/ keys /.test(line)) return ids.key
  if (/ files delete /.test(line)) return ids.file
  if (/ sources replay /.test(line)) return ids.event
  if (/ webhooks events /.test(line)) return ids.pull
  if (/ webhooks /.test(line)) return ids.push
  if (/ mirror reset /.test(line)) return '$note'
  if (/ --keep-mine /.test(line)) return '$conflict'
  return ids.note
}

/** A line with the addresses, keys, ids and folders of this machine. */
function ofThisMachine(line: string, folder: string, world: GuideWorld): string {
  const { url, key } = world.remote
  const isSettings = /daybook serve/.test(line)
  const placed = line
    .replace(UUID, idIn(line, world))
    .replaceAll(/dbk_…/g, key ?? '')
    .replaceAll('whsec_…', SECRET)
    .replaceAll('1795253400', `${SIGNED_AT}`)
    .replaceAll('5f0c…', hmac(SECRET, `${SIGNED_AT}.${BODY}`))
    .replaceAll('019a…', 'msg')
    .replaceAll('K5oZ…', hmac(Buffer.from(SECRET.slice(6), 'base64'), `msg.${SIGNED_AT}.${BODY}`, 'base64'))
    .replaceAll('age1…', world.recipient)
    .replaceAll('KEY_ID=…', 'KEY_ID=id')
    .replaceAll('ACCESS_KEY=…', 'ACCESS_KEY=secret')
    .replaceAll('do …;', 'do echo "$event";')
    .replaceAll('s3://my-bucket/', 's3://backups/')
    .replaceAll(/(?<= )\/(?=srv|var|etc|backup)/g, `${folder}/`)
    .replaceAll(/--identity \S+/g, '--identity daybook-key.txt')
    .replaceAll(/https:\/\/example\.com\/(?=\S+\.)/g, `file://${folder}/`)
    .replaceAll(/--port \d+/g, '--port 0')
    .replaceAll(/PORT=\d+/g, 'PORT=0')
    .replaceAll('0.0.0.0', '127.0.0.1')
    .replace(/<\((daybook completion zsh)\)/, '<($1 > /dev/null)')
    .replace('create --name "Card payments"', 'create --name "More payments"')
    .replace(/users password mira$/, '$& < password.txt')
    .replace(/ &(?=\s*(?:#|$))/, '')
  return isSettings
    ? placed
    : placed.replaceAll(/https:\/\/daybook\.example\.com|http:\/\/127\.0\.0\.1:8787/g, url)
}

/** Commands that precede a line that matches; each runs once in a block. */
const BEFORE: readonly (readonly [RegExp, string])[] = [
  [/^(?!.*users add).*\bmira\b/, 'daybook users add mira'],
  [/users remove guest/, 'daybook users add guest'],
  [/^(?!.*workspaces add).*\bWork\b/, 'daybook workspaces add Work --user owner'],
  [/keys revoke laptop/, 'daybook keys create --name laptop'],
  [/import notebook/, 'daybook export notebook; rm daybook.db*; daybook serve'],
  [/export --format obsidian ~\/Vault/, 'rm -r ~/Vault'],
  [/export .*--update ~\/Vault/, 'daybook import ~/Vault'],
  [/export .*expenses\.csv/, 'rm expenses.csv'],
  [/types .*--check/, 'daybook types --out daybook.ts; daybook types --out src/daybook.ts'],
  [/mirror http/, 'rm -f mirror.db*'],
  [/mirror (?:status|detach|verify|diff|push|reset)|mirror\.db/, 'daybook mirror $URL --writable'],
  [/mirror (?:diff|push|reset)/, 'note=$(echo Oak. | daybook note add --title Local --db mirror.db)'],
  [/restore (?:monday|--db)/, 'daybook backup monday.db; daybook backup backup/daybook.db'],
  [/gunzip/, 'daybook backup monday.db; gzip monday.db'],
  [/before-0\.1\.0/, 'daybook backup daybook.db.before-0.1.0'],
  [/backups list$/, 'mkdir backups; daybook backup backups/daybook.db; export DAYBOOK_BACKUP_DIR=backups'],
  [/srv\/daybook\.db/, 'cp daybook.db srv/'],
  [/var\/lib\/daybook\/daybook\.db/, 'cp daybook.db var/lib/daybook/'],
  [/daybook health$/, 'export DAYBOOK_PORT=$REMOTE_PORT'],
  [/git log/, 'git init -q; git -c user.name=a -c user.email=a@a.example commit -q --allow-empty -m A'],
]

/** Alternatives, which do not follow each other: examples of one command, and ways out of a conflict. */
const isOfAlternatives = ({ path, script }: Block): boolean =>
  path.endsWith('commands.md')
    ? /Work|mirror|import|restore|backups|listen/.test(script)
    : /keep-mine/.test(script)

let world: GuideWorld

beforeAll(async () => {
  world = await startGuideWorld()
})
afterAll(() => world.end())

/** The commands of a block on this machine, with what must be done before. */
function* commandsOf(lines: readonly string[], folder: string): Generator<string> {
  const done = new Set<RegExp>()
  for (const line of lines) {
    for (const [pattern, command] of BEFORE)
      if (!done.has(pattern) && pattern.test(line)) {
        done.add(pattern)
        yield command
      }
    if (line.includes('--keep-mine')) {
      yield `cp conflict-${conflicts}.db mirror.db; conflict=${world.ids.conflicts[conflicts]}`
      conflicts++
    }
    yield ofThisMachine(line, folder, world)
  }
}

/** The number of conflicts that were resolved. */
let conflicts = 0

async function run({ path, lines }: { path: string; lines: readonly string[] }): Promise<string | undefined> {
  const folder = world.newCopy()
  try {
    const shell = Bun.spawn(
      ['bash', '-e', '-o', 'pipefail', '-c', [...commandsOf(lines, folder.path)].join('\n')],
      {
        cwd: folder.path,
        env: world.envOf(folder.path),
        stdin: 'ignore',
        stdout: 'pipe',
        stderr: 'pipe',
      },
    )
    const [out, err, exitCode] = await Promise.all([shell.stdout.text(), shell.stderr.text(), shell.exited])
    return exitCode === 0 ? undefined : `${path}:\n${lines.join('\n')}\nexit ${exitCode}\n${out}${err}`
  } finally {
    folder.remove()
  }
}

test('every call of daybook in the documentation succeeds on the machine that it is meant for', async () => {
  const sequences = unmarkedBlocks().flatMap((block) => {
    const lines = linesOf(block.script).filter((line) => line !== '')
    const { path } = block
    if (!lines.some((line) => line.includes('daybook'))) return []
    return isOfAlternatives(block) ? lines.map((line) => ({ path, lines: [line] })) : { path, lines }
  })
  expect(sequences.length).toBeGreaterThan(90)
  const faults: string[] = []
  const next = sequences.values()
  const runAll = async () => {
    for (const sequence of next) {
      const fault = await run(sequence)
      if (fault !== undefined) faults.push(fault)
    }
  }
  await Promise.all([runAll(), runAll(), runAll()])
  expect(faults.join('\n')).toBe('')
}, 300_000)
