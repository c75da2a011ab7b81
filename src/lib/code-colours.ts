/*
 * Colours of code on pages without scripts. Pieces are found by their shape: comments, strings, values and keywords. The
 * application parses the language instead; its grammars would weigh more than the rest of the server's Markdown.
 */

/** A piece of code and its class, which is empty for plain code. */
export interface CodePiece {
  readonly text: string
  readonly look: string
}

/** Longer code has no colours. */
const MAX_COLOURED = 50_000

const C = String.raw`\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)`
const HASH = String.raw`(?<![^\s])#[^\n]*`
const DASHES = String.raw`--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)`
const MARKUP = '<!--[\\s\\S]*?(?:-->|$)'

const FLOW = 'break case continue default do else for if return switch while'
const OBJECTS =
  'abstract class extends final finally implements import interface new package private protected public static super this throw throws try catch void'
const SCRIPT = `${FLOW} ${OBJECTS} as async await const delete enum export from function in instanceof let of readonly type typeof var yield`
const SYSTEM = `${FLOW} ${OBJECTS} auto bool char const defer double enum float fn func go impl int let long match mod mut namespace override pub range select sizeof string struct template trait type unsafe unsigned use using val var fun when where`
const PLAIN = `${FLOW} and as assert async await begin class def del elif end ensure except finally from global import in is lambda local module nonlocal not or pass raise require rescue then try unless until with yield function fi done esac echo export param`
const QUERY =
  'select from where and or not in is as on join left right inner outer full cross group by order having limit offset insert into values update set delete create table index view drop alter add primary key foreign references default unique with union all distinct case when then else end exists between like begin commit rollback'

interface Family {
  readonly comments: string
  readonly words: string
  readonly ignoresCase?: true
}

const FAMILIES: readonly (readonly [names: string, family: Family])[] = [
  ['js javascript jsx mjs ts typescript tsx mts json jsonc json5', { comments: C, words: SCRIPT }],
  [
    'c h cpp c++ cc hpp cs csharp c# dart go golang java kotlin kt rs rust swift',
    { comments: C, words: SYSTEM },
  ],
  ['css less scss sass', { comments: C, words: '' }],
  [
    'py python rb ruby sh bash shell zsh console powershell ps1 yaml yml toml ini properties env docker dockerfile nginx',
    { comments: HASH, words: PLAIN },
  ],
  ['sql sqlite postgres mysql', { comments: DASHES, words: QUERY, ignoresCase: true }],
  ['lua', { comments: DASHES, words: PLAIN }],
  ['html svg xml', { comments: MARKUP, words: '' }],
]

// A string ends with its line, so that a lone quotation mark colours no more than that.
const STRINGS = String.raw`"(?:[^"\\\n]|\\.)*"?|'(?:[^'\\\n]|\\.)*'?|${'`'}(?:[^${'`'}\\]|\\[\s\S])*${'`'}?`
const VALUES = String.raw`\b\d[\w.]*|\b(?:true|false|null|nil|none|undefined|True|False|None)\b`

const patternOf = ({ comments, words, ignoresCase }: Family): RegExp => {
  const keywords = words === '' ? '(?!)' : `\\b(?:${words.split(' ').join('|')})\\b`
  return new RegExp(
    `(?<comment>${comments})|(?<string>${STRINGS})|(?<value>${VALUES})|(?<keyword>${keywords})`,
    ignoresCase ? 'gi' : 'g',
  )
}

const PATTERNS = new Map(
  FAMILIES.flatMap(([names, family]) => {
    const pattern = patternOf(family)
    return names.split(' ').map((name) => [name, pattern] as const)
  }),
)

/** Splits code by its shape; `info` is the text after the opening fence. Unknown languages have one plain piece. */
export function codePieces(code: string, info: string): readonly CodePiece[] {
  const pattern = PATTERNS.get(/^[^\s{,:]*/.exec(info.toLowerCase())?.[0] ?? '')
  if (!pattern || code.length > MAX_COLOURED) return [{ text: code, look: '' }]
  const pieces: CodePiece[] = []
  let end = 0
  for (const { 0: text, index, groups = {} } of code.matchAll(pattern)) {
    if (index > end) pieces.push({ text: code.slice(end, index), look: '' })
    const kind = Object.keys(groups).find((name) => groups[name] !== undefined)
    pieces.push({ text, look: `code-${kind}` })
    end = index + text.length
  }
  return end < code.length ? [...pieces, { text: code.slice(end), look: '' }] : pieces
}
