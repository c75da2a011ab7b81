import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { makeFile } from '../support/files.ts'
import { makeNote } from '../support/notes.ts'
import { declare, write } from '../support/records.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService

beforeEach(async () => {
  service = await startService()
})
afterEach(() => service.close())

/** Creates a share and returns its address. */
async function shared(input: Record<string, unknown>): Promise<string> {
  const { status, body } = await service.post('/v1/shares', input)
  expect([status, body.error]).toEqual([201, undefined])
  return new URL(body.share.url).pathname
}

async function visit(path: string): Promise<string> {
  const response = await service.app.fetch(new Request(`http://anywhere.example${path}`))
  return response.text()
}

async function pageOf(content: string, title = 'N'): Promise<string> {
  const note = await makeNote(service, { title, content })
  return visit(await shared({ kind: 'note', target_id: note.id }))
}

const FORMS: readonly (readonly [string, string])[] = [
  ['<!-- ', ' -->'],
  ['<!--', '-->'],
  ['%%', '%%'],
  ['%% ', ' %%'],
]
const PLACES: Readonly<Record<string, (hidden: string) => string>> = {
  'a paragraph': (hidden) => `seen ${hidden} shown`,
  'the beginning of a paragraph': (hidden) => `${hidden} seen *shown*`,
  'a line of its own in a paragraph': (hidden) => `seen\n${hidden}\nshown`,
  'a block of its own': (hidden) => `seen\n\n${hidden}\n\nshown`,
  'a heading': (hidden) => `# seen ${hidden} shown`,
  'an underlined heading': (hidden) => `seen ${hidden} shown\n---`,
  'items of a list': (hidden) => `- seen ${hidden}\n- ${hidden}\n- ${hidden} shown`,
  'an item of a nested list': (hidden) => `1. seen\n   - ${hidden} a\n\n     ${hidden}\n2. shown`,
  'a task': (hidden) => `- [ ] seen ${hidden}\n- [x] ${hidden} shown`,
  'a table': (hidden) => `| seen | ${hidden} |\n| - | - |\n| ${hidden} | a |\n| b ${hidden} c | shown |`,
  'a quotation': (hidden) => `> seen ${hidden}\n> ${hidden}\n>\n> ${hidden} shown`,
  'a callout': (hidden) => `> [!note] seen ${hidden}\n> ${hidden} a\n>\n> shown ${hidden}`,
  'a callout without a name': (hidden) => `> [!note] ${hidden}\n> seen shown`,
  'the label of a link': (hidden) => `[seen ${hidden} a](https://e.org) [[A|${hidden} b]] shown`,
  'the alternative text of a picture': (hidden) => `![seen ${hidden}](https://e.org/a.png) shown`,
  'the title of a link': (hidden) => `[seen](https://e.org "a ${hidden} b") shown`,
  emphasis: (hidden) => `*seen ${hidden} a* **b${hidden}** ==c ${hidden}== shown`,
  'a footnote': (hidden) => `seen[^1] shown\n\n[^1]: a ${hidden} b`,
}

describe('a comment', () => {
  for (const [place, noteWith] of Object.entries(PLACES))
    test(`in ${place} is not on a shared page`, async () => {
      for (const [begin, end] of FORMS)
        for (const secret of ['secret', 'secret * _ [ ` | ] secret', 'secret\nsecret']) {
          if (secret.includes('\n') && /table|heading|item|task/.test(place)) continue
          const lead = /quotation|callout/.test(place) ? '> ' : ''
          const hidden = `${begin}${secret.replace('\n', `\n${lead}`)}${end}`
          const text = await pageOf(noteWith(hidden))
          const main = text.slice(text.indexOf('<main'))
          expect([hidden, main.includes('secret'), /&lt;!|%%|--&gt;/.test(main)]).toEqual([
            hidden,
            false,
            false,
          ])
          expect([hidden, main]).toEqual([hidden, expect.stringMatching(/seen[\s\S]*shown/)])
        }
    })

  test('that begins a block continues over blank lines, and contains lists and fences', async () => {
    for (const [begin, end] of FORMS) {
      const text = await pageOf(`seen\n\n${begin}\n\nsecret\n\n- secret\n\n\`\`\`\nsecret\n${end}\n\nshown`)
      expect(text).toMatch(/seen[\s\S]*shown/)
      expect(text).not.toContain('secret')
      expect(text).not.toContain('```')
    }
  })

  test('that begins within a paragraph and is closed in a later one is hidden completely', async () => {
    for (const later of [
      '\n\nsecret -->',
      '\n- secret\n- secret -->',
      '\n\n> secret %% a %%\n\nsecret -->',
    ]) {
      const text = await pageOf(`seen <!-- secret${later} shown`)
      expect(text).toMatch(/seen[\s\S]*shown/)
      expect(text).not.toContain('secret')
    }
    expect(await pageOf('a --> b\n\nc --&gt; d --> e')).toContain('<p dir="auto">a --&gt; b</p>')
  })

  test('that is not closed ends with its block', async () => {
    for (const begin of ['<!-- ', '%% ']) {
      const content = [
        `seen 1 ${begin}secret\nsecret`,
        `# seen 2 ${begin}secret`,
        `- seen 3 ${begin}secret\n- seen 4\n- ${begin}secret\n- seen 5`,
        `> seen 6 ${begin}secret`,
        `> ${begin}secret\n>\n> secret`,
        `| seen 7 | b |\n| - | - |\n| ${begin}secret | seen 8 |\n| seen 9 | d |`,
        'seen 10',
      ].join('\n\n')
      const text = await pageOf(content)
      for (let at = 1; at <= 10; at++) expect(text).toContain(`seen ${at}`)
      expect(text).not.toContain('secret')
    }
  })

  test('in code is text', async () => {
    for (const [begin, end] of FORMS) {
      const comment = `${begin}kept${end}`
      const content = [
        `\`\`\`\n${comment}\n\`\`\``,
        `    ${comment}`,
        `a \`${comment}\` b`,
        `> \`\`\`\n> ${comment}\n> \`\`\``,
        `- a\n\n      ${comment}`,
        `- ~~~\n  ${comment}\n  ~~~`,
        `> - \`\`${comment}\`\``,
      ].join('\n\n')
      const shown = comment.replaceAll('<', '&lt;').replaceAll('>', '&gt;')
      expect((await pageOf(content)).split(shown)).toHaveLength(8)
    }
  })

  test('behind code that is not closed, or that its container ends, is hidden', async () => {
    const text = await pageOf('> ```\n> code\n\nseen ` <!-- secret -->\n\n- ~~~\n\nshown %% secret %%')
    expect(text).toMatch(/seen[\s\S]*shown/)
    expect(text).not.toContain('secret')
  })

  test('in a note that is shown as plain text is left out, too', async () => {
    const text = await pageOf(`seen <!-- secret -->\n\n%%\nsecret\n%%\n\n${'word '.repeat(41_000)}\n\nshown`)
    expect(text).toContain('<pre class="plain">')
    expect(text).toMatch(/seen[\s\S]*shown/)
    expect(text).not.toContain('secret')
  })

  test('in a title is neither on the page of the note nor in the list of a view', async () => {
    const note = await makeNote(service, { title: 'seen <!-- secret -->', tags: ['open'] })
    const { body } = await service.get('/v1/tags')
    const filter = { type: 'tags', op: 'has_any', tag_ids: [body.tags[0].id] }
    const { view } = (await service.post('/v1/views', { name: 'All %% secret %%', filter })).body
    const path = await shared({ kind: 'view', target_id: view.id, name: 'Name <!-- secret -->' })
    for (const page of [path, `${path}/${note.id}`]) {
      const text = await visit(page)
      expect(text).toContain('seen')
      expect(text).not.toContain('secret')
    }
  })

  test('in a row is neither on the page of its view nor in its files', async () => {
    await declare(service, 'Jobs', [
      { key: 'title', type: 'text', label: 'Title %% secret %%' },
      { key: 'state', type: 'select', options: ['open <!-- secret -->'] },
      { key: 'due', type: 'date' },
    ])
    const state = 'open <!-- secret -->'
    await write(service, 'Jobs', { title: 'seen <!-- secret\nsecret', state, due: '2026-11-30' })
    const options = { csv: true }
    for (const view of [
      { kind: 'table' },
      { kind: 'board', group_by: 'state' },
      { kind: 'calendar', date_field: 'due' },
    ]) {
      const input = { structure: 'Jobs', name: `V ${view.kind} %% secret %%`, ...view }
      const { row_view } = (await service.post('/v1/records/views', input)).body
      const path = await shared({ kind: 'row_view', target_id: row_view.id, options })
      for (const page of [`${path}?month=2026-11`, `${path}.csv`, `${path}.ics`]) {
        const text = await visit(page)
        if (!page.endsWith('.ics') || view.kind === 'calendar')
          expect([page, text]).toEqual([page, expect.stringContaining('seen')])
        expect(text).not.toContain('secret')
      }
    }
  })

  test('in the texts of a form is on none of the pages', async () => {
    await declare(service, 'Guests', [{ key: 'name', type: 'text', required: true }])
    const { body } = await service.get('/v1/records/structures')
    const options = {
      title: 'seen 1 <!-- secret -->',
      text: 'seen 2 %% secret %%\n\n<!-- secret\n\nsecret -->\n\nseen 3',
      fields: [{ key: 'name', label: 'seen 4 <!-- secret -->', help: 'seen 5 %% secret' }],
      done_text: 'seen 6 <!-- secret -->',
    }
    const path = await shared({ kind: 'form', target_id: body.structures[0].id, options })
    const text = `${await visit(path)}${await visit(`${path}/done`)}`
    for (let at = 1; at <= 6; at++) expect(text).toContain(`seen ${at}`)
    expect(text).not.toContain('secret')
  })

  test('is in no excerpt', async () => {
    for (const [begin, end] of FORMS) {
      const content = `seen ${begin}secret${end} a\n\n${begin}\n\nsecret\n\n${end}\n\nshown ${begin}secret`
      const { id } = await makeNote(service, { content })
      const { body } = await service.get(`/v1/notes?excerpt=true&content=false`)
      const note = body.notes.find((one: { id: string }) => one.id === id)
      expect(note.excerpt).toBe('seen a shown')
    }
  })
})

test('a file is served where the page shows it, not where code or a comment names it', async () => {
  const add = async (at: number) => {
    const bytes = new TextEncoder().encode(`file ${at}`)
    return makeFile(service, { name: `${at}.png`, bytes })
  }
  const ids = await Promise.all(Array.from({ length: 11 }, (_, at) => add(at)))
  const link = (at: number) => `[[file:${ids[at]}|${at}.png]]`
  const shown = [
    link(0),
    `> - !${link(1)}`,
    `![a](/v1/files/${ids[2]}/content)`,
    `![a][r]\n\n[r]: /v1/files/${ids[3]}/content`,
    `| a |\n| - |\n| ${link(4).replace('|', '\\|')} |`,
  ]
  const hidden = [
    `\`${link(5)}\``,
    `> \`\`\`\n> ${link(6)}\n> \`\`\``,
    `    ${link(7)}`,
    `- a\n\n      ![a](/v1/files/${ids[8]}/content)`,
    `<!--\n\n${link(9)}\n\n-->`,
    `a %% ${link(10)} %%`,
  ]
  const content = [...shown, ...hidden].join('\n\n')
  const note = await makeNote(service, { title: 'N', content, tags: ['open'] })
  const { body } = await service.get('/v1/tags')
  const filter = { type: 'tags', op: 'has_any', tag_ids: [body.tags[0].id] }
  const { view } = (await service.post('/v1/views', { name: 'All', filter })).body
  const ofNote = await shared({ kind: 'note', target_id: note.id })
  const ofView = await shared({ kind: 'view', target_id: view.id })
  const statusOf = async (path: string) =>
    (await service.app.fetch(new Request(`http://anywhere.example${path}`))).status
  for (const addressOf of [
    (id: string) => `${ofNote}/files/${id}`,
    (id: string) => `${ofView}/files/${id}?note=${note.id}`,
  ])
    expect(await Promise.all(ids.map((id) => statusOf(addressOf(id))))).toEqual([
      ...shown.map(() => 200),
      ...hidden.map(() => 404),
    ])
  const inView = await Promise.all(ids.map((id) => statusOf(`${ofView}/files/${id}`)))
  expect(inView.slice(shown.length)).toEqual(hidden.map(() => 404))
})

describe('the comment that an import writes behind a picture', () => {
  const ID = '01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60'
  test.each([
    ['<!-- A caption -->', 'alt="A caption" loading'],
    ['<!-- 300 -->', 'alt="a.png" width="300" loading'],
    ['<!-- 300x200 -->', 'alt="a.png" width="300" height="200" loading'],
    ['<!-- A [b] `c`|300 -->', 'alt="A (b) &#x27;c&#x27;" width="300" loading'],
    ['<!-- #page=2|A caption -->', 'alt="A caption" loading'],
    ['<!-- | --><!-- secret -->', 'alt="a.png" loading'],
    [' <!-- secret -->', 'alt="a.png" loading'],
    ['', 'alt="a.png" loading'],
  ])('%j is its alternative text and its size', async (comment, attributes) => {
    const picture = `![[file:${ID}|a.png]]${comment}`
    for (const content of [
      picture,
      `- ${picture}`,
      `| a |\n| - |\n| ${picture} |`,
      `> [!note] N\n> ${picture}`,
    ]) {
      const text = await pageOf(content)
      expect(text).toContain(`/files/${ID}" ${attributes}="lazy">`)
      expect(text.slice(text.indexOf('<main'))).not.toMatch(/secret|&lt;|\]\]/)
    }
  })
})
