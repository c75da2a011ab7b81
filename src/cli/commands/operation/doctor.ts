import { arch, availableParallelism, release, totalmem } from 'node:os'
import { readDatabaseFile, readSettings } from '../../../config.ts'
import { counted } from '../../../lib/text.ts'
import { VERSION } from '../../../lib/version.ts'
import { type Diagnosis, diagnose } from '../../../operation/diagnosis.ts'
import { findServerUrl } from '../../../people/sessions/server-address.ts'
import { inspectDatabase } from '../../../storage/connection/inspect.ts'
import { type Command, DB_FLAG, JSON_FLAG } from '../../command.ts'
import type { Io } from '../../io.ts'
import { bytesInWords, countsInWords, onOneLine, printJson } from '../../output.ts'
import { serve } from '../serve.ts'
import { askHealth, type ServerHealth, unreachableServer, warningsOf } from './health.ts'

interface Report {
  readonly version: string
  readonly bun: string
  readonly system: string
  readonly memory_bytes: number
  readonly processors: number
  readonly settings: Readonly<Record<string, string>>
  readonly database: Diagnosis
  readonly server: ServerHealth
}

/** This setting names hosts of receivers. */
const HIDDEN_SETTING = 'webhook-allow'
const SHOWN_SETTINGS = serve.flags.map(({ name }) => name).filter((name) => name !== HIDDEN_SETTING)

function schemaInWords({ schema, known_schema: known }: Diagnosis): string {
  if (schema === known) return String(schema)
  return schema > known
    ? `${schema}, of a newer daybook: this one knows up to ${known}`
    : `${schema}; the next start upgrades it to ${known}`
}

function serverInWords(health: ServerHealth): string {
  const { url, status, error } = health
  if (status !== 'ok') return error ?? status
  return [`${url} works`, ...warningsOf(health)].join(', but ')
}

/** Lines of a name and a fact each. */
function linesOf({ database, server, ...program }: Report): [string, string][] {
  const settings = Object.entries(program.settings).map(([name, value]) => `${name}=${value}`)
  const { contents, last_errors: errors = [] } = database
  return [
    ['version', `daybook ${program.version}, Bun ${program.bun}`],
    [
      'system',
      `${program.system}, ${program.processors} processors, ${bytesInWords(program.memory_bytes)} of memory`,
    ],
    ['settings', settings.join(' ') || 'none in this environment'],
    ['database', `${database.file}, mode ${database.mode}`],
    [
      'size',
      `${bytesInWords(database.database_bytes)}, write-ahead log ${bytesInWords(database.log_bytes)}, free ${database.free_bytes === null ? 'unknown' : bytesInWords(database.free_bytes)}`,
    ],
    ['schema', schemaInWords(database)],
    ['integrity', database.integrity],
    ['server', serverInWords(server)],
    ...(contents ? [['contents', countsInWords(contents)] satisfies [string, string]] : []),
    ...errors.map((group): [string, string] => [
      'error',
      `${group.last_at} ${group.where}, ${counted(group.count, 'time')}: ${group.error}`,
    ]),
  ]
}

const NAME_WIDTH = 11

function print(io: Io, report: Report): void {
  for (const [name, fact] of linesOf(report)) io.out(`${name.padEnd(NAME_WIDTH)}${onOneLine(fact)}\n`)
}

export const doctor: Command = {
  name: 'doctor',
  summary: 'Print a diagnostic report: versions, sizes, settings, last errors.',
  flags: [JSON_FLAG, DB_FLAG],
  remarks: [
    'The report holds no secrets: no key, no title, no host that a webhook calls. The command changes nothing, reads',
    'databases of other versions too, and works beside a running server. It reports the settings of its own',
    'environment, and the last errors of deliveries and files from the database; other errors are in the log of the',
    'server. It checks the integrity of the pages; "daybook check" takes longer and checks everything. Exits 1 when',
    'the database is damaged or the server is failing.',
  ],
  examples: ['daybook doctor', 'daybook doctor --json > report.json'],
  run: async (input, io) => {
    io.yieldProcessor()
    const file = readDatabaseFile(io.env, input.flags)
    const { database, url } = inspectDatabase(file, (reader, schema) => {
      const found = diagnose(reader, file, schema)
      return { database: found, url: found.contents && findServerUrl(reader) }
    })
    const report: Report = {
      version: VERSION,
      bun: Bun.version,
      system: `${process.platform} ${release()} ${arch()}`,
      memory_bytes: totalmem(),
      processors: availableParallelism(),
      settings: readSettings(io.env, SHOWN_SETTINGS),
      database,
      server: database.contents
        ? await askHealth(url)
        : unreachableServer('The address of the server cannot be read.'),
    }
    if (input.flags.json) printJson(io, report)
    else print(io, report)
    return database.integrity === 'ok' && report.server.status !== 'failing' ? 0 : 1
  },
}
