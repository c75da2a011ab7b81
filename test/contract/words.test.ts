/**
 * The words of the repository: one concept, one name, and sentences that begin with their subject. The tests refuse
 * only expressions with one plain replacement; everything else is up to reviewers.
 */
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { Glob } from 'bun'
import ts from 'typescript'

const ROOT = join(import.meta.dir, '..', '..')

/** Expressions banned everywhere, each with its replacement. */
const BANNED: [expression: RegExp, instead: string][] = [
  [
    /\b(?:somebody|whoever|whosoever|whomever)\b/i,
    'the role: caller, client, user, member, owner, "someone else"',
  ],
  [/\b(?:he|him|his|she|hers)\b/i, 'the role: caller, client, user, member, owner'],
  [/\bwhom\b/i, 'the role as the subject'],
  [/\b(?:is|are|be|was|were|been|being) told\b/i, 'is notified, receives, sees'],
  [/\b(?:tells?|told|hears?|heard) of\b/i, 'notify about, report, receive'],
  [/\bjudg(?:e|es|ed|ing)\b/i, 'check, match, validate, process'],
  [/\bturn(?:s|ed)? away\b/i, 'reject, refuse'],
  [/\b(?:give|gives|gave|given|giving) (?:it |them )?up\b/i, 'discard, cancel, stop'],
  [/\blet(?:s|ting)? go\b/i, 'discard, evict, release'],
  [/\bput(?:s|ting)? back\b/i, 'restore'],
  [/\btak(?:e|es|en|ing) away\b/i, 'delete, remove'],
  [/\b(?:take|takes|taking|took) turns\b/i, 'alternate; fair scheduling'],
  [/\bany more\b/i, 'no longer'],
  [/\banew\b/i, 'again'],
  [/\bif you like\b/i, 'optional'],
  [/\bthose (?:who|whose)\b/i, 'the noun'],
]

/** Expressions banned in texts but allowed in comments. */
const BANNED_IN_TEXTS: [expression: RegExp, instead: string][] = [
  [/\byou may\b/i, 'you can, or the imperative'],
  [/\brequesters?\b/i, 'caller'],
]

/** In the application and the commands, objects are created; a backup can be made. */
const CREATE: [expression: RegExp, instead: string] = [/^Makes? (?!sure|a backup)/, 'Create']

/** In the application, a structure is a table. */
const BANNED_IN_THE_APPLICATION: [expression: RegExp, instead: string][] = [
  // Applies to sentences only: lists of kinds and examples of requests use the names of the API.
  [/^(?=[A-Z“…].*|.*[.…]).*?(?<![\w/])structures?\b(?![:'"])/, 'table'],
  [/(?:…|\d) chosen\b|\bChoose several\b/, 'selected, Select'],
  [/\bNeeded\b/, 'Required'],
  [/\bno such note\b/i, 'not created yet'],
  [/\bLine across\b/, 'Divider'],
  [/\bSort (?:up|down)wards\b/, 'A to Z, Z to A'],
  [/\b(?:Least|Most)\b(?=, |$)/, 'Min, Max'],
  [/\bnames? the (?:columns|row)\b/i, 'column names, Title field'],
  [/\bWrite here\b/, 'Start writing'],
  [/\bgoes on when\b/, 'continues'],
  [/\bYou choose another\b/, 'You can also change'],
  [/\b(?:Nothing has come|has not come)\b/, 'No events yet'],
  [/\b(?:out of|in) reach\b/, 'what can be seen'],
  [/\bwhen it was sent\b|\bwhat it says\b/i, 'after sending'],
]

/** A sentence that begins with a relative clause, unless it is a question. */
const OPENER = /(?:^|[.!?:] )(?:Who|What|Whoever|Whose|Whom|Those|That of|One that)\b(?![^.!?]*\?)/

interface Text {
  path: string
  source: string
  /** The place of the text in the source. */
  index: number
  text: string
}

const placeOf = ({ path, source, index }: Text) => `${path}:${source.slice(0, index).split('\n').length}`

function faultsOf(found: Text, banned: [RegExp, string][]): string[] {
  const { text } = found
  const opener = OPENER.exec(text)
  return [
    ...(opener === null
      ? []
      : [`${placeOf(found)}: begin with the thing: ${text.slice(opener.index, opener.index + 80)}`]),
    ...banned.flatMap(([expression, instead]) => {
      const match = expression.exec(text)
      return match === null ? [] : [`${placeOf(found)}: "${match[0]}" → ${instead}: ${text.slice(0, 120)}`]
    }),
  ]
}

const pathsOf = (patterns: string[]) =>
  patterns
    .flatMap((pattern) => Array.from(new Glob(pattern).scanSync({ cwd: ROOT })))
    .filter((path) => !path.includes('node_modules') && !path.endsWith('.d.ts'))
    .sort()

/** Comments at the start of a line or after code. Neighboring `//` lines form one text. */
function commentsOf(path: string, source: string): Text[] {
  const comments = /^[^\S\n]*(?:\{)?\/\*[\s\S]*?\*\/|(?:^[^\S\n]*\/\/.*\n)+|(?<=[;,{}()[\]\w] )\/\/ .*$/gm
  return Array.from(source.matchAll(comments), ({ 0: comment, index }) => ({
    path,
    source,
    index,
    text: comment
      .replace(/^\s*(?:\{?\/\*+|\*\/|\*|\/\/)|\*\/$/gm, '')
      .replace(/\s+/g, ' ')
      .trim(),
  }))
}

/** Texts of more than one word in a source file, without the values in templates. */
function textsOf(path: string, source: string): Text[] {
  const file = ts.createSourceFile(path, source, ts.ScriptTarget.Latest)
  const texts: Text[] = []
  const visit = (node: ts.Node) => {
    const text = ts.isTemplateExpression(node)
      ? [node.head.text, ...node.templateSpans.map((span) => span.literal.text)].join('…')
      : ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node) || ts.isJsxText(node)
        ? node.text
        : ''
    if (/[a-z] \S/.test(text))
      texts.push({ path, source, index: node.pos, text: text.replace(/\s+/g, ' ').trim() })
    ts.forEachChild(node, visit)
  }
  visit(file)
  return texts
}

/** Paragraphs, headings, items and cells of a page, without code. */
function paragraphsOf(path: string, page: string): Text[] {
  const prose = page
    .replace(/^ *```[\s\S]*?^ *```$/gm, (code) => code.replace(/[^\n]/g, ''))
    .replace(/`[^`\n]*`/g, '`…`')
  return Array.from(prose.matchAll(/[^\n|]+/g), ({ 0: text, index }) => ({
    path,
    source: prose,
    index,
    text: text.replace(/^[\s#>*-]+(?:\d+\. )?/, '').trim(),
  }))
}

/** Test names, which state guarantees. */
const namesOf = (path: string, source: string): Text[] =>
  Array.from(
    source.matchAll(/(?:^|\s|\))(?:(?:test|it|describe)(?:\.\w+)*)?\(\s*(['"`])(.+?)\1,\s*(?:async )?\(/gm),
    ({ 2: text = '', index }) => ({ path, source, index, text }),
  )

async function check(
  patterns: string[],
  read: (path: string, source: string) => Text[],
  banned: (path: string) => [RegExp, string][],
): Promise<string[]> {
  const faults = pathsOf(patterns).map(async (path) =>
    read(path, await Bun.file(join(ROOT, path)).text()).flatMap((text) => faultsOf(text, banned(path))),
  )
  return (await Promise.all(faults)).flat()
}

const textRules = (path: string) => [
  ...BANNED,
  ...BANNED_IN_TEXTS,
  ...(path.endsWith('.md') ? [] : [CREATE]),
  ...(path.startsWith('src/web/') ? BANNED_IN_THE_APPLICATION : []),
]

test('comments begin with their subject', async () => {
  const faults = await check(['{src,test,scripts}/**/*.{ts,tsx,css}'], commentsOf, () => [])
  expect(faults).toEqual([])
})

test('texts of the interface, the commands and the API use the words of the glossary', async () => {
  expect(await check(['src/**/*.{ts,tsx}'], textsOf, textRules)).toEqual([])
})

test('pages of the guide use the words of the glossary', async () => {
  expect(await check(['README.md', '.github/**/*.md', 'scripts/**/*.md'], paragraphsOf, textRules)).toEqual(
    [],
  )
})

test('names of tests begin with their subject', async () => {
  expect(await check(['test/**/*.test.ts'], namesOf, () => BANNED)).toEqual([])
})
