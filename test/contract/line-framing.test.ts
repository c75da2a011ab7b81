import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { serveLines } from '../../src/clients/mcp/stdio/messages.ts'
import { createLog } from '../../src/lib/log.ts'
import { newFolder } from '../support/process.ts'
import { declare, write } from '../support/records.ts'
import { settle, startService, type TestService } from '../support/service.ts'
import { readWatch } from '../support/watch.ts'
import { exportRowsTo, exportTo } from '../support/workspace-files.ts'

/** Every character that some line reader splits at, such as `splitlines` of Python. */
const BOUNDARIES = '\v\f\x1c\x1d\x1e\x85\u2028\u2029'
const SPLIT = new RegExp(`[\r${BOUNDARIES}]`)
const TEXT = `a${BOUNDARIES}b`

let service: TestService
const folder = newFolder()

beforeAll(async () => {
  service = await startService()
  await declare(service, 'Rows', [{ key: 'text', type: 'text', label: `l\u2028l` }])
  await write(service, 'Rows', { text: TEXT })
  await service.post('/v1/notes', { title: `a\u2028b`, content: TEXT, tags: [`t\u2028t`] })
})
afterAll(async () => {
  await service.close()
  folder.remove()
})

/** The lines of a reader that splits at every boundary; each line must be JSON. */
const parsedLines = (text: string) => {
  expect(text).not.toMatch(SPLIT)
  return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]))
}

const get = (path: string, accept = '*/*') =>
  service.app.fetch(
    new Request(`http://localhost${path}`, { headers: { authorization: `Bearer ${service.key}`, accept } }),
  )

/** Returns the stream's text so far. */
async function streamed(path: string): Promise<string> {
  const response = await get(path, 'text/event-stream')
  const reader = response.body?.getReader()
  const decoder = new TextDecoder()
  let text = ''
  void (async () => {
    for (let part = await reader?.read(); part && !part.done; part = await reader?.read())
      text += decoder.decode(part.value)
  })().catch(() => {})
  await settle()
  await reader?.cancel()
  return text
}

describe('line-based formats have no other line boundaries', () => {
  test.each(['/v1/records/watch?structure=Rows', '/v1/changes?include=objects'])('%s', async (path) => {
    const text = await streamed(path)
    expect(text).not.toMatch(SPLIT)
    const data = text.split('\n').filter((line) => line.startsWith('data: '))
    expect(
      data.some((line) => JSON.stringify(JSON.parse(line.slice(6))).includes(JSON.stringify(TEXT))),
    ).toBeTrue()
  })

  test('a snapshot', async () => {
    const objects = parsedLines(await (await get('/v1/changes/snapshot')).text())
    expect(objects.find(({ kind }) => kind === 'record').object.data).toEqual({ text: TEXT })
    expect(objects.find(({ kind }) => kind === 'note').object).toMatchObject({
      title: 'a\u2028b',
      content: TEXT,
    })
  })

  test('the rows of an export', () => {
    const file = folder.file('rows.jsonl')
    exportRowsTo(service, 'Rows', file, 'jsonl')
    exportTo(service, folder.file('all'))
    const structures = join(folder.file('all'), 'structures')
    const exported = readdirSync(structures).find((name) => name.endsWith('.jsonl')) ?? ''
    for (const path of [file, join(structures, exported)])
      expect(parsedLines(readFileSync(path, 'utf8'))[0].data).toEqual({ text: TEXT })
  })

  test('the stream of a subscription over MCP', async () => {
    const version = '2026-07-28'
    const prefix = 'io.modelcontextprotocol/'
    const _meta = {
      [`${prefix}protocolVersion`]: version,
      [`${prefix}clientInfo`]: { name: 'test', version: '1' },
      [`${prefix}clientCapabilities`]: {},
    }
    const method = 'subscriptions/listen'
    const response = await service.app.fetch(
      new Request('http://localhost/mcp', {
        method: 'POST',
        headers: {
          authorization: `Bearer ${service.key}`,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': version,
          'mcp-method': method,
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: TEXT, method, params: { _meta, notifications: {} } }),
      }),
    )
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    const text = await response.text()
    expect(text).not.toMatch(SPLIT)
    const data = text.split('\n').filter((line) => line.startsWith('data: '))
    expect(JSON.parse(data.at(-1)?.slice(6) ?? '').id).toBe(TEXT)
  })

  test('messages of MCP on standard output', async () => {
    let text = ''
    const lines = (async function* () {
      yield JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call' })
    })()
    const writeLine = async (line: string) => {
      text += line
      return true
    }
    await serveLines({ lines, write: writeLine }, async ({ id }) => [{ jsonrpc: '2.0', id, result: TEXT }])
    expect(parsedLines(text)).toEqual([{ jsonrpc: '2.0', id: 1, result: TEXT }])
  })

  test('the log', () => {
    let text = ''
    const log = createLog('info', service.clock, (lines) => {
      text += lines
    })
    log.error('failed', { error: TEXT })
    log.flush()
    expect(parsedLines(text)[0].error).toBe(TEXT)
  })
})

describe('the first block of a stream of events holds data', () => {
  test.each(['/v1/records/watch?structure=Rows', '/v1/changes', '/v1/changes?after=now'])(
    '%s, however long it takes',
    async (path) => {
      const opened = readWatch(await get(path, 'text/event-stream'))
      await opened.opened()
      expect(opened.response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
      service.clock.advance(60_000)
      const { status } = await service.post('/v1/notes', { title: 'Later' })
      expect(status).toBe(201)
      // `next` rejects a block that has fields but no data.
      let said = await opened.next()
      while (said && 'comment' in said) said = await opened.next()
      expect(said).toMatchObject({ event: expect.any(String) })
      await opened.rest()
      service.clock.advance(30_000)
      expect(await opened.rest()).toContainEqual({ comment: 'alive' })
      await opened.leave()
    },
  )
})
