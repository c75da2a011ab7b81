import { copyFileSync, cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import * as age from 'age-encryption'
import { zipSync } from 'fflate'
import { withDatabaseFile } from '../../src/cli/open-database.ts'
import { connectAppIn } from './connected-app.ts'
import { startMirror } from './mirror-process.ts'
import { OffSite } from './off-site.ts'
import { daybook, newFolder, program, type ServerProcess, startProcess } from './process.ts'
import { startS3Server } from './s3-server.ts'

/*
 * The world that the documentation speaks of: a remote server, a database with the objects that the examples name,
 * files beside it, a mirror with a conflict, and a bucket with backups.
 */

export const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`

/** The body of a delivery, signed with `SECRET`. */
export const BODY = '{"id": 1}'

/** Files in the folder where the examples run, and in the home folder. */
const FILES: Readonly<Record<string, string | Uint8Array>> = {
  'home/Vault/Plans/Oak.md': '---\ntags: [wood]\n---\nAsk about #oak.\n',
  'expenses.csv': 'what,amount\nPaper,12.5\n',
  'june.csv': 'what,amount\nInk,"7,25"\nGlue,NA\n',
  'june.jsonl': '{"what": "Ink", "amount": 7}\n',
  'rates.csv': 'name,rate\nEUR,1\n',
  'report.pdf': 'No PDF, but a file all the same.',
  'handbook.pdf': 'No PDF, but a file all the same.',
  'prices.xlsx': 'No workbook, but a file all the same.',
  'minutes.md': 'All agreed.\n',
  'password.txt': 'correct horse battery staple\n',
  'stripe.txt': 'whsec_EXAMPLE\n',
  'etc/daybook/oidc-secret': 'a secret\n',
  'body.json': BODY,
  'Export.zip': zipSync({ 'Oak.md': new TextEncoder().encode('A tree.\n') }),
}

const FOLDERS = [
  'src',
  'backup',
  'home/.config/fish/completions',
  'home/.local/bin',
  'srv',
  'var/lib/daybook',
]

const TABLES = {
  Expenses: [
    { key: 'what', type: 'text' },
    { key: 'amount', type: 'number' },
  ],
  Leads: [{ key: 'name', type: 'text' }],
  Budget: [{ key: 'what', type: 'text' }],
  Rates: [
    { key: 'name', type: 'text' },
    { key: 'rate', type: 'number' },
  ],
  Payments: [
    { key: 'number', type: 'text', unique: true },
    { key: 'amount', type: 'number' },
  ],
  Customers: [
    { key: 'name', type: 'text' },
    { key: 'email', type: 'text' },
  ],
  Shopping: [{ key: 'item', type: 'text' }],
}

/** A program that stops commands which run without end, once they are ready. They listen on free ports. */
const WRAPPER = `#!/bin/bash
case "$1 $2 $*" in
  *" --once"*|*" --help"*|"help "*) ready= ;;
  serve*|demo*|"mirror http"*) ready='listening on' ;;
  listen*) ready='Listening' ;;
  *" --follow"*) ready=. ;;
esac
[ -z "$ready" ] && exec DAYBOOK "$@"
said=$(mktemp)
DAYBOOK "$@" > "$said" 2>&1 < /dev/null &
while kill -0 $! 2> /dev/null && ! grep -q "$ready" "$said"; do sleep 0.05; done
kill -TERM $! 2> /dev/null
wait $!
code=$?
cat "$said" >&2
grep -q "$ready" "$said" || exit 1
exit $code
`

/** The ids of the objects that the examples name. */
interface Ids {
  readonly app: string
  readonly key: string
  readonly note: string
  readonly file: string
  readonly push: string
  readonly pull: string
  readonly event: string
  readonly conflicts: readonly string[]
}

export interface GuideWorld {
  readonly remote: ServerProcess
  readonly ids: Ids
  readonly recipient: string
  /** Creates a copy of the folder in which the examples run. */
  newCopy(): ReturnType<typeof newFolder>
  /** The environment of a shell in such a copy. */
  envOf(folder: string): Record<string, string>
  end(): Promise<void>
}

const refusedBy = ({ status, body }: { status: number; body: unknown }) =>
  new Error(`the world is not complete: ${status} ${JSON.stringify(body)}`)

async function created(server: ServerProcess, path: string, body: object) {
  const answer = await server.post(path, body)
  if (answer.status !== 201) throw refusedBy(answer)
  return answer.body
}

const UNSIGNED = { structure: 'Payments', provider: 'none', options: { unverified: true } }

/** Creates the objects that the examples name on the remote server. */
async function populate(server: ServerProcess) {
  for (const [name, fields] of Object.entries(TABLES))
    await created(server, '/v1/records/structures', { name, fields })
  const { records } = await created(server, '/v1/records', {
    structure: 'Expenses',
    data: { what: 'Paper', amount: 12.5 },
  })
  const row = records[0].id
  const { note } = await created(server, '/v1/notes', { title: 'Plan', content: 'Oak.' })
  const { webhook: push } = await created(server, '/v1/webhooks', {
    structure: 'Expenses',
    url: 'https://hooks.example.com/expenses',
  })
  const { webhook: pull } = await created(server, '/v1/webhooks', { structure: 'Expenses', delivery: 'pull' })
  await server.patch(`/v1/records/${row}`, { data: { amount: 13 } })
  const { source } = await created(server, '/v1/sources', { name: 'Card payments', ...UNSIGNED })
  await created(server, '/v1/sources', { name: 'Stripe', ...UNSIGNED })
  await fetch(source.url, { method: 'POST', body: '{"number": 1}' })
  const { body } = await server.get(`/v1/sources/${source.id}/events`)
  return { note: note.id, push: push.id, pull: pull.id, event: body.events[0]?.id }
}

/** Creates a mirror with a local change that is in conflict with one of the remote. Returns the id of the row. */
async function createConflict(remote: ServerProcess, db: string): Promise<string> {
  const { records } = await created(remote, '/v1/records', { structure: 'Expenses', data: { what: 'Wood' } })
  const path = `/v1/records/${records[0].id}`
  const mirror = await startMirror({
    file: db,
    remote: remote.url,
    key: remote.key ?? '',
    args: ['--writable'],
  })
  await mirror.patch(path, { data: { what: 'Card' } })
  await remote.patch(path, { data: { what: 'Felt' } })
  const conflicts = async () => (await daybook(['mirror', 'diff', '--db', db])).err
  while (!(await conflicts()).includes('Conflicts')) await Bun.sleep(20)
  await mirror.end()
  return records[0].id
}

/** Adds the objects that have no endpoint for a program: a key and a connected app. */
async function addByCommand(db: string): Promise<{ app: string; key: string }> {
  const made = await daybook(['keys', 'create', '--name', 'old', '--json', '--db', db])
  const app = await withDatabaseFile(db, { env: {} }, (opened) =>
    opened.write((tx) => connectAppIn(tx, 'owner').id),
  )
  return { key: JSON.parse(made.out).id, app }
}

/** Starts the remote server and prepares the folder. */
export async function startGuideWorld(): Promise<GuideWorld> {
  const folder = newFolder()
  const prepared = folder.file('prepared')
  for (const name of FOLDERS) mkdirSync(join(prepared, name), { recursive: true })
  for (const [name, content] of Object.entries(FILES)) await Bun.write(join(prepared, name), content)
  const remote = await startProcess(folder.file('remote.db'))
  const named = await populate(remote)
  const file = (
    await daybook(['files', 'add', join(prepared, 'report.pdf'), '--db', folder.file('remote.db')])
  ).out
  const db = join(prepared, 'daybook.db')
  await daybook(['backup', db, '--db', folder.file('remote.db')])
  const conflicts = [
    await createConflict(remote, join(prepared, 'conflict-0.db')),
    await createConflict(remote, join(prepared, 'conflict-1.db')),
  ]
  const ids = { ...named, ...(await addByCommand(db)), file: file.trim(), conflicts }
  const site = new OffSite()
  site.store = startS3Server()
  const identity = await age.generateIdentity()
  const recipient = await age.identityToRecipient(identity)
  await Bun.write(join(prepared, 'daybook-key.txt'), `${identity}\n`)
  copyFileSync(db, site.db)
  await site.run({ recipients: [recipient] })
  const bin = folder.file('bin')
  mkdirSync(bin)
  for (const path of [join(bin, 'daybook'), join(prepared, 'daybook-new')])
    writeFileSync(path, WRAPPER.replaceAll('DAYBOOK', program()[0] ?? ''), { mode: 0o755 })
  return {
    remote,
    ids,
    recipient,
    newCopy: () => {
      const copy = newFolder()
      cpSync(prepared, copy.path, { recursive: true })
      return copy
    },
    envOf: (path) => ({
      ...site.env,
      HOME: join(path, 'home'),
      PATH: `${bin}${delimiter}${process.env.PATH}`,
      DAYBOOK_PORT: '0',
      DAYBOOK_SECRET: SECRET,
      DAYBOOK_KEY: remote.key ?? '',
      KEY: remote.key ?? '',
      URL: remote.url,
      REMOTE_PORT: new URL(remote.url).port,
    }),
    end: async () => {
      await remote.end()
      await site.store.stop()
      site.folder.remove()
      folder.remove()
    },
  }
}
