import { NOTE_FIELDS, NOTE_OPERATORS, ROW_OPERATORS, TAG_OPERATORS } from '../../filter/operators.ts'

const code = (name: string) => `\`${name}\``

/** Kinds with the same operators share a row. */
function operatorTable(heading: string, operatorsOf: Record<string, readonly string[]>): string {
  const rows = new Map<string, string[]>()
  for (const [kind, operators] of Object.entries(operatorsOf)) {
    const cell = operators.map(code).join(' ')
    rows.set(cell, [...(rows.get(cell) ?? []), code(kind)])
  }
  const lines = [...rows].map(([operators, kinds]) => `| ${kinds.join(', ')} | ${operators} |`)
  return [`| ${heading} | Operators |`, '| --- | --- |', ...lines].join('\n')
}

/** The operators of a filter over rows, by kind of field, as Markdown. */
export const RECORD_OPERATORS_TEXT = `A filter is a list of conditions \`{field, op, value}\`, all of which must match. The operators depend on the type of the field:

${operatorTable('Field', ROW_OPERATORS)}

A field with several values has the operators of \`multiple\`; each takes a list of 1 to 100 values. \`in\` and \`not_in\` take a list of up to 500 values, \`is_empty\` and \`not_empty\` no value. \`neq\`, \`not_in\` and \`has_none\` also match rows without a value. \`contains\` ignores case. The value \`me\` of a \`user\` field, with \`eq\` or \`neq\`, is the caller. \`*\` is the text of all fields of a row. A plain date compared with an instant means that whole UTC day.`

const ofFields = Object.fromEntries(
  Object.entries(NOTE_FIELDS).map(([field, type]) => [field, NOTE_OPERATORS[type]]),
)

/** The operators of a filter tree, by type of condition, as Markdown. */
export const TREE_OPERATORS_TEXT = `A filter tree is a condition or a group of nodes: at most 4 levels of groups and 50 conditions. The operators of \`property\` conditions, by the type of the property:

${operatorTable('Property', NOTE_OPERATORS)}

Those of \`field\` conditions, and of \`tags\` conditions:

${operatorTable('Field', { ...ofFields, tags: TAG_OPERATORS })}

A date is \`YYYY-MM-DD\` or \`{"relative": {"n": -7, "unit": "day"}}\`, with the unit \`day\`, \`week\`, \`month\` or \`year\`. \`in\` and \`not_in\` take a list, \`between\` takes \`[low, high]\`, \`within\` a relative date, \`empty\` and \`not_empty\` no value. \`neq\`, \`not_in\`, \`not_contains\` and \`has_none\` also match notes without a value.`
