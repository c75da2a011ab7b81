/**
 * `bun run bench [records] [notes] [views] [import] [watch] [webhooks] [--quick] [--rounds N]`: measures
 * and prints one table in Markdown. At full size it is written into the README too, in the place of the same parts.
 */
import { parseArgs } from 'node:util'
import { buildWhenStale } from '../executable.ts'
import { benchImports } from './import.ts'
import { markdown, markdownWith, type Section } from './measure.ts'
import { benchNotes } from './notes.ts'
import { benchRecords } from './records.ts'
import { benchViews } from './views.ts'
import { benchWatch } from './watch.ts'
import { benchWebhooks } from './webhooks.ts'

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { quick: { type: 'boolean' }, rounds: { type: 'string' } },
})
const rounds = Number(values.rounds ?? (values.quick ? 30 : 200))

const BENCHES: Record<string, () => Promise<Section[]>> = {
  records: () => benchRecords(values.quick ? [1_000, 100_000] : [1_000, 100_000, 1_000_000], rounds),
  notes: () => benchNotes(values.quick ? [1_000, 10_000] : [1_000, 10_000, 100_000], rounds),
  views: () => benchViews(values.quick ? [10_000] : [10_000, 100_000], rounds),
  import: () => (values.quick ? benchImports(2_000, 100_000, 3) : benchImports(10_000, 1_000_000, 5)),
  watch: () => (values.quick ? benchWatch(1, 3) : benchWatch(3, 10)),
  webhooks: () => (values.quick ? benchWebhooks(1, 2_000, 3) : benchWebhooks(5, 5_000, 20)),
}

const README = 'README.md'
const PLACE = /(<!-- bench -->\n)([\s\S]*?)(\n<!-- end of bench -->)/

buildWhenStale()
const names = positionals.length > 0 ? positionals : Object.keys(BENCHES)
const sections: Section[] = []
for (const name of names) {
  const bench = BENCHES[name]
  if (!bench) throw new Error(`There is no bench "${name}"; there are ${Object.keys(BENCHES).join(', ')}.`)
  process.stderr.write(`measuring ${name}\n`)
  sections.push(...(await bench()))
}

process.stdout.write(`${markdown(sections)}\n`)
if (!values.quick) {
  const readme = await Bun.file(README).text()
  await Bun.write(
    README,
    readme.replace(PLACE, (_, before, table, after) => `${before}${markdownWith(table, sections)}${after}`),
  )
}
