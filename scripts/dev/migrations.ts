/**
 * Generates the next migration from the tables in `src/storage/schema`. Makes its tables STRICT, which drizzle cannot
 * express, and omits statements that switch foreign keys, which are off while migrations run. Then writes
 * `drizzle/baseline/schema.sql`, from which new databases are created, and
 * `src/storage/schema/migrations/migrations.ts`, which embeds both in the executable.
 */
import { readdirSync, rmSync } from 'node:fs'
import { spawnSync } from 'bun'
import { baselineOf } from './baseline.ts'

/** Tables accessed only by their primary key: narrow ones, and the rows of small structures. */
const WITHOUT_ROWID = new Set([
  'jobs',
  'members',
  'note_aliases',
  'note_links',
  'note_tags',
  'tag_links',
  'note_properties',
  'search_pending',
  'preset_tags',
  'preset_properties',
  'row_search_pending',
  'small_rows',
  'webhook_deliveries',
  'webhook_attempts',
  'webhook_responses',
  'webhook_moments',
  'sign_in_addresses',
  'mirror_left_out',
])

const listMigrations = () =>
  readdirSync('drizzle')
    .filter((name) => name.endsWith('.sql'))
    .sort()

const before = new Set(listMigrations())
const generated = spawnSync(
  [
    'bun',
    'x',
    'drizzle-kit',
    'generate',
    '--config',
    'scripts/dev/drizzle.config.ts',
    ...process.argv.slice(2),
  ],
  { stdio: ['inherit', 'inherit', 'inherit'] },
)
if (!generated.success) process.exit(1)

// drizzle-kit compares the tables only with the newest snapshot.
const snapshots = readdirSync('drizzle/meta').filter((name) => name.endsWith('_snapshot.json'))
for (const name of snapshots.sort().slice(0, -1)) rmSync(`drizzle/meta/${name}`)

for (const name of listMigrations()) {
  if (before.has(name)) continue
  const path = `drizzle/${name}`
  const text = await Bun.file(path).text()
  const statements = text.replace(/^PRAGMA foreign_keys=O\w+;--> statement-breakpoint\n/gm, '')
  const strict = statements.replace(
    /^(CREATE TABLE `(?:__new_)?(\w+)` \([\s\S]*?\n\));/gm,
    (_, table, tableName) =>
      WITHOUT_ROWID.has(tableName) ? `${table} STRICT, WITHOUT ROWID;` : `${table} STRICT;`,
  )
  await Bun.write(path, strict)
}

const names = listMigrations().map((name) => name.replace(/\.sql$/, ''))
const scripts = await Promise.all(
  names.map(async (name) => ({ sql: await Bun.file(`drizzle/${name}.sql`).text() })),
)
await Bun.write('drizzle/baseline/schema.sql', baselineOf(scripts))

const imports = names.map(
  (name, at) => `import migration${at} from '../../../../drizzle/${name}.sql' with { type: 'text' }`,
)
const entries = names.map((name, at) => `  { name: '${name}', sql: migration${at} },`)
await Bun.write(
  'src/storage/schema/migrations/migrations.ts',
  `// Written by \`bun run migrations\`.

${imports.join('\n')}
import baseline from '../../../../drizzle/baseline/schema.sql' with { type: 'text' }

/** Every migration in order; a database's \`user_version\` says how many of them it has had. */
export const MIGRATIONS: readonly { name: string; sql: string }[] = [
${entries.join('\n')}
]

/** The schema after all of them, as one script for new databases. */
export const BASELINE: string = baseline
`,
)
