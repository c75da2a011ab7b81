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
  /** What can be typed instead. */
  readonly detail?: string
  /** What is inserted; `#{}` is where one goes on to type. */
  readonly text: () => string
  /** Completes what was inserted, as typing it would. */
  readonly isCompleted?: boolean
}

const constant = (label: string, detail: string, text: string): Insertable => ({
  label,
  detail,
  text: () => text,
})

/** What stands on lines of its own. */
const BLOCKS: readonly Insertable[] = [
  constant('Heading 1', '#', '# #{}'),
  constant('Heading 2', '##', '## #{}'),
  constant('Heading 3', '###', '### #{}'),
  constant('Bulleted list', '-', '- #{}'),
  constant('Numbered list', '1.', '1. #{}'),
  constant('Task', '- [ ]', '- [ ] #{}'),
  constant('Quote', '>', '> #{}'),
  constant('Callout', '> [!note]', '> [!note] #{}'),
  constant('Code', '```', '```\n#{}\n```'),
  constant('Table', '| |', '| #{First} | #{Second} |\n| --- | --- |\n| #{} |  |'),
  constant('Line across', '---', '---\n#{}'),
]

const WORDS: readonly Insertable[] = [
  { label: 'Link to a note', detail: '[[', text: () => '[[#{}', isCompleted: true },
  { label: 'Tag', detail: '#', text: () => '#', isCompleted: true },
  { label: 'Today', text: () => `${localDay()}#{}` },
  { label: 'Time', text: () => `${localTime()}#{}` },
]

/** The slash goes with what was typed after it. */
const completionOf = ({ label, detail, text, isCompleted }: Insertable): Completion => ({
  label,
  ...(detail !== undefined && { detail }),
  apply: (view, completion, from, to) => {
    snippet(text())(view, completion, from - 1, to)
    if (isCompleted) startCompletion(view)
  },
})

/** After `/` at the start of a word what can be inserted there: blocks on an empty line, words everywhere. */
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
