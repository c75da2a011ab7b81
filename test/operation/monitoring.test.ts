import { afterAll, beforeAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import { spawnSync, which } from 'bun'
import { createApi } from '../../src/api.ts'
import { NO_BACKUPS } from '../../src/operation/backups/schedule.ts'
import { newFolder } from '../support/process.ts'
import { clientOf, startService, type TestService } from '../support/service.ts'

const FOLDER = join(import.meta.dir, '..', '..', 'scripts', 'deploy', 'monitoring')
const PROMTOOL = which('promtool')

let folder: ReturnType<typeof newFolder>
let service: TestService

beforeAll(async () => {
  folder = newFolder()
  service = await startService({ file: folder.file('daybook.db') })
})
afterAll(() => {
  service.close()
  folder.remove()
})

/** Returns every text in a JSON value. */
function texts(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(texts) : []
}

const readDashboard = () => Bun.file(join(FOLDER, 'dashboard.json')).json()
const readRules = async () => Bun.YAML.parse(await Bun.file(join(FOLDER, 'alerts.yml')).text())
const metricsIn = (text: string) =>
  [...text.matchAll(/\bdaybook_\w+/g)].map(([name]) => name.replace(/_(?:bucket|sum|count)$/, ''))

test('the alerts and the dashboard name no metric that the server does not have, and all of them but a rate are on it', async () => {
  const app = createApi(service.ctx, {
    ...NO_BACKUPS,
    targets: [{ name: 'b', lastBackupAt: 1, lastDrillAt: 1, lagMs: 0 }],
    hasDrills: true,
  })
  const client = clientOf(app, service.key)
  await client.get('/v1/notes')
  await client.post('/v1/notes', { title: 'One' })
  const { body } = await client.get('/metrics')
  const served = new Set([...String(body).matchAll(/^# TYPE (\w+)/gm)].map(([, name = '']) => name))
  const onDashboard = texts(await readDashboard()).flatMap(metricsIn)
  const inAlerts = texts(await readRules()).flatMap(metricsIn)
  expect(inAlerts.length).toBeGreaterThan(5)
  expect([...onDashboard, ...inAlerts].filter((name) => !served.has(name))).toEqual([])
  expect([...served].filter((name) => !onDashboard.includes(name))).toEqual(['daybook_changes_per_second'])
})

test('every alert has a summary of the fault', async () => {
  const { groups } = (await readRules()) as { groups: { rules: { annotations?: { summary?: string } }[] }[] }
  const rules = groups.flatMap((group) => group.rules)
  expect(rules.filter(({ annotations }) => !annotations?.summary?.endsWith('.'))).toEqual([])
})

function promtool(...args: string[]) {
  const { exitCode, stdout, stderr } = spawnSync([PROMTOOL ?? '', ...args], { cwd: FOLDER, stderr: 'pipe' })
  return { exitCode, said: exitCode === 0 ? '' : `${stdout}${stderr}` }
}

const OK = { exitCode: 0, said: '' }

if (!PROMTOOL) process.stderr.write('promtool is not installed: its tests are skipped.\n')

test.skipIf(!PROMTOOL)('the alerts are silent while all is well, and each fires for its reason', () => {
  expect(promtool('check', 'rules', 'alerts.yml')).toEqual(OK)
  expect(promtool('test', 'rules', 'alerts.test.yml')).toEqual(OK)
})

test.skipIf(!PROMTOOL)('Prometheus accepts every query of the dashboard', async () => {
  const { panels } = (await readDashboard()) as { panels: { targets: { expr: string }[] }[] }
  const queries = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr))
  const rules = queries.map((query, at) => ({
    record: `query_${at}`,
    expr: query.replaceAll('$__rate_interval', '5m').replaceAll('$instance', '.*'),
  }))
  const file = folder.file('queries.yml')
  await Bun.write(file, JSON.stringify({ groups: [{ name: 'dashboard', rules }] }))
  expect(queries.length).toBeGreaterThan(10)
  expect(promtool('check', 'rules', file)).toEqual(OK)
})

test.skipIf(!PROMTOOL)('Prometheus accepts the configuration', async () => {
  const text = await Bun.file(join(FOLDER, 'prometheus.yml')).text()
  const file = folder.file('prometheus.yml')
  await Bun.write(folder.file('daybook.key'), 'dbk_')
  await Bun.write(
    file,
    text
      .replace('/etc/prometheus/rules/alerts.yml', join(FOLDER, 'alerts.yml'))
      .replace('/etc/prometheus/daybook.key', folder.file('daybook.key')),
  )
  expect(promtool('check', 'config', file)).toEqual(OK)
})
