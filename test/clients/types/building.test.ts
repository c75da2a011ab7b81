import { afterAll, beforeAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import { spawnSync } from 'bun'
import { untilTextIn } from '../../support/application-server.ts'
import { hasBrowser, sharedBrowser } from '../../support/browser.ts'
import { newFolder, program, type ServerProcess, startProcess } from '../../support/process.ts'

const PAGE = await Bun.file(join(import.meta.dir, '..', '..', '..', 'scripts', 'guide', 'build.md')).text()

/** Returns a part of the page, by its name. */
function partOf(name: string): string {
  const start = PAGE.indexOf(`<!-- building: ${name} -->\n`)
  return /```\w+\n([\s\S]*?)```/.exec(PAGE.slice(start))?.[1] ?? ''
}

const folder = newFolder()
const pages = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch: ({ url }) => new Response(Bun.file(folder.file(`dist${new URL(url).pathname}`))),
})
const origin = `http://127.0.0.1:${pages.port}`
let server: ServerProcess

beforeAll(async () => {
  server = await startProcess(folder.file('daybook.db'), { args: ['--cors-origin', origin] })
  const ofThisRun = (text: string) =>
    text
      .replaceAll('http://127.0.0.1:8787', server.url)
      .replaceAll('dbk_…', server.key ?? '')
      .replace(/^daybook /, `${program()[0]} `)
  for (const name of ['structure', 'types']) {
    const env = { ...process.env, DAYBOOK_KEY: server.key }
    const { exitCode, stderr } = spawnSync(['sh', '-c', ofThisRun(partOf(name))], { cwd: folder.path, env })
    expect([name, exitCode, stderr.toString()]).toEqual([name, 0, ''])
  }
  for (const name of ['index.html', 'app.ts']) await Bun.write(folder.file(name), ofThisRun(partOf(name)))
  const built = await Bun.build({ entrypoints: [folder.file('index.html')], outdir: folder.file('dist') })
  expect(built.logs).toEqual([])
})

afterAll(async () => {
  await server.end()
  await pages.stop(true)
  folder.remove()
})

test.skipIf(!hasBrowser)(
  'the application of the page lists, adds and checks off, live for all users',
  async () => {
    const browser = await sharedBrowser()
    const [one, other] = [await browser.newPage(), await browser.newPage()]
    const shows = (page: typeof one, items: string) =>
      page.waitForFunction(
        (wanted) =>
          [...document.querySelectorAll('li')].map(({ firstChild }) => firstChild?.textContent).join() ===
          wanted,
        {},
        items,
      )
    for (const page of [one, other]) await page.goto(`${origin}/index.html`)
    await one.type('input', 'Bread')
    await one.keyboard.press('Enter')
    await Promise.all([shows(one, 'Bread'), shows(other, 'Bread')])
    await server.post('/v1/records', { structure: 'Shopping', data: { item: 'Tea', shop: 'market' } })
    await Promise.all([shows(one, 'Bread,Tea'), shows(other, 'Bread,Tea')])
    await other.click('li button')
    await Promise.all([shows(one, 'Tea'), shows(other, 'Tea')])
    await one.click('form button')
    await untilTextIn(one, 'output', '"item"')
    for (const page of [one, other]) await page.close()
  },
)
