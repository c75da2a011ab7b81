/**
 * `bun run bench [records] [rows] [notes] [views] [import] [watch] [webhooks] [events] [sources] [changes] [access]
 * [mcp] [mirror] [app] [workspaces] [stalls]` measures these parts, or all. It writes the results of each part as Markdown to
 * standard output and to `dist/bench`. With `--record`, rows with a goal also replace the part's rows in
 * `scripts/bench/results.md`, the source of the README's table. `--quick` measures with little data. For `stalls`,
 * `neighbours` and `mirror`, `--size 0.1` uses a tenth of the data. There `--only TEXT` measures only operations whose
 * names contain the text. For `app`, which needs Chromium, `--minutes 10` also scrolls for 10 minutes and then reports
 * the memory of the page.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { buildWhenStale } from '../lib/executable.ts'
import { benchAccess } from './parts/access.ts'
import { benchAgents } from './parts/agents.ts'
import { benchApplication } from './parts/application.ts'
import { benchChanges } from './parts/changes.ts'
import { benchEvents } from './parts/events.ts'
import { benchFeltSpeed } from './parts/felt-speed.ts'
import { benchImports } from './parts/imports.ts'
import { benchMirror } from './parts/mirror.ts'
import { benchNotes } from './parts/notes.ts'
import { benchRecords } from './parts/records.ts'
import { benchRows } from './parts/rows.ts'
import { benchSources } from './parts/sources.ts'
import { benchStalls } from './parts/stalls.ts'
import { benchViews } from './parts/views.ts'
import { benchWatch } from './parts/watch.ts'
import { benchWebhooks } from './parts/webhooks.ts'
import { benchWorkspaces } from './parts/workspaces.ts'
import { conditionsNow, partText, type Section, withGoals, withHighlights } from './results.ts'

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean' },
    rounds: { type: 'string' },
    record: { type: 'boolean' },
    size: { type: 'string' },
    only: { type: 'string' },
    minutes: { type: 'string', default: '0' },
  },
})
const size = Number(values.size ?? (values.quick ? 0.02 : 1))
const quick = values.quick === true || size < 1 || values.only !== undefined
const rounds = Number(values.rounds ?? (quick ? 30 : 200))

/** Work of one workspace that may delay others: imports, floods of large queries, watchers, webhooks. */
const NOISE = 'heavy reads|watches|batch of|undo that|add a file|make a field'

const PARTS: Record<string, { title: string; run(): Promise<Section[]> }> = {
  records: {
    title: 'Records',
    run: () => benchRecords(quick ? [1_000, 100_000] : [1_000, 100_000, 1_000_000], rounds),
  },
  rows: {
    title: 'Rows in use',
    run: () => (quick ? benchRows([20_000], 20_000) : benchRows([100_000, 1_000_000], 100_000)),
  },
  notes: {
    title: 'Notes',
    run: () => benchNotes(quick ? [1_000, 10_000] : [1_000, 10_000, 100_000], rounds),
  },
  views: {
    title: 'Filter trees and views',
    run: () => benchViews(quick ? [10_000] : [10_000, 100_000], rounds),
  },
  import: {
    title: 'Imports',
    run: () => (quick ? benchImports(2_000, 100_000, 3) : benchImports(10_000, 1_000_000, 5)),
  },
  watch: { title: 'Watch', run: () => (quick ? benchWatch(1, 3) : benchWatch(3, 10)) },
  webhooks: {
    title: 'Webhooks',
    run: () => (quick ? benchWebhooks(1, 2_000, 3) : benchWebhooks(5, 5_000, 20)),
  },
  events: {
    title: 'Events in order and pulled',
    run: () => (quick ? benchEvents(1, 2_000, 50_000, 2_000) : benchEvents(5, 5_000, 1_000_000, 100_000)),
  },
  sources: {
    title: 'Sources',
    run: () => (quick ? benchSources(100_000, 2, 3) : benchSources(1_000_000, 5, 10)),
  },
  changes: {
    title: 'Change log',
    run: () => (quick ? benchChanges(50_000, 20) : benchChanges(1_000_000, 100)),
  },
  access: { title: 'Access', run: () => benchAccess(quick ? 15 : 41) },
  mcp: { title: 'Agents', run: () => benchAgents(quick ? 100 : 1_000) },
  mirror: {
    title: 'Mirror',
    run: () =>
      benchMirror({
        rows: Math.round(1_000_000 * size),
        notes: Math.round(100_000 * size),
        seconds: quick ? 5 : 20,
      }),
  },
  app: {
    title: 'Application',
    run: async () => {
      const [notes, rows] = quick ? [10_000, 100_000] : [100_000, 1_000_000]
      const minutes = Number(values.minutes)
      return [await benchFeltSpeed(), ...(await benchApplication({ notes, rows, minutes }))]
    },
  },
  workspaces: {
    title: 'Workspaces',
    run: () => benchWorkspaces(quick ? [1, 100] : [1, 100, 1_000, 10_000]),
  },
  stalls: { title: 'Stalls', run: () => benchStalls(size, values.only) },
  neighbours: {
    title: 'A noisy workspace',
    run: () => benchStalls(size, values.only ?? NOISE, quick ? 20 : 1_000),
  },
}

const README = 'README.md'
const RESULTS = 'scripts/bench/results.md'
const FOLDER = 'dist/bench'

const names = positionals.length > 0 ? positionals : Object.keys(PARTS)
const unknown = names.find((name) => !(name in PARTS))
if (unknown !== undefined)
  throw new Error(`There is no part "${unknown}"; there are ${Object.keys(PARTS).join(', ')}.`)

if (quick && values.record) throw new Error('Only results of full size are recorded.')

buildWhenStale()
mkdirSync(FOLDER, { recursive: true })
for (const name of names) {
  const { title, run } = PARTS[name] as (typeof PARTS)[string]
  process.stderr.write(`measuring ${name}\n`)
  const part = { title, conditions: conditionsNow(), sections: await run() }
  const text = `${partText(part)}\n`
  process.stdout.write(`${text}\n`)
  await Bun.write(join(FOLDER, `${name}.md`), text)
  if (!values.record) continue
  // Recorded after each part, so that an interrupted bench keeps its measurements.
  const results = withGoals(await Bun.file(RESULTS).text(), part)
  await Bun.write(RESULTS, results)
  await Bun.write(README, withHighlights(await Bun.file(README).text(), results))
}
