import { describe, expect, test } from 'bun:test'
import { EditorState } from '@codemirror/state'
import type { Tree } from '@lezer/common'
import { parser } from '../../src/web/pages/notes/editor/markdown.ts'
import { moveWindow, syntax, syntaxTree } from '../../src/web/pages/notes/editor/syntax.ts'
import { runs } from '../support/counts.ts'
import { randomSource } from '../support/random.ts'

/* The syntax of the visible text is parsed in a window. The result must equal a parse of the whole text. */

const BLOCKS = [
  '# A heading\n\n',
  'Some *words* with `code`, a [link](https://example.org), [[Another note]] and #tags\nin two lines.\n\n',
  '- one\n- two\n  - three\n- [ ] four\n\n',
  '> [!note] A quote\n> in two lines\n\n',
  '| a | b |\n| - | - |\n| 1 | 2 |\n\n',
  '```\n# no heading\n\n- no list\n```\n\n',
  `~~~\n${'code that goes on\n\n'.repeat(2_500)}~~~\n\n`,
]
const TYPED = ['x', '\n', '\n\n', '# ', '- ', '`', '```\n', '\n~~~\n', '> ', '**', ' ']
const IN_SIGHT = 2_000

/** The nodes between two positions: blocks and their inline content. */
function nodesBetween(tree: Tree, from: number, to: number): string[] {
  const found: string[] = []
  tree.iterate({
    from,
    to,
    enter: (node) => {
      if (node.name === 'CodeText' || node.name === 'CodeMark') return
      if (node.name !== 'Document')
        found.push(`${node.name} ${Math.max(node.from, from)} ${Math.min(node.to, to)}`)
    },
  })
  return found
}

describe('the syntax of a long text', () => {
  test.each(Array.from({ length: runs(5, 200) }, (_, seed) => [seed]))(
    'is the same in its window as in the whole, wherever is looked and written (seed %d)',
    (seed) => {
      const random = randomSource(seed)
      const text = Array.from({ length: 500 }, () => BLOCKS[random(random(50) === 0 ? 7 : 6)]).join('')
      let state = EditorState.create({ doc: text, extensions: [syntax] })
      for (let place = 0; place < 4; place++) {
        let at = random(state.doc.length - IN_SIGHT)
        state = state.update({ effects: moveWindow.of({ from: at, to: at + IN_SIGHT }) }).state
        for (let key = 0; key < 6; key++) {
          const whole = parser.parse(state.doc.toString())
          expect(nodesBetween(syntaxTree(state), at, at + IN_SIGHT)).toEqual(
            nodesBetween(whole, at, at + IN_SIGHT),
          )
          const insert = TYPED[random(TYPED.length)] ?? ''
          const isElsewhere = random(4) === 0
          const from = isElsewhere ? random(state.doc.length) : at + random(IN_SIGHT)
          const { changes, state: next } = state.update({ changes: { from, to: from + random(3), insert } })
          at = changes.mapPos(at)
          state = next
        }
      }
    },
  )
})
