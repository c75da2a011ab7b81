import { type FieldKind, isComputed, rulesOf, valueTypeOf } from '../../filter/record/field-types.ts'
import type { presentField, presentStructure } from '../../records/structures/store.ts'
import { sourceOf } from './source-of.ts' with { type: 'macro' }

const withoutImports = (source: string): string => source.replace(/^(?:import [\s\S]*? from ".*"\n)+\n/, '')

/** The modules as one file: the sample structures, then the parts that are the same for every workspace. */
const template = [
  sourceOf('surface.ts').replace('export const IDS', 'const IDS'),
  withoutImports(sourceOf('connection.ts')).replace(/^export /gm, ''),
  withoutImports(sourceOf('client.ts')),
].join('\n')

/** The parts of a structure that its types need. */
export type TypedStructure = Pick<ReturnType<typeof presentStructure>, 'id' | 'name' | 'description'> & {
  readonly fields: readonly ReturnType<typeof presentField>[]
}

const LINE_WIDTH = 108

/** Control, format and line characters could disguise a text or end a line. */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu
const escaped = (text: string): string =>
  text.replace(UNSAFE, (sign) =>
    Array.from({ length: sign.length }, (_, at) => sign.charCodeAt(at).toString(16).padStart(4, '0'))
      .map((digits) => `\\u${digits}`)
      .join(''),
  )

const literal = (text: string): string => escaped(JSON.stringify(text))

/** Wraps a text into lines that cannot end the comment, and that no tool interprets as a directive. */
function commentLines(text: string, width: number): string[] {
  const lines = text.split(/[\n\r\v\f\u0085\u2028\u2029]+/).map((line) => escaped(line.replaceAll('\t', ' ')))
  const wrapped = lines.flatMap(
    (line) => line.match(new RegExp(`\\S(?:.{0,${width - 2}}\\S)?(?!\\S)|\\S+`, 'g')) ?? [],
  )
  return wrapped.map((line) => line.replaceAll('*/', '*\\/').replace(/^@/, '\\@'))
}

/** A doc comment with its line break; empty without a text. */
function comment(text: string, indent: string): string {
  const lines = commentLines(text, LINE_WIDTH - indent.length)
  if (lines.length === 0) return ''
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}\n`).join('')}${indent} */\n`
}

type Field = TypedStructure['fields'][number]

function fieldComment(field: Field): string {
  const { key, type, label, unit, unique, min, max } = field
  const measure = type === 'text' ? ' characters' : ''
  const parts = [
    label === key ? null : label,
    rulesOf(field as FieldKind).format,
    unit && `in ${unit}`,
    unique && 'unique',
    min !== null && `at least ${min}${measure}`,
    max !== null && `at most ${max}${measure}`,
  ]
  return parts.filter(Boolean).join('; ')
}

function fieldType(field: Field, names: ReadonlyMap<string, string>): string {
  const { multiple, ...single } = field
  if (!multiple) return singleType(field, names)
  const type = singleType(single, names)
  return type.includes('|') ? ` Array<${type.trim()}>` : `${type}[]`
}

function singleType(field: Field, names: ReadonlyMap<string, string>): string {
  const { type, options, structure } = field
  const target = names.get(structure ?? '')
  if (type === 'record' && target !== undefined) return ` Id<${literal(target)}>`
  if (type === 'select' && options?.length) return union([...new Set(options)].map(literal))
  const { typescript } = rulesOf(field as FieldKind)
  return isComputed(field as FieldKind) ? ` Formula<${typescript}>` : ` ${typescript}`
}

/** The type that determines the operators. */
const operatorType = (field: Field): string =>
  literal(valueTypeOf(field as FieldKind)) + (isComputed(field as FieldKind) ? ' & Computed' : '')

/** A union on the same line after a blank, or with one member per line. */
function union(members: readonly string[]): string {
  const line = ` ${members.join(' | ')}`
  return line.length <= LINE_WIDTH / 2 ? line : members.map((member) => `\n      | ${member}`).join('')
}

/** The parts of a generated file for one structure. */
function partsOf({ id, name, description, fields }: TypedStructure, names: ReadonlyMap<string, string>) {
  const member = (field: Field) =>
    `${comment(fieldComment(field), '    ')}    ${field.key}${field.required ? '' : '?'}:${fieldType(field, names)}\n`
  const block = (members: readonly string[]) => `  ${literal(name)}: {\n${members.join('')}  }\n`
  return {
    declaration: comment(description ?? '', '  ') + block(fields.map(member)),
    types: block(fields.map((field) => `    ${field.key}: ${operatorType(field)}\n`)),
    id: `  [${literal(name)}, ${literal(id)}],\n`,
  }
}

type Parts = ReturnType<typeof partsOf>

/** The blocks of the template between the sample and the common part. */
const BLOCK =
  /(export interface Structures \{\n|interface Fields \{\n|new Map<string, string>\(\[\n)[\s\S]*?(?=^[}\]])/gm

const byName = (a: TypedStructure, b: TypedStructure) => (a.name < b.name ? -1 : 1)

function parts(structures: readonly TypedStructure[]): [TypedStructure, Parts][] {
  const names = new Map(structures.map(({ id, name }) => [id, name]))
  return [...structures].sort(byName).map((structure) => [structure, partsOf(structure, names)])
}

/** The TypeScript file of these structures; independent of their order. */
export function generateTypes(structures: readonly TypedStructure[]): string {
  const members: (keyof Parts)[] = ['declaration', 'types', 'id']
  const all = parts(structures)
  return template.replace(BLOCK, (_, head: string) => {
    const member = members.shift()
    return head + all.map(([, found]) => (member ? found[member] : '')).join('')
  })
}

const ID_LINE = /^ {2}\[("(?:[^"\\]|\\.)*"), "[0-9a-f-]{36}"\],$/gm

/** The sorted names of the structures that were added, changed or removed since the file was generated. */
export function differingStructures(file: string, structures: readonly TypedStructure[]): string[] {
  const changed = parts(structures)
    .filter(([, found]) => Object.values(found).some((part) => !file.includes(part)))
    .map(([{ name }]) => name)
  const known = new Set(structures.map(({ name }) => name))
  const inFile = Array.from(file.matchAll(ID_LINE), ([, name = '""']) => JSON.parse(name) as string)
  return [...changed, ...inFile.filter((name) => !known.has(name))].sort()
}
