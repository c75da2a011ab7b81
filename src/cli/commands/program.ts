import { readConfig } from '../../config.ts'
import { contextOn } from '../../context.ts'
import { systemClock } from '../../lib/clock.ts'
import { createLog } from '../../lib/log.ts'
import { VERSION } from '../../lib/version.ts'
import { openDatabase } from '../../storage/database.ts'
import { type Command, flag, WrongUsage } from '../command.ts'

/** The document of a server, from a service on an empty in-memory database. */
async function document(hasWebhooks: boolean): Promise<string> {
  const [{ createApi }, { credentials }, { withoutWebhooks }] = await Promise.all([
    import('../../api.ts'),
    import('../../people/sessions/sessions.ts'),
    import('../../http/docs/routes.ts'),
  ])
  const log = createLog('silent', systemClock, () => {})
  const file = ':memory:'
  const db = openDatabase({ file, programVersion: VERSION, clock: systemClock, log, role: 'server' })
  try {
    const config = { ...readConfig({}), db: file }
    const app = createApi(contextOn({ config, db, clock: systemClock, log, credentials }))
    const whole = await app.openApi()
    return JSON.stringify(hasWebhooks ? whole : withoutWebhooks(whole), null, 2)
  } finally {
    db.close()
  }
}

export const openapi: Command = {
  name: 'openapi',
  summary: 'Print the OpenAPI document of the HTTP API.',
  flags: [flag('--no-webhooks', 'omit the section "webhooks", on which some client generators fail')],
  examples: [
    'daybook openapi > openapi.json',
    'daybook openapi --no-webhooks > openapi.json && openapi-generator-cli generate -g python -i openapi.json',
  ],
  run: async ({ flags }, io) => {
    io.out(`${await document(flags['no-webhooks'] !== true)}\n`)
    return 0
  },
}

const kinds = () => import('../../files/extraction/kinds.ts')
const extraction = () => import('../../files/extraction/process.ts')

/** Started by daybook itself, to extract the text of a file in a separate process. */
export const extract: Command = {
  name: 'extract',
  summary: 'Extract the text of a file from standard input; daybook runs this itself.',
  parameters: ['<kind>', '<seconds>', '<mebibytes>'],
  flags: [],
  examples: ['daybook extract pdf 60 512 < handbook.pdf'],
  run: async ({ args: [kind = '', seconds, mebibytes] }) => {
    const { isKind } = await kinds()
    if (!isKind(kind)) throw new WrongUsage(`There is no kind of file "${kind}".`)
    const { runExtraction } = await extraction()
    return runExtraction(kind, { seconds: Number(seconds), mebibytes: Number(mebibytes) })
  },
}

export const version: Command = {
  name: 'version',
  summary: 'Print the version of this program.',
  flags: [],
  examples: ['daybook version'],
  run: async (_input, io) => {
    io.out(`${VERSION}\n`)
    return 0
  },
}
