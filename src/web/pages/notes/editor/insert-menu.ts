import {
  type Completion,
  type CompletionContext,
  type CompletionResult,
  snippet,
  startCompletion,
} from '@codemirror/autocomplete'
import { localDay, localTime } from '../../../data/local-time.ts'
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
  constant('Table', '| |', '| #{First} | #{Second} |\n| --- | --- |\n| #{} |  |'),
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

/** Completes insertions after `/` at the start of a word: blocks on an empty line only, words everywhere. */
export function completeInsertions(context: CompletionContext): CompletionResult | null {
  const typed = context.matchBefore(/(?:^|(?<=\s))\/[\p{L}\d]*(?: \d)?/u)
  if (!typed || isInCode(context.state, context.pos)) return null
  const { from } = context.state.doc.lineAt(context.pos)
  const isEmptyLine = context.state.sliceDoc(from, typed.from).trim() === ''
  return {
    from: typed.from + 1,
    options: [...(isEmptyLine ? BLOCKS : []), ...WORDS].map(completionOf),
    validFor: /^[\p{L}\d]*(?: \d)?$/u,
  }
}
