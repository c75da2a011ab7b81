import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Access } from '../../../src/kernel/caller.ts'
import { type Agent, connectAgent, type ToolResult } from '../../support/agent.ts'
import { hasManyCases } from '../../support/counts.ts'
import { makeFile } from '../../support/files.ts'
import { declare, write } from '../../support/records.ts'
import { startService, type TestService } from '../../support/service.ts'
import { LEVELS, STRUCTURE_LEVELS } from './levels.ts'

/*
 * Every output of MCP with permissions for notes, files and a structure, and the scope of the key. The output of a
 * narrowed key must equal the output of a key with full access, without the words hidden from it.
 */

interface Right {
  readonly notes: (typeof LEVELS)[number]
  readonly files: (typeof LEVELS)[number]
  readonly structure: (typeof STRUCTURE_LEVELS)[number]
  readonly scope: 'read' | 'write'
}

const readsRows = ({ structure }: Right) => structure === 'read' || structure === 'write'
const readsNotes = ({ notes }: Right) => notes !== 'none'
const readsFiles = ({ files }: Right) => files !== 'none'
const seesStructure = ({ structure }: Right) => structure !== 'none'

/** The permissions that may see each word of the workspace. Each word occurs once. */
const WORDS: Readonly<Record<string, (right: Right) => boolean>> = {
  notetitle: readsNotes,
  notebody: readsNotes,
  tagname: readsNotes,
  propertykey: readsNotes,
  propertyvalue: readsNotes,
  viewname: readsNotes,
  presetname: readsNotes,
  backlinking: readsNotes,
  attachedname: (right) => readsNotes(right) && readsFiles(right),
  attachedtext: (right) => readsNotes(right) && readsFiles(right),
  freename: readsFiles,
  freetext: readsFiles,
  structurename: seesStructure,
  fieldkey: seesStructure,
  rowvalue: readsRows,
  oldvalue: readsRows,
}

type Outcome = 'done' | 'not_found' | 'no_access' | 'read_only_key'
type Call = readonly [tool: string, input: Record<string, unknown>]

/** The expected outcome of a read, by its subject. */
const always = (): Outcome => 'done'
const found = (isSeen: (right: Right) => boolean) => (right: Right) =>
  isSeen(right) ? 'done' : ('not_found' as const)
const ofRows = (right: Right): Outcome =>
  readsRows(right) ? 'done' : seesStructure(right) ? 'no_access' : 'not_found'

/** The expected outcome of a write. */
const writing = (judge: (right: Right) => Outcome) => (right: Right) =>
  right.scope === 'read' ? ('read_only_key' as const) : judge(right)
const changesNotes = ({ notes }: Right): Outcome =>
  notes === 'none' ? 'not_found' : notes === 'read' ? 'no_access' : 'done'
const changesRows = ({ structure }: Right): Outcome =>
  structure === 'none' ? 'not_found' : structure === 'write' ? 'done' : 'no_access'
const addsRows = (right: Right): Outcome => (right.structure === 'add' ? 'done' : changesRows(right))
/** Callers who may only add rows cannot see them. */
const undoesRows = (right: Right): Outcome => (right.structure === 'add' ? 'not_found' : changesRows(right))
const undoesBoth = (right: Right): Outcome => {
  const outcomes = [changesNotes(right), undoesRows(right)]
  if (outcomes.every((outcome) => outcome === 'not_found')) return 'not_found'
  return outcomes.every((outcome) => outcome === 'done') ? 'done' : 'no_access'
}

let service: TestService
let full: Agent
let structure: string
let note: string
let reads: readonly (readonly [...Call, (right: Right) => Outcome])[]
let writes: readonly (readonly [...Call, (right: Right) => Outcome])[]

beforeAll(async () => {
  service = await startService()
  const post = async (path: string, body: object) => (await service.post(path, body)).body
  const fields = [{ key: 'fieldkey', type: 'text', unique: true }]
  structure = (await declare(service, 'structurename', fields)).id
  const [row] = await write(service, structure, { fieldkey: 'oldvalue' })
  await service.patch(`/v1/records/${row.id}`, { data: { fieldkey: 'rowvalue' } })
  await post('/v1/properties', { key: 'propertykey', type: 'text' })
  const properties = { propertykey: 'propertyvalue' }
  const made = { title: 'notetitle', content: '# notebody', tags: ['tagname'], properties }
  note = (await post('/v1/notes', made)).note.id
  await post('/v1/notes', { title: 'backlinking', content: '[[notetitle]]' })
  await post('/v1/views', { name: 'viewname' })
  await post('/v1/presets', { name: 'presetname' })
  const attached = await makeFile(service, { noteId: note, name: 'attachedname', pages: ['attachedtext'] })
  const free = await makeFile(service, { name: 'freename', pages: ['freetext'] })
  const change = async (...kinds: string[]) => {
    const [added] = await write(service, structure, {})
    const { id } = (await post('/v1/notes', { title: 'Undone' })).note
    const changes = [
      { kind: 'note', id, op: 'updated', data: { title: 'Changed' } },
      { kind: 'record', id: added.id, op: 'updated', data: { fieldkey: kinds.join() } },
    ]
    return (await post('/v1/changes/apply', { changes: changes.filter(({ kind }) => kinds.includes(kind)) }))
      .transaction
  }
  const [ofNote, ofRow, ofBoth] = [
    await change('note'),
    await change('record'),
    await change('note', 'record'),
  ]
  reads = [
    ...['notetitle', 'notebody', 'attachedtext', 'freetext', 'rowvalue'].map(
      (query) => ['search', { query }, always] as const,
    ),
    ['search', { query: 'rowvalue', structure }, ofRows],
    ['search', { query: 'text', in: ['files', 'notes'] }, always],
    ['list_notes', {}, always],
    ['list_notes', { view: 'viewname' }, found(readsNotes)],
    ['read_note', { note, links: true }, found(readsNotes)],
    ['read_note', { note: 'notetitle', outline: true }, found(readsNotes)],
    ['read_file', { file: attached }, found((right) => readsNotes(right) && readsFiles(right))],
    ['read_file', { file: 'attachedname' }, found((right) => readsNotes(right) && readsFiles(right))],
    ['read_file', { file: free }, found(readsFiles)],
    ['describe', {}, always],
    ['describe', { structure: 'structurename' }, found(seesStructure)],
    ['query_records', { structure }, ofRows],
    ['summarize', { structure: 'structurename', by: 'fieldkey' }, ofRows],
    ['changes', {}, always],
    ['changes', { kinds: 'record,file' }, always],
    ['history', { record: row.id }, ofRows],
  ]
  const edit = { edits: [{ old_str: 'notebody', new_str: 'other' }], dry_run: true }
  const rows = [{ data: { fieldkey: 'new' } }]
  const taken = [{ data: { fieldkey: 'rowvalue' } }]
  const changed = [{ id: row.id, data: { fieldkey: 'new' } }]
  writes = [
    ['create_note', { title: 'New' }, (right) => (right.notes === 'write' ? 'done' : 'no_access')],
    ['edit_note', { note, ...edit }, changesNotes],
    ['edit_note', { note: 'notetitle', ...edit }, changesNotes],
    ['update_note', { note, title: 'notetitle', properties: { propertykey: 'propertyvalue' } }, changesNotes],
    ['write_records', { structure, rows, dry_run: true }, addsRows],
    ['write_records', { structure, rows: taken, on_conflict: 'update', dry_run: true }, changesRows],
    ['write_records', { structure, rows: changed, dry_run: true }, changesRows],
    ['undo', { transaction: ofNote, dry_run: true }, changesNotes],
    ['undo', { transaction: ofRow, dry_run: true }, undoesRows],
    ['undo', { transaction: ofBoth, dry_run: true }, undoesBoth],
  ]
  full = await connectAgent(service.app, service.key)
})
afterAll(async () => {
  await full.close()
  service.close()
})

const wordsIn = (shown: unknown): string[] => {
  const text = JSON.stringify(shown)
  return Object.keys(WORDS).filter((word) => text.includes(word))
}
const outcomeOf = ({ isError, code }: ToolResult) => (isError ? code : 'done')

/**
 * Every scope with every two levels of different kinds, and with many cases every three levels. No rule depends on more
 * than two of them.
 */
const RIGHTS: Right[] = LEVELS.flatMap((notes, first) =>
  LEVELS.flatMap((files, second) =>
    STRUCTURE_LEVELS.filter((_, third) => hasManyCases || (first + second + third) % 3 === 0).flatMap(
      (level) => (['write', 'read'] as const).map((scope) => ({ notes, files, structure: level, scope })),
    ),
  ),
)

/**
 * Creates an agent with a permission for the structure, either by its id or through the default for unnamed structures.
 */
async function agentWith({ notes, files, structure: level, scope }: Right, isNamed: boolean): Promise<Agent> {
  const structures = isNamed ? { [structure]: level } : { '*': level }
  const access: Access = { notes, files, structures }
  return connectAgent(
    service.app,
    await service.newKey({ access, scope, user: `with ${notes} and ${files}` }),
  )
}

/**
 * The expected words of a call, given the output for a full key. Hidden rows also hide the structure and its fields.
 */
function wordsFor(right: Right, tool: string, whole: readonly string[]): string[] {
  const isOfRows = (tool === 'search' || tool === 'changes') && !readsRows(right)
  return whole.filter((word) => WORDS[word]?.(right) && !(isOfRows && WORDS[word] === seesStructure))
}

test('reading tools show exactly the accessible objects, for every access', async () => {
  const whole: string[][] = []
  for (const [tool, input] of reads) whole.push(wordsIn(await full.call(tool, input)))
  expect([...new Set(whole.flat())].sort()).toEqual(Object.keys(WORDS).sort())
  const called = [...reads, ...writes].map(([tool]) => tool)
  const { tools } = await full.client.listTools()
  expect(tools.map(({ name }) => name).filter((name) => ![...called, 'delete'].includes(name))).toEqual([])
  for (const [at, right] of RIGHTS.entries()) {
    const agent = await agentWith(right, at % 4 < 2)
    for (const [number, [tool, input, judge]] of reads.entries()) {
      const result = await agent.call(tool, input)
      const outcome = judge(right)
      const shown = wordsIn(result)
      const words =
        outcome === 'done'
          ? shown
          : shown.filter((word) => !WORDS[word]?.(right) && !wordsIn(input).includes(word))
      expect({ right, tool, input, outcome: outcomeOf(result), words }).toEqual({
        right,
        tool,
        input,
        outcome,
        words: outcome === 'done' ? wordsFor(right, tool, whole[number] ?? []) : [],
      })
    }
    await agent.close()
  }
})

test('writing tools change exactly what each access allows, and refusals reveal nothing', async () => {
  for (const [at, right] of RIGHTS.entries()) {
    const agent = await agentWith(right, at % 4 < 2)
    const made = (await service.post('/v1/notes', { title: 'Goes' })).body.note.id
    const [row] = await write(service, structure, { fieldkey: `goes ${at}` })
    const deletes = [
      ['delete', { kind: 'note', id: made }, changesNotes],
      ['delete', { kind: 'record', id: row.id }, changesRows],
    ] as const
    for (const [tool, input, judge] of [...writes, ...deletes]) {
      const result = await agent.call(tool, input)
      const unseen = wordsIn(result).filter((word) => !WORDS[word]?.(right) && !wordsIn(input).includes(word))
      const outcome = writing(judge)(right)
      expect({ right, tool, input, outcome: outcomeOf(result), unseen }).toEqual({
        right,
        tool,
        input,
        outcome,
        unseen: [],
      })
    }
    await agent.close()
  }
})

test('instructions, resources and prompts mention only accessible objects, for every access', async () => {
  const uri = `daybook://notes/${note}`
  const tools = (await full.client.listTools()).tools
  const prompt = { name: 'import_table', arguments: { structure: 'structurename' } }
  const same = [await full.client.listPrompts(), await full.client.getPrompt(prompt)]
  const resources = (await full.client.listResources()).resources.length
  for (const [at, right] of RIGHTS.entries()) {
    const { client, close } = await agentWith(right, at % 4 < 2)
    const listed = await client.listResources()
    const read = await client.readResource({ uri }).catch(({ code }) => code)
    expect({
      right,
      instructions: wordsIn(client.getInstructions()),
      resources: [listed.resources.length, wordsIn(listed)],
      read: wordsIn(read),
      tools: (await client.listTools()).tools.length,
      prompts: [await client.listPrompts(), await client.getPrompt(prompt)],
    }).toEqual({
      right,
      instructions: ['tagname', 'propertykey', 'presetname', 'structurename', 'fieldkey'].filter((word) =>
        WORDS[word]?.(right),
      ),
      resources: readsNotes(right) ? [resources, ['notetitle', 'backlinking']] : [0, []],
      read: readsNotes(right) ? ['notetitle', 'notebody'] : [],
      tools:
        right.scope === 'write'
          ? tools.length
          : tools.filter(({ annotations }) => annotations?.readOnlyHint).length,
      prompts: same,
    })
    await close()
  }
})
