import type { TypedStructure } from '../../../src/clients/types/generate.ts'

type Field = TypedStructure['fields'][number]

export const field = (key: string, type: Field['type'], more: Partial<Field> = {}): Field => ({
  key,
  type,
  label: key,
  required: false,
  unit: null,
  hidden: false,
  unique: false,
  min: null,
  max: null,
  options: null,
  structure: null,
  ...more,
})

export const structure = (
  number: number,
  name: string,
  fields: readonly Field[],
  description: string | null = null,
): TypedStructure => ({
  id: `01a1fc86-b28a-7000-8000-${String(number).padStart(12, '0')}`,
  name,
  description,
  fields,
})

const COMPANIES = structure(2, 'Companies', [
  field('name', 'text', { required: true }),
  field('employees', 'number'),
])

const LEADS = structure(1, 'Leads', [
  field('name', 'text', { required: true }),
  field('stage', 'select', { options: ['new', 'won', `it's "odd"`] }),
  field('source', 'select'),
  field('company', 'record', { structure: COMPANIES.id }),
  field('anything', 'record'),
  field('minutes', 'note'),
  field('doc', 'file'),
  field('value', 'number'),
  field('hot', 'bool'),
  field('due', 'date'),
  field('at', 'time'),
  field('met', 'datetime'),
  field('tags', 'select', { options: ['a', 'b'], multiple: true }),
  field('owner', 'user'),
  field('helpers', 'user', { multiple: true }),
  field('total', 'formula', { expression: '{value} * 2', result: 'number' }),
  field('calls', 'rollup', { via: { structure: COMPANIES.id, field: 'lead' }, function: 'count' }),
])

/** Names and texts that try to break out of a string, a comment or an object. */
export const HOSTILE = [
  '__proto__',
  'constructor',
  '1',
  `"]: 1 }; evil() //`,
  "it's `$" + '{evil()}` \\',
  '*/ evil() /*',
  'Zoë 研究 👩‍👩‍👧 \u202eevil\u202c',
  '\u2028evil()\u2029',
  '@ts-nocheck',
  '</script><script>evil()</script>',
]

export const SAMPLE: readonly TypedStructure[] = [
  LEADS,
  COMPANIES,
  structure(3, 'Nothing', []),
  ...HOSTILE.map((name, at) =>
    structure(
      at + 10,
      name,
      [
        field('constructor', 'text', { required: true, label: name }),
        field('default', 'select', { options: [name, '\n', name] }),
        field('class', 'record', { structure: LEADS.id, unit: name }),
      ],
      `${name}\n${name}\u2028@deprecated\r\n*/ ${name} ${'long words '.repeat(40)}`,
    ),
  ),
]
