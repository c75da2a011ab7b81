import { describe, expect, test } from 'bun:test'
import ts from 'typescript'
import { generateTypes } from '../../../src/clients/types/generate.ts'
import { HOSTILE, SAMPLE } from './structures.ts'

/** A single line, so that the programs follow on the lines after it. */
const HEAD = [
  'import { type Answer, type Change, type Client, type Condition, createClient, type DateField, DaybookError, type FileId, type Id, type Input, type Name, type NoteId, type NumberField, type Patch, type Query, type Row, type Structures } from "./daybook.ts"',
  'declare const client: Client',
  'declare const note: NoteId',
  'declare const file: FileId',
  'declare const lead: Id<"Leads">',
  'declare const company: Id<"Companies">',
  'const leads = client.records("Leads")',
  'export const used = (..._: unknown[]) => [createClient, DaybookError, note, file, lead, company, leads]',
  'export type Used = [Answer<"Leads">, Change, Condition<"Leads">, DateField<"Leads">, Input<"Leads">, Name, NumberField<"Leads">, Patch<"Leads">, Query<"Leads">, Row<"Leads">, Structures]',
].join('; ')

/** Each line is a separate program. */
const COMPILE = [
  'leads.list()',
  'leads.list({})',
  'leads.list({ filter: [] })',
  'leads.list({ sort: "due", direction: "asc", limit: 10, offset: 5, search: "x" })',
  'leads.list({ sort: "created_at" })',
  'leads.list({ filter: [{ field: "name", op: "contains", value: "a" }] })',
  'leads.list({ filter: [{ field: "name", op: "in", value: ["a", "b"] }] })',
  'leads.list({ filter: [{ field: "stage", op: "eq", value: "won" }] })',
  `leads.list({ filter: [{ field: "stage", op: "not_in", value: ["new", 'it\\'s "odd"'] }] })`,
  'leads.list({ filter: [{ field: "source", op: "eq", value: "whatever" }] })',
  'leads.list({ filter: [{ field: "value", op: "gte", value: 1.5 }] })',
  'leads.list({ filter: [{ field: "value", op: "in", value: [1, 2] }] })',
  'leads.list({ filter: [{ field: "hot", op: "neq", value: true }] })',
  'leads.list({ filter: [{ field: "hot", op: "is_empty" }] })',
  'leads.list({ filter: [{ field: "due", op: "lt", value: "2026-11-21" }] })',
  'leads.list({ filter: [{ field: "at", op: "in", value: ["09:30"] }] })',
  'leads.list({ filter: [{ field: "met", op: "not_empty" }] })',
  'leads.list({ filter: [{ field: "company", op: "eq", value: company }] })',
  'leads.list({ filter: [{ field: "anything", op: "in", value: [company, lead] }] })',
  'leads.list({ filter: [{ field: "minutes", op: "eq", value: note }, { field: "doc", op: "neq", value: file }] })',
  'leads.list({ filter: [{ field: "id", op: "in", value: [lead] }, { field: "*", op: "contains", value: "x" }] })',
  'leads.list({ filter: [{ field: "updated_at", op: "gt", value: "2026-11-21" }] })',
  'const filter: Condition<"Leads">[] = [{ field: "value", op: "eq", value: 1 }]; leads.list({ filter })',
  'leads.list({ filter: [{ field: "tags", op: "has_any", value: ["a"] }, { field: "helpers", op: "is_empty" }] })',
  'leads.list({ filter: [{ field: "owner", op: "eq", value: "me" }] })',
  'leads.list({ filter: [{ field: "total", op: "gt", value: 5 }], sort: "total" })',
  'leads.get(lead).then(({ data }) => [data.tags?.map((tag) => tag.length), data.total?.toFixed(2), data.calls])',
  'leads.create({ name: "A", tags: ["a", "b"], helpers: null })',
  'leads.summary({ field: "total", by: "tags" })',
  'leads.create({ name: "A" })',
  'leads.create({ name: "A", stage: "new", company, anything: lead, minutes: note, doc: file, value: 1, hot: false })',
  'leads.create({ name: "A", stage: null, due: "2026-11-21" }, { on_conflict: "update", idempotency_key: "k" })',
  'leads.createMany([{ name: "A" }, { name: "B", met: null }])',
  'leads.update(lead, { stage: "won" })',
  'leads.update(lead, { name: "B", value: null }, { if_unchanged: "2026-11-21T09:30:00.000Z" })',
  'leads.update("01a1fc86-b28a-7000-8000-000000000001" as Id<"Leads">, {})',
  'leads.get(lead).then((row) => row.data.name.length + (row.data.value ?? 0) + row.id.length)',
  'leads.get(lead).then(({ data }) => data.company && client.records("Companies").get(data.company))',
  'leads.get(lead).then(({ data }) => data.minutes && client.notes.get(data.minutes))',
  'leads.delete(lead).then((nothing: void) => nothing)',
  'leads.summary({ field: "value", by: "stage", period: "month", date: "due", tz: "UTC" }).then(([one]) => one?.sum?.toFixed(2))',
  'leads.summary({ period: "day", date: "met" })',
  'leads.summary({ period: "week", date: "updated_at" })',
  'const field: NumberField<"Leads"> = "value"; const date: DateField<"Leads"> = "due"; leads.summary({ field, date })',
  'async () => { for await (const { records, total, changes } of leads.watch({ changes: true, limit: 5 })) used(records[0]?.data.stage, total, changes?.removed[0]) }',
  'leads.watch({}, { signal: new AbortController().signal })',
  'async () => { for await (const { kind, op, cursor, actor } of client.changes.follow({ after: "now", kinds: ["record"] })) used(kind, op, cursor, actor.name) }',
  'client.changes.list({ wait: 5 }).then(({ changes, cursor }) => changes[0]?.cursor ?? cursor)',
  'client.notes.create({ title: "A", tags: ["b"], properties: { due: "2026-11-21" } }).then(({ id }) => client.notes.append(id, { text: "x", heading: "y" }))',
  'client.notes.update(note, { alias: null }, { if_unchanged: "x" }).then(({ pin_label, tags }) => [pin_label?.length, tags.length])',
  'client.notes.list({ search: "a", limit: 1 }).then(({ notes, total, has_more }) => [notes, total, has_more])',
  'function first<N extends Name>(name: N): Promise<Row<N> | undefined> { return client.records(name).list({ limit: 1 }).then(({ records }) => records[0]) } first("Companies").then((row) => row?.data.employees)',
  'const any: Id<Name> = lead; used(any)',
  'const stage: Structures["Leads"]["stage"] & string = "new"; used(stage)',
  'const names: Name[] = ["Leads", "Companies", "Nothing"]; used(names)',
  'try { used() } catch (error) { if (error instanceof DaybookError) used(error.code.length, error.status + 1, error.message) }',
  'createClient({ url: "http://localhost", key: "dbk_", fetch: globalThis.fetch })',
  'createClient({ url: "http://localhost", key: "dbk_", fetch })',
  'client.records("Nothing").create({})',
  ...HOSTILE.map(
    (name) =>
      `client.records(${JSON.stringify(name)}).create({ constructor: "x", default: ${JSON.stringify(name)} })`,
  ),
]

const REFUSED = [
  'client.records("Lead")',
  'client.records("leads")',
  'leads.list({ sort: "nothing" })',
  'leads.list({ sort: "id" })',
  'leads.list({ order: "asc" })',
  'leads.list({ direction: "up" })',
  'leads.list({ limit: "10" })',
  'leads.list({ filter: { field: "name", op: "eq", value: "a" } })',
  'leads.list({ filter: [{ field: "nothing", op: "eq", value: "a" }] })',
  'leads.list({ filter: [{ field: "name", op: "gt", value: "a" }] })',
  'leads.list({ filter: [{ field: "name", op: "like", value: "a" }] })',
  'leads.list({ filter: [{ field: "name", op: "eq", value: 5 }] })',
  'leads.list({ filter: [{ field: "name", op: "eq" }] })',
  'leads.list({ filter: [{ field: "name", op: "in", value: "a" }] })',
  'leads.list({ filter: [{ field: "name", op: "is_empty", value: "a" }] })',
  'leads.list({ filter: [{ field: "name", op: "eq", value: null }] })',
  'leads.list({ filter: [{ field: "stage", op: "eq", value: "lost" }] })',
  'leads.list({ filter: [{ field: "stage", op: "contains", value: "wo" }] })',
  'leads.list({ filter: [{ field: "stage", op: "in", value: ["won", "lost"] }] })',
  'leads.list({ filter: [{ field: "source", op: "contains", value: "x" }] })',
  'leads.list({ filter: [{ field: "value", op: "eq", value: "1" }] })',
  'leads.list({ filter: [{ field: "value", op: "contains", value: "1" }] })',
  'leads.list({ filter: [{ field: "hot", op: "gt", value: true }] })',
  'leads.list({ filter: [{ field: "hot", op: "in", value: [true] }] })',
  'leads.list({ filter: [{ field: "due", op: "contains", value: "2026" }] })',
  'leads.list({ filter: [{ field: "due", op: "eq", value: new Date() }] })',
  'leads.list({ filter: [{ field: "company", op: "eq", value: "01a1fc86-b28a-7000-8000-000000000002" }] })',
  'leads.list({ filter: [{ field: "company", op: "eq", value: lead }] })',
  'leads.list({ filter: [{ field: "minutes", op: "eq", value: file }] })',
  'leads.list({ filter: [{ field: "id", op: "gt", value: lead }] })',
  'leads.list({ filter: [{ field: "id", op: "eq", value: company }] })',
  'leads.list({ filter: [{ field: "created_at", op: "in", value: ["2026-11-21"] }] })',
  'leads.list({ filter: [{ field: "*", op: "eq", value: "x" }] })',
  'leads.list({ filter: [{ field: "tags", op: "eq", value: ["a"] }] })',
  'leads.list({ filter: [{ field: "tags", op: "has_all", value: "a" }] })',
  'leads.list({ filter: [{ field: "tags", op: "has_none", value: ["c"] }] })',
  'leads.list({ filter: [{ field: "helpers", op: "has_any", value: ["me"] }] })',
  'leads.list({ filter: [{ field: "calls", op: "eq", value: 1 }] })',
  'leads.list({ sort: "tags" })',
  'leads.list({ sort: "calls" })',
  'leads.create({ name: "A", tags: "a" })',
  'leads.create({ name: "A", total: 1 })',
  'leads.update(lead, { calls: 1 })',
  'leads.summary({ by: "calls" })',
  'leads.create({})',
  'leads.create({ name: null })',
  'leads.create({ name: "A", stage: "lost" })',
  'leads.create({ name: "A", colour: "red" })',
  'leads.create({ name: "A", value: "1" })',
  'leads.create({ name: "A", company: lead })',
  'leads.create({ name: "A", doc: note })',
  'leads.create({ name: "A" }, { on_conflict: "ignore" })',
  'leads.createMany({ name: "A" })',
  'leads.createMany([{ stage: "new" }])',
  'leads.update(company, {})',
  'leads.update("01a1fc86-b28a-7000-8000-000000000001", {})',
  'leads.update(lead, { name: null })',
  'leads.update(lead, { nothing: 1 })',
  'leads.get(note)',
  'leads.get(lead).then((row) => row.data.nothing)',
  'leads.get(lead).then((row) => row.data.value.toFixed(2))',
  'leads.get(lead).then(({ data }) => data.company && leads.get(data.company))',
  'leads.summary({ by: "nothing" })',
  'leads.summary({ field: "name" })',
  'leads.summary({ field: "due" })',
  'leads.summary({ field: "nothing" })',
  'leads.summary({ period: "day", date: "value" })',
  'leads.summary({ period: "day", date: "name" })',
  'leads.summary({ period: "day", date: "nothing" })',
  'const field: NumberField<"Leads"> = "due"; leads.summary({ field })',
  'leads.summary({ period: "decade" })',
  'leads.watch({ offset: 5 })',
  'leads.watch({ filter: [{ field: "value", op: "contains", value: "1" }] })',
  'client.notes.create({ content: "x" })',
  'client.notes.update(lead, { title: "x" })',
  'client.notes.append(note, { heading: "x" })',
  'client.changes.list({ include: "everything" })',
  'client.changes.follow({ limit: 5 })',
  'createClient({ url: "http://localhost" })',
  'const any: Id<"Leads"> = company; used(any)',
]

const STRICTEST: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2022,
  lib: ['lib.es2022.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  allowImportingTsExtensions: true,
  noEmit: true,
  types: [],
  strict: true,
  skipLibCheck: true,
}

/** Options that users' projects enable. The file must compile without errors under them, too. */
const MORE: ts.CompilerOptions = {
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noImplicitOverride: true,
  noImplicitReturns: true,
  noPropertyAccessFromIndexSignature: true,
  noFallthroughCasesInSwitch: true,
  noUnusedLocals: true,
  noUnusedParameters: true,
  isolatedModules: true,
  verbatimModuleSyntax: true,
  erasableSyntaxOnly: true,
}

const libraries = new Map<string, ts.SourceFile | undefined>()

/** Returns the lines of each file that tsc rejects, counted from 0, with its messages. */
function compile(files: Record<string, string>, options: ts.CompilerOptions): string[] {
  const host = ts.createCompilerHost(options)
  const { getSourceFile, fileExists } = host
  host.fileExists = (name) => name in files || fileExists(name)
  host.directoryExists = () => true
  host.getSourceFile = (name, languageVersion, ...rest) => {
    const text = files[name]
    if (text !== undefined) return ts.createSourceFile(name, text, languageVersion, true)
    if (!libraries.has(name)) libraries.set(name, getSourceFile(name, languageVersion, ...rest))
    return libraries.get(name)
  }
  const program = ts.createProgram(Object.keys(files), options, host)
  return ts.getPreEmitDiagnostics(program).map(({ file, start = 0, messageText }) => {
    const line = file?.getLineAndCharacterOfPosition(start).line
    return `${file?.fileName}:${line} ${ts.flattenDiagnosticMessageText(messageText, ' ')}`
  })
}

const library = generateTypes(SAMPLE)
const programsOf = (lines: readonly string[]) => `${HEAD}\n${lines.map((line) => `{ ${line} }`).join('\n')}\n`

describe.each([
  ['strict', STRICTEST],
  ['with exactOptionalPropertyTypes and more', { ...STRICTEST, ...MORE }],
])('tsc, %s', (_, options) => {
  const said = compile(
    {
      '/t/daybook.ts': library,
      '/t/compile.ts': programsOf(COMPILE),
      '/t/refused.ts': programsOf(REFUSED),
      '/t/empty.ts': generateTypes([]),
    },
    options,
  )

  test('accepts the generated file, also without structures, and every right program', () => {
    expect(said.filter((line) => !line.startsWith('/t/refused.ts'))).toEqual([])
  })

  test('refuses every program with a wrong name, field, operator, option, value or id', () => {
    const refused = new Set(said.map((line) => Number(/^\/t\/refused\.ts:(\d+)/.exec(line)?.[1])))
    expect(REFUSED.filter((_, at) => !refused.has(at + 1))).toEqual([])
    expect(refused.has(0)).toBe(false)
  })
})
