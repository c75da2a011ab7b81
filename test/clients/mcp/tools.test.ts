import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { encode } from 'gpt-tokenizer/encoding/o200k_base'
import { type Agent, BEFORE, CURRENT, connectAgent, type Revision } from '../../support/agent.ts'
import { makeFile } from '../../support/files.ts'
import { startService, type TestService } from '../../support/service.ts'

const READING = [
  'search',
  'list_notes',
  'read_note',
  'read_file',
  'describe',
  'query_records',
  'summarize',
  'changes',
  'history',
]
const WRITING = ['create_note', 'edit_note', 'update_note', 'write_records', 'delete', 'undo']

let service: TestService
beforeAll(async () => {
  service = await startService()
  await service.post('/v1/records/structures', {
    name: 'Expenses',
    fields: [
      { key: 'what', type: 'text', unique: true },
      { key: 'amount', type: 'number', required: true, unit: 'EUR' },
      { key: 'day', type: 'date' },
      { key: 'kind', type: 'select', options: ['food', 'rent'] },
    ],
  })
  await service.post('/v1/properties', { key: 'status', type: 'select', options: ['open', 'done'] })
  await service.post('/v1/presets', { name: 'Meeting', tags: ['meeting'], ask: [{ key: 'status' }] })
  await service.post('/v1/views', { name: 'By title', sort: { field: 'title', direction: 'asc' } })
})
afterAll(() => service.close())

describe.each<Revision>([CURRENT, BEFORE])('an agent on %s', (revision) => {
  let agent: Agent
  beforeAll(async () => {
    agent = await connectAgent(service.app, service.key, revision)
  })
  afterAll(() => agent.close())

  test('gets fifteen tools: nine that read, one that deletes, none with an open world', async () => {
    const { tools } = await agent.client.listTools()
    expect(tools.map(({ name }) => name)).toEqual([...READING, ...WRITING])
    const having = (hint: 'readOnlyHint' | 'destructiveHint') =>
      tools.filter(({ annotations }) => annotations?.[hint] === true).map(({ name }) => name)
    expect(having('readOnlyHint')).toEqual(READING)
    expect(having('destructiveHint')).toEqual(['delete'])
    expect(tools.every(({ annotations }) => annotations?.openWorldHint === false)).toBe(true)
    expect(tools.every(({ outputSchema }) => outputSchema?.type === 'object')).toBe(true)
  })

  test('receives an overview in less than 500 tokens, and its tools in less than 3,000', async () => {
    const instructions = agent.client.getInstructions() ?? ''
    expect(instructions).toContain('Structure Expenses')
    expect(instructions).toContain('status (select)')
    expect(encode(instructions).length).toBeLessThan(500)
    const { tools } = await agent.client.listTools()
    const told = tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }))
    expect(encode(JSON.stringify(told)).length).toBeLessThan(3_000)
  })

  test('writes a note with a preset once for each idempotency key, and reads it by id, title or alias', async () => {
    const input = {
      title: `Minutes ${revision}`,
      content: '# Agenda\nalpha\n\n## Decisions\nnone yet, see [[Nowhere]]',
      preset: 'meeting',
      answers: { status: 'open' },
      aliases: [`min ${revision}`],
      idempotency_key: `minutes ${revision}`,
    }
    const created = await agent.call('create_note', input)
    expect(created.data).toMatchObject({
      note: { title: input.title, tags: ['meeting'] },
      properties: { status: 'open' },
      properties_error: null,
      transaction: expect.any(String),
    })
    expect((await agent.call('create_note', input)).data).toEqual(created.data)
    const other = await agent.call('create_note', { ...input, title: 'Another' })
    expect(other).toMatchObject({ isError: true, code: 'refused' })

    const { id } = created.data.note
    expect(created.links).toEqual([{ uri: `daybook://notes/${id}`, name: input.title }])
    await service.patch(`/v1/notes/${id}`, { alias: `m ${revision}` })
    for (const note of [id, input.title.toUpperCase(), `m ${revision}`, `MIN ${revision}`]) {
      const read = await agent.call('read_note', { note, links: true })
      expect(read.data).toMatchObject({ content: input.content, total_lines: 5, has_more: false })
      expect(read.data.outgoing).toEqual([{ text: 'Nowhere', note: null }])
      expect(read.text).toContain(input.content)
    }
    const part = await agent.call('read_note', { note: id, from_line: 2, max_lines: 1 })
    expect(part.data).toMatchObject({ content: 'alpha\n', from_line: 2, has_more: true })
    const { outline } = (await agent.call('read_note', { note: id, outline: true })).data
    expect(outline).toEqual([
      { line: 1, heading: '# Agenda' },
      { line: 4, heading: '## Decisions' },
    ])
    const [resource] = (await agent.client.readResource({ uri: `daybook://notes/${id}` })).contents
    expect(resource).toMatchObject({
      text: `# ${input.title}\n\n${input.content}`,
      mimeType: 'text/markdown',
    })
  })

  test('finds notes, pages of files and rows in one search, and lists notes by view, filter and order', async () => {
    const word = revision === CURRENT ? 'zebra' : 'giraffe'
    const { data: note } = await agent.call('create_note', {
      title: `The ${word}`,
      content: `A ${word}.`,
      tags: [word],
    })
    const file = await makeFile(service, {
      noteId: note.note.id,
      pages: ['Nothing.', `Here is the ${word}.`],
    })
    await agent.call('write_records', {
      structure: 'Expenses',
      rows: [{ data: { what: `a ${word}`, amount: 1 } }],
    })
    const found = await agent.call('search', { query: word })
    expect(found.data.totals).toEqual({ notes: 1, files: 1, records: 1 })
    expect(found.data.notes[0]).toMatchObject({ id: note.note.id, snippet: `A <mark>${word}</mark>.` })
    expect(found.data.files[0]).toMatchObject({ file: { id: file }, page: 2 })
    expect(found.data.records[0]).toMatchObject({
      structure: 'Expenses',
      data: { what: `a ${word}`, amount: 1 },
    })
    expect((await agent.call('search', { query: word, in: ['files'] })).data.totals).toEqual({ files: 1 })

    const text = await agent.call('read_file', { file, pages: '2' })
    expect(text.data).toMatchObject({
      pages: '2',
      text: `=== page 2 ===\nHere is the ${word}.`,
      next_chunk: null,
    })

    const titles = async (input: object) =>
      (await agent.call('list_notes', { ...input })).data.notes.map(({ title }: { title: string }) => title)
    const all = await titles({ sort: 'title' })
    expect(all).toEqual(all.toSorted())
    expect(await titles({ view: 'by title' })).toEqual(all)
    expect(await titles({ view: 'by title', direction: 'desc' })).toEqual(all.toReversed())
    const { tags } = (await agent.call('describe')).data
    const tag = tags.find(({ name }: { name: string }) => name === word).id
    expect(await titles({ filter: { type: 'tags', op: 'has_all', tag_ids: [tag] } })).toEqual([`The ${word}`])
  })

  test('edits exact passages all or none, appends, and changes tags and properties', async () => {
    const { data } = await agent.call('create_note', {
      title: `Edits ${revision}`,
      content: 'one\ntwo\nthree',
    })
    const { id, updated_at } = data.note
    const note = async () => (await service.get(`/v1/notes/${id}`)).body.note
    const dry = await agent.call('edit_note', {
      note: id,
      edits: [{ old_str: 'two', new_str: '2' }],
      dry_run: true,
    })
    expect(dry.data).toMatchObject({ passage: 'one\n2\nthree', transaction: null })
    const half = await agent.call('edit_note', {
      note: id,
      edits: [{ old_str: 'one', new_str: '1' }, { old_str: 'four' }],
    })
    expect(half).toMatchObject({ isError: true, code: 'passage_not_found' })
    expect(half.text).toStartWith('Edit 2: ')
    expect((await note()).content).toBe('one\ntwo\nthree')
    const edited = await agent.call('edit_note', {
      note: id,
      edits: [
        { old_str: 'one', new_str: '1' },
        { old_str: '1\ntwo', new_str: '12' },
      ],
      if_unchanged: updated_at,
    })
    expect(edited.isError).toBe(false)
    expect((await note()).content).toBe('12\nthree')
    const late = await agent.call('edit_note', { note: id, append: { text: 'x' }, if_unchanged: updated_at })
    expect(late).toMatchObject({ isError: true, code: 'stale' })
    await agent.call('edit_note', { note: id, append: { text: 'more', heading: 'Later' } })
    expect((await note()).content).toBe('12\nthree\n\n## Later\n\nmore')

    const updated = await agent.call('update_note', {
      note: id,
      title: `Edited ${revision}`,
      add_tags: ['a', 'b'],
      properties: { status: 'open' },
    })
    expect(updated.data).toMatchObject({ note: { tags: ['a', 'b'] }, properties: { status: 'open' } })
    const refused = await agent.call('update_note', {
      note: id,
      remove_tags: ['a'],
      properties: { status: 'x' },
    })
    expect(refused.isError).toBe(true)
    expect((await note()).tags).toEqual(['a', 'b'])
    await agent.call('undo', { transaction: updated.data.transaction })
    expect(await note()).toMatchObject({ title: `Edits ${revision}`, tags: [] })
    await agent.call('delete', { kind: 'note', id })
    expect((await service.get(`/v1/notes/${id}`)).status).toBe(404)
  })

  test('refuses to change a note by an ambiguous title', async () => {
    const title = `Twice ${revision}`
    const ids = [0, 1].map(async () => (await agent.call('create_note', { title })).data.note.id)
    const [first] = await Promise.all(ids)
    const byTitle = await agent.call('edit_note', { note: title, append: { text: 'x' } })
    expect(byTitle).toMatchObject({ isError: true, code: 'refused' })
    expect(byTitle.text).toContain(first)
    for (const id of [title, ` ${title} `, title.toUpperCase()])
      expect(await agent.call('delete', { kind: 'note', id })).toMatchObject({
        isError: true,
        code: 'refused',
      })
    expect((await service.get(`/v1/notes?search=${encodeURIComponent(title)}`)).body.total).toBe(2)
    expect((await agent.call('edit_note', { note: first, append: { text: 'x' } })).isError).toBe(false)
    expect((await agent.call('delete', { kind: 'note', id: ` ${first} ` })).data.id).toBe(first)
  })

  test('writes, filters and sums rows, and sees their history', async () => {
    const rows = [
      { data: { what: `tea ${revision}`, amount: 3, day: '2026-10-02', kind: 'food' } },
      { data: { what: `flat ${revision}`, amount: 700, day: '2026-11-01', kind: 'rent' } },
    ]
    const dry = await agent.call('write_records', { structure: 'Expenses', rows, dry_run: true })
    expect(dry.data).toMatchObject({ inserted: 2, transaction: null })
    const written = await agent.call('write_records', { structure: 'Expenses', rows })
    expect(written.data).toMatchObject({ written: 2, inserted: 2, updated: 0 })
    const [tea] = written.data.records
    const changed = await agent.call('write_records', {
      structure: 'expenses',
      rows: [
        { data: { what: `ink ${revision}`, amount: 5 } },
        { id: tea.id, data: { amount: 4, day: null }, if_unchanged: tea.updated_at },
      ],
    })
    expect(changed.data).toMatchObject({ inserted: 1, updated: 1 })
    expect(changed.data.records[1]).toMatchObject({ id: tea.id, data: { amount: 4, kind: 'food' } })
    const collision = await agent.call('write_records', {
      structure: 'Expenses',
      rows: [{ id: tea.id, data: { amount: 9 } }, { data: { what: `ink ${revision}`, amount: 1 } }],
    })
    expect(collision).toMatchObject({ isError: true, code: 'unique_violation' })
    expect(collision.text).toStartWith('Row 2: ')

    const filter = [{ field: 'what', op: 'contains', value: revision }]
    const found = await agent.call('query_records', {
      structure: 'Expenses',
      filter,
      sort: 'amount',
      fields: ['amount'],
    })
    expect(found.data.records.map(({ data }: { data: object }) => data)).toEqual([
      { amount: 700 },
      { amount: 5 },
      { amount: 4 },
    ])
    const sums = await agent.call('summarize', { structure: 'Expenses', field: 'amount', by: 'kind', filter })
    expect(sums.data.buckets.map(({ value, sum }: { value: string; sum: number }) => [value, sum])).toEqual([
      ['food', 4],
      ['rent', 700],
      [null, 5],
    ])
    const { versions } = (await agent.call('history', { record: tea.id })).data
    expect(versions.map(({ op, previous }: { op: string; previous: object }) => [op, previous])).toEqual([
      ['updated', { amount: 3, day: '2026-10-02' }],
      ['created', {}],
    ])
    await agent.call('undo', { transaction: changed.data.transaction })
    expect((await service.get(`/v1/records/${tea.id}`)).body.record.data).toEqual(rows[0]?.data)
  })

  test('reports no transaction for a write that changed nothing or was a dry run', async () => {
    const row = { what: `once ${revision}`, amount: 1 }
    const write = (input: object) => agent.call('write_records', { structure: 'Expenses', ...input })
    const { data } = await write({ rows: [{ data: row }] })
    const same = await write({ rows: [{ id: data.records[0].id, data: row }] })
    expect([same.data.transaction, same.text]).toEqual([null, expect.stringContaining('; nothing changed')])
    const dry = await write({ rows: [{ data: { ...row, what: 'dry' } }], dry_run: true })
    expect(dry.text).toBe('1 row inserted, 0 updated; nothing was written: this was a dry run')
    const id = (await agent.call('create_note', { title: `Same ${revision}` })).data.note.id
    const note = await agent.call('update_note', { note: id, title: `Same ${revision}` })
    expect([note.data.transaction, note.text]).toEqual([null, expect.stringContaining(', nothing changed')])
  })

  test('is the author of its changes, and reads the log since a time', async () => {
    const before = (await agent.call('changes', { after: 'now' })).data.cursor
    const { data } = await agent.call('create_note', { title: 'Logged' })
    const [change] = (await agent.call('changes', { after: before })).data.changes
    expect(change).toMatchObject({
      transaction: data.transaction,
      actor: { surface: 'mcp', name: 'first key' },
    })
    const { cursor } = (await agent.call('changes', { after: 'now' })).data
    service.clock.advance(60_000)
    const { data: later } = await agent.call('create_note', { title: 'Logged later' })
    const ids = async (after: string) =>
      (await agent.call('changes', { after })).data.changes.map(({ id }: { id: string }) => id)
    expect(await ids(cursor)).toEqual([later.note.id])
    expect(await ids(new Date(service.clock.now() - 1_000).toISOString())).toEqual([later.note.id])
    expect(await ids(new Date(service.clock.now() + 1_000).toISOString())).toEqual([])
  })

  test('offers two prompts', async () => {
    const { prompts } = await agent.client.listPrompts()
    expect(prompts.map(({ name }) => name)).toEqual(['daily_review', 'import_table'])
    const { messages } = await agent.client.getPrompt({
      name: 'import_table',
      arguments: { structure: 'Expenses', table: 'what,amount' },
    })
    expect(messages).toHaveLength(1)
    expect(JSON.stringify(messages)).toContain('what,amount')
    await expect(agent.client.getPrompt({ name: 'import_table' })).rejects.toThrow('"structure"')
  })
})
