import {
  type Completion,
  type CompletionContext,
  type CompletionResult,
  snippet,
  startCompletion,
} from '@codemirror/autocomplete'
import { cache } from '../../../data/cache.ts'
import { localDay, localTime } from '../../../data/local-time.ts'
import { PRESETS } from '../../../data/presets.ts'
import { isInCode } from './syntax.ts'

interface Insertable {
  readonly label: string
  /** The equivalent Markdown. */
  readonly detail?: string
  /** The inserted text; `#{}` is the cursor position. */
  readonly text: () => string
  /** Opens the completion list after insertion. */
  readonly opensCompletion?: boolean
}

const constant = (label: string, detail: string, text: string): Insertable => ({
  label,
  detail,
  text: () => text,
})

/** Insertions on their own lines. */
const BLOCKS: readonly Insertable[] = [
  constant('Heading 1', '#', '# #{}'),
  constant('Heading 2', '##', '## #{}'),
  constant('Heading 3', '###', '### #{}'),
  constant('Bulleted list', '-', '- #{}'),
  constant('Numbered list', '1.', '1. #{}'),
  constant('Task', '- [ ]', '- [ ] #{}'),
  constant('Quote', '>', '> #{}'),
  constant('Callout', '> [!note]', '> [!note] #{}'),
  constant('Code block', '```', '```\n#{}\n```'),
  constant('Table', '| |', '| #{First} | Second |\n| --- | --- |\n|  |  |'),
  constant('Divider', '---', '---\n#{}'),
]

const WORDS: readonly Insertable[] = [
  { label: 'Link to a note', detail: '[[', text: () => '[[#{}', opensCompletion: true },
  { label: 'Tag', detail: '#', text: () => '#', opensCompletion: true },
  { label: 'Today', text: () => `${localDay()}#{}` },
  { label: 'Time', text: () => `${localTime()}#{}` },
]

/** Replaces the slash and the text typed after it. */
const completionOf = ({ label, detail, text, opensCompletion }: Insertable): Completion => ({
  label,
  ...(detail !== undefined && { detail }),
  apply: (view, completion, from, to) => {
    snippet(text())(view, completion, from - 1, to)
    if (opensCompletion) startCompletion(view)
  },
})

/** Whether a label or one of its words begins with a text. */
const hasWordAt = (label: string, wanted: string): boolean =>
  label.startsWith(wanted) || label.split(/[\s-]+/).some((word) => word.startsWith(wanted))

/** The presets with text. */
async function templates(): Promise<readonly Insertable[]> {
  const { presets } = await cache.ensureQueryData(PRESETS).catch(() => ({ presets: [] }))
  return presets.flatMap(({ name, content }) =>
    content === undefined ? [] : [constant(name, 'template', content.replace(/([#$])\{/g, '$1\\{'))],
  )
}

/** Completes insertions after `/` at the start of a word: blocks on an empty line only, words everywhere. */
export async function completeInsertions(context: CompletionContext): Promise<CompletionResult | null> {
  const typed = typedIn(context)
  return typed && resultFor(context, typed, await templates())
}

/** The slash and the text typed after it, at the start of a word. */
function typedIn(context: CompletionContext) {
  const typed = context.matchBefore(/(?:^|(?<=\s))\/[\p{L}\d]*(?: \d)?/u)
  return typed && !isInCode(context.state, context.pos) ? typed : null
}

function resultFor(
  context: CompletionContext,
  typed: { readonly from: number; readonly text: string },
  presets: readonly Insertable[],
): CompletionResult {
  const { from } = context.state.doc.lineAt(context.pos)
  const isEmptyLine = context.state.sliceDoc(from, typed.from).trim() === ''
  const wanted = typed.text.slice(1).toLowerCase()
  const insertions = [...(isEmptyLine ? [...BLOCKS, ...presets] : []), ...WORDS]
  return {
    from: typed.from + 1,
    // Letters within words, which completion would match as well, find blocks that no one means.
    filter: false,
    options: insertions.filter(({ label }) => hasWordAt(label.toLowerCase(), wanted)).map(completionOf),
    update: (_current, _from, _to, next) => {
      const more = typedIn(next)
      return more && resultFor(next, more, presets)
    },
  }
}
