import { readDatabaseFile } from '../../../config.ts'
import { refused } from '../../../lib/refusal.ts'
import { VERSION } from '../../../lib/version.ts'
import { type Diagnosis, diagnose } from '../../../operation/diagnosis.ts'
import { inspectDatabase } from '../../../storage/connection/inspect.ts'
import { copyBeforeUpgrade } from '../../../storage/connection/migrate.ts'
import { type Command, DB_FLAG, flag, type Input, JSON_FLAG, textFlag, WrongUsage } from '../../command.ts'
import type { Io } from '../../io.ts'
import { bytesInWords, show } from '../../output.ts'

type Report = ReturnType<typeof describe>

function describe(database: Diagnosis, release: Release | undefined) {
  const { schema, known_schema, database_bytes, log_bytes, free_bytes } = database
  const isUpgrade = schema < known_schema
  return {
    version: VERSION,
    schema,
    known_schema,
    /** The copy that the first start writes before it changes the schema; null if the schema stays. */
    copy: isUpgrade ? copyBeforeUpgrade(database.file, VERSION, schema) : null,
    needed_bytes: isUpgrade ? database_bytes + log_bytes : 0,
    free_bytes,
    ...(release && { newest: release.version, is_newer: release.isNewer, changes: release.changes }),
  }
}

function schemaSentence({ schema, known_schema: known, copy, needed_bytes, free_bytes }: Report): string {
  if (schema > known)
    return `The database has schema ${schema}, of a newer daybook: this one, with schema ${known}, refuses to open it.`
  if (copy === null)
    return `Nothing changes: the database has the schema of this daybook (${schema}). Replace the executable and start it.`
  const free = free_bytes === null ? '' : ` of ${bytesInWords(free_bytes)} that are free`
  return `The next start upgrades the database (schema ${schema} to ${known}) and keeps all notes, rows and files. Older versions cannot open it afterwards. Before that it writes a verified copy, ${copy}, which takes up to ${bytesInWords(needed_bytes)}${free}.`
}

function print(io: Io, report: Report): void {
  io.out(`This is daybook ${report.version}.\n${schemaSentence(report)}\n`)
  if (report.newest === undefined) return
  if (!report.is_newer) io.out(`The release there is ${report.newest}: there is no newer one.\n`)
  else io.out(`The release there is newer: ${report.newest}.\n\n${report.changes}\n`)
}

async function releaseOf(input: Input): Promise<Release | undefined> {
  const url = textFlag(input, 'url')
  return url === undefined ? undefined : await findRelease(url)
}

export const upgrade: Command = {
  name: 'upgrade',
  summary: 'With --check, show what an upgrade would change.',
  flags: [
    flag('--check', 'show what the next start would change in the database; required'),
    flag('--url <url>', 'also show whether the release at this address is newer, and its changes'),
    JSON_FLAG,
    DB_FLAG,
  ],
  remarks: [
    'It changes nothing, and contacts no other host unless --url names the folder of a release, from which it reads',
    'SHA256SUMS and CHANGELOG.md. To upgrade, stop the server, replace the executable and start it again. To go back,',
    'stop it, and restore the copy with the old executable: daybook restore daybook.db.before-<version>.',
  ],
  examples: ['daybook upgrade --check', './daybook-new upgrade --check --db /srv/daybook.db'],
  run: async (input, io) => {
    if (!input.flags.check)
      throw new WrongUsage('daybook does not replace itself; --check shows what an upgrade would change.')
    const file = readDatabaseFile(io.env, input.flags)
    const database = inspectDatabase(file, (reader, schema) => diagnose(reader, file, schema))
    const report = describe(database, await releaseOf(input))
    return show(input, io, report, () => print(io, report))
  },
}

interface Release {
  readonly version: string
  readonly isNewer: boolean
  /** The changelog sections of the versions after this one. */
  readonly changes: string
}

const TIMEOUT_MS = 10_000

async function read(url: URL): Promise<string> {
  const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) }).catch((error) => {
    throw refused(`${url} cannot be read (${error.code ?? error.name}).`)
  })
  if (!response.ok) throw refused(`${url} cannot be read (status ${response.status}).`)
  return response.text()
}

const isNewer = (version: string) => Bun.semver.order(version, VERSION) > 0

/** A section begins with `## 0.2.0`, optionally followed by a date. */
const SECTION = /^## (\d+\.\d+\.\d\S*)/

async function findRelease(folder: string): Promise<Release> {
  if (!URL.canParse(folder)) throw refused(`--url must be the address of a release, not "${folder}".`)
  const base = new URL(folder.endsWith('/') ? folder : `${folder}/`)
  const [, version] =
    /^\S+ +daybook-(\d+\.\d+\.\d\S*?)-linux-x64$/m.exec(await read(new URL('SHA256SUMS', base))) ?? []
  if (version === undefined) throw refused(`${base} does not list a release of daybook.`)
  const sections = (await read(new URL('CHANGELOG.md', base))).split(/^(?=## )/m)
  const changes = sections.filter((section) => isNewer(SECTION.exec(section)?.[1] ?? '0.0.0'))
  return { version, isNewer: isNewer(version), changes: changes.join('').trim() }
}
