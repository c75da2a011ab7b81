import { expect, test } from 'bun:test'
import { dirname } from 'node:path'
import { Webhook } from 'standardwebhooks'
import { newSecret } from '../../../src/log/message.ts'
import { guideLines } from '../../operation/deploy.ts'
import { newFolder, program, startProcess } from '../../support/process.ts'
import { startReceiver } from '../../support/receiver.ts'

/** The lines of the recipe, with the addresses of this run. */
async function recipeLines(remote: string, receiver: string, key: string, secret: string): Promise<string[]> {
  const lines = await guideLines('mirrors.md', 'mirror')
  return lines.map((line) =>
    line
      .replace('dbk_…', key)
      .replace('whsec_…', secret)
      .replace('https://daybook.example.com', remote)
      .replace('http://localhost:3000', receiver),
  )
}

test('the recipe of a mirror leads from nothing to a copy whose app receives webhooks', async () => {
  const folder = newFolder()
  const [receiver, remote] = [await startReceiver(), await startProcess(folder.file('remote.db'))]
  const secret = newSecret()
  await remote.post('/v1/records/structures', {
    name: 'Customers',
    fields: [
      { key: 'name', type: 'text' },
      { key: 'email', type: 'text' },
    ],
  })
  const lines = await recipeLines(remote.url, `http://127.0.0.1:${receiver.port}`, remote.key ?? '', secret)
  expect(lines).toHaveLength(5)
  const at = lines.findIndex((line) => line.endsWith('&'))
  const [daybook = ''] = program()
  const script = [
    ...lines.slice(0, at),
    // The port in the recipe may be in use here.
    'export DAYBOOK_PORT=0',
    `${lines[at]?.replace(/&$/, '')} > mirror.out & mirror=$!`,
    'until grep -q listening mirror.out; do kill -0 $mirror || exit 1; sleep 0.1; done',
    'grep -o "http:.*" mirror.out',
    ...lines.slice(at + 1),
    'read -r; kill $mirror; wait $mirror',
  ].join('\n')
  const shell = Bun.spawn(['bash', '-c', script], {
    cwd: folder.path,
    env: { PATH: `${dirname(daybook)}:${process.env.PATH}` },
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const decoder = new TextDecoder()
  const output = shell.stdout.getReader()
  let printed = ''
  try {
    for (let chunk = await output.read(); !chunk.done; chunk = await output.read()) {
      printed += decoder.decode(chunk.value, { stream: true })
      // The last line of the recipe prints a key.
      if (/dbk_[\w-]{43}\n/.test(printed)) break
    }
    expect(printed).toMatch(/^http:\/\/127\.0\.0\.1:\d+\n[\s\S]*Follows;/)
    await remote.post('/v1/records', {
      structure: 'Customers',
      data: { name: 'Ada', email: 'ada@secret.test' },
    })
    await receiver.until(1)
    const [{ body, headers } = { body: '', headers: {} }] = receiver.received
    expect(new Webhook(secret).verify(body, headers)).toMatchObject({ record: { data: { name: 'Ada' } } })
    expect(body).not.toContain('secret.test')
    shell.stdin.write('\n')
    await shell.stdin.end()
    expect(await shell.exited).toBe(0)
  } finally {
    shell.kill()
    await shell.exited
    await remote.end()
    await receiver.close()
    folder.remove()
  }
}, 60_000)
