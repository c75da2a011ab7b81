import {
  autocompletion,
  closeBrackets,
  completionKeymap,
  insertBracket,
  startCompletion,
} from '@codemirror/autocomplete'
import { highlightSelectionMatches, searchKeymap } from '@codemirror/search'
import { type Extension, Prec } from '@codemirror/state'
import { keymap } from '@codemirror/view'
import { completeTags, completeTitles } from './completions.ts'
import { completeInsertions } from './insert-menu.ts'
import { closedBracket } from './table-editing.ts'

/** Completion, closed brackets and search, which an editor loads once it may be used. */
export const typingAids: Extension = [
  closeBrackets(),
  closedBracket.of(insertBracket),
  highlightSelectionMatches(),
  autocompletion({ override: [completeTitles, completeTags, completeInsertions], icons: false }),
  Prec.highest(keymap.of(completionKeymap)),
  Prec.high(keymap.of(searchKeymap)),
]

export { startCompletion }
