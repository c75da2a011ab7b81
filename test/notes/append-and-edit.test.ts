import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { appended, edited } from '../../src/notes/writing/append-and-edit.ts'
import { runs } from '../support/counts.ts'
import { makeNote, readNote, revisionsOf } from '../support/notes.ts'
import { measureProcessorTime } from '../support/processor-time.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
beforeEach(async () => {
  service = await startService()
})
afterEach(() => service.close())

const options = { numRuns: runs(300, 20_000) }

/** Bodies of mostly line breaks, blanks, hashes and backticks, mixed with everything else. */
const body = fc
  .array(
    fc.oneof(fc.constantFrom('\n', '\r\n', '\r', ' ', '\t', '# ', '## Log', '```', 'a', 'ä'), fc.string()),
  )
  .map((parts) => parts.join(''))

const splitLines = (text: string) => text.split(/\r\n|\n|\r/)
const isBlank = (line: string) => /^[ \t]*$/.test(line)

describe('append', () => {
  test('keeps the old body as an exact prefix, and adds the text on its own line after a blank one', () => {
    fc.assert(
      fc.property(body, fc.string({ minLength: 1 }), (before, text) => {
        const after = appended(before, text)
        const between = after.slice(before.length, after.length - text.length)
        expect(after).toBe(before + between + text)
        if (before === '') return expect(between).toBe('')
        expect(between).toMatch(/^\n{0,2}$/)
        const lines = splitLines(before + between)
        expect(lines.at(-1)).toBe('')
        if (lines.length > 2) expect(isBlank(lines.at(-2) ?? '')).toBe(true)
        const fewer = splitLines(before + between.slice(1))
        const isNeeded = fewer.at(-1) !== '' || !isBlank(fewer.at(-2) ?? '') || fewer.length <= 2
        if (between !== '') expect(isNeeded).toBe(true)
      }),
      options,
    )
  })

  const ENDINGS: [ending: string, added: string][] = [
    ['', '\n\n'],
    ['\n', '\n'],
    ['\n\n', ''],
    ['\n\n\n', ''],
    ['\r\n', '\n'],
    ['\r\n\r\n', ''],
    ['\r', '\n\n'],
    ['\r\r', ''],
    ['  ', '\n\n'],
    ['\n  ', '\n'],
    ['\n \t\n', ''],
    ['\r\n\t\r\n', ''],
    ['\n\n  ', '\n'],
  ]
  for (const [ending, added] of ENDINGS) {
    test(`after ${JSON.stringify(`a${ending}`)} adds ${JSON.stringify(added)}`, async () => {
      const note = await makeNote(service, { content: `a${ending}` })
      const { status, body: answer } = await service.post(`/v1/notes/${note.id}/append`, { text: 'new' })
      expect(status).toBe(200)
      expect(answer.note.content).toBe(`a${ending}${added}new`)
    })
  }

  const HEADINGS: [body: string, heading: string, expected: string][] = [
    ['', 'Log', '## Log\n\nnew'],
    ['text', 'Log', 'text\n\n## Log\n\nnew'],
    ['## Log\n\nold', 'Log', '## Log\n\nold\n\nnew'],
    ['## Log ##\n', ' Log', '## Log ##\n\nnew'],
    ['## Log\r\nold\r\n', 'Log', '## Log\r\nold\r\n\nnew'],
    ['   ## Log', 'Log', '   ## Log\n\nnew'],
    ['## Log\n### More', 'Log', '## Log\n### More\n\n## Log\n\nnew'],
    ['## Log\n# Top', 'Log', '## Log\n# Top\n\n## Log\n\nnew'],
    ['## Log\n##', 'Log', '## Log\n##\n\n## Log\n\nnew'],
    ['# Log', 'Log', '# Log\n\n## Log\n\nnew'],
    ['## log', 'Log', '## log\n\n## Log\n\nnew'],
    ['##Log', 'Log', '##Log\n\n## Log\n\nnew'],
    ['    ## Log', 'Log', '    ## Log\n\n## Log\n\nnew'],
    ['```\n## Log\n```', 'Log', '```\n## Log\n```\n\n## Log\n\nnew'],
    ['## Log\n```\n# comment\n```', 'Log', '## Log\n```\n# comment\n```\n\nnew'],
    ['## Log\n#tag', 'Log', '## Log\n#tag\n\nnew'],
    ['## C#', 'C#', '## C#\n\nnew'],
  ]
  for (const [before, heading, expected] of HEADINGS) {
    test(`under ${JSON.stringify(heading)} to ${JSON.stringify(before)}`, () => {
      expect(appended(before, 'new', heading)).toBe(expected)
    })
  }

  test('twice under any heading writes the heading once', () => {
    const heading = fc.string({ minLength: 1, maxLength: 20 }).filter((text) => !/\p{Cc}/u.test(text))
    fc.assert(
      fc.property(heading, (words) => {
        const once = appended('', 'plain', words)
        expect(appended(once, 'more', words)).toBe(`${once}\n\nmore`)
      }),
      options,
    )
  })

  test('loses nothing when many append at once', async () => {
    const note = await makeNote(service)
    const texts = Array.from({ length: 50 }, (_, at) => `line ${at}`)
    await Promise.all(texts.map((text) => service.post(`/v1/notes/${note.id}/append`, { text })))
    const { content } = await readNote(service, note.id)
    expect(content.split('\n\n').toSorted()).toEqual(texts.toSorted())
    expect(await revisionsOf(service, note.id)).toHaveLength(50)
  })

  test('past a million characters is refused, and changes nothing', async () => {
    const note = await makeNote(service, { content: '😀'.repeat(999_990) })
    const path = `/v1/notes/${note.id}/append`
    const { status, body: answer } = await service.post(path, { text: '123456789' })
    expect([status, answer]).toEqual([
      400,
      {
        error: 'The note would be longer than 1,000,000 characters; start another note.',
        code: 'refused',
      },
    ])
    expect((await readNote(service, note.id)).updated_at).toBe(note.updated_at)
    expect((await service.post(path, { text: '12345678' })).status).toBe(200)
  })

  test('refuses an invalid body', async () => {
    const note = await makeNote(service)
    const bad = [{}, { text: 5 }, { text: 'x', heading: '' }, { text: 'x', heading: 'a\nb' }, { txt: 'x' }]
    for (const wrong of bad) {
      expect((await service.post(`/v1/notes/${note.id}/append`, wrong)).body.code).toBe('invalid_request')
    }
    expect((await service.post('/v1/notes/none/append', { text: 'x' })).status).toBe(404)
    expect(await readNote(service, note.id)).toEqual(note)
  })
})

describe('edit', () => {
  const edit = async (content: string, request: object) => {
    const note = await makeNote(service, { content })
    return { note, answer: await service.post(`/v1/notes/${note.id}/edit`, request) }
  }

  test('replaces the one occurrence and leaves the rest byte for byte', async () => {
    const { answer } = await edit('a\r\n**b**\u00a0c ', { old_str: '**b**', new_str: '$& [[x]]' })
    expect(answer.body.note.content).toBe('a\r\n$& [[x]]\u00a0c ')
  })

  test('deletes the passage when nothing replaces it', async () => {
    expect((await edit('abc', { old_str: 'b' })).answer.body.note.content).toBe('ac')
  })

  const REFUSED: [content: string, passage: string, code: string, error: string][] = [
    [
      'abc',
      'x',
      'passage_not_found',
      'old_str does not occur in this note; send a passage exactly as it stands there.',
    ],
    [
      'e\u0301',
      '\u00e9',
      'passage_not_found',
      'old_str does not occur in this note; send a passage exactly as it stands there.',
    ],
    [
      'a b a b a',
      'a',
      'passage_not_unique',
      'old_str occurs 3 times in this note; send a passage that occurs exactly once.',
    ],
    [
      'aaa',
      'aa',
      'passage_not_unique',
      'old_str occurs 2 times in this note; send a passage that occurs exactly once.',
    ],
  ]
  for (const [content, passage, code, error] of REFUSED) {
    test(`refuses ${JSON.stringify(passage)} in ${JSON.stringify(content)}, and the note stays`, async () => {
      const { note, answer } = await edit(content, { old_str: passage, new_str: 'new' })
      expect([answer.status, answer.body]).toEqual([400, { error, code }])
      expect(await readNote(service, note.id)).toEqual(note)
      expect(await revisionsOf(service, note.id)).toEqual([])
    })
  }

  test('refuses an empty passage and one past the length a note may have', async () => {
    const { note, answer } = await edit('abc', { old_str: '' })
    expect([answer.status, answer.body.code]).toEqual([400, 'invalid_request'])
    const long = { old_str: 'b', new_str: 'x'.repeat(999_999) }
    expect((await service.post(`/v1/notes/${note.id}/edit`, long)).body.code).toBe('refused')
    expect(await readNote(service, note.id)).toEqual(note)
  })

  test('finds any passage of any text exactly as often as it occurs', () => {
    const narrow = fc.string({ unit: fc.constantFrom('a', 'b', '\n') })
    fc.assert(
      fc.property(narrow, narrow, fc.string(), (text, passage, replacement) => {
        fc.pre(passage !== '')
        const places = Array.from(text, (_, at) => at).filter((at) => text.startsWith(passage, at))
        const [place] = places
        if (places.length !== 1 || place === undefined) {
          expect(() => edited(text, passage, replacement)).toThrow(
            places.length === 0 ? 'does not occur' : `occurs ${places.length} times`,
          )
          return
        }
        const rest = [text.slice(0, place), text.slice(place + passage.length)]
        expect(edited(text, passage, replacement)).toBe(rest.join(replacement))
      }),
      options,
    )
  })

  test('is quick for passages that nearly repeat themselves', () => {
    const long = 'a'.repeat(1_000_000)
    const processorTime = measureProcessorTime()
    expect(() => edited(long, `${'a'.repeat(250_000)}b${'a'.repeat(250_000)}`, '')).toThrow('does not occur')
    expect(() => edited(long, 'a'.repeat(500_000), '')).toThrow('occurs 500001 times')
    expect(processorTime()).toBeLessThan(1_000)
  })
})
