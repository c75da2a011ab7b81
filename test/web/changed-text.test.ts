import { expect, test } from 'bun:test'
import { ChangeSet, Text } from '@codemirror/state'
import fc from 'fast-check'
import { changedText } from '../../src/web/pages/notes/editor/changed-text.ts'

/** Texts with carriage returns as ordinary characters, as in a note that mixes line breaks. */
const text = fc.string({ unit: fc.constantFrom('a', 'é', '\n', '\r', '𝄞'), maxLength: 30 })
const edit = fc.record({ from: fc.nat(), length: fc.nat(8), insert: text })

test('a text that takes over edits is the text of the document, byte for byte', () => {
  fc.assert(
    fc.property(text, fc.array(edit, { minLength: 1, maxLength: 12 }), (before, edits) => {
      const toText = (string: string) => Text.of(string.split('\n'))
      let document = toText(before)
      let all = ChangeSet.empty(document.length)
      for (const { from, length, insert } of edits) {
        const start = from % (document.length + 1)
        const to = Math.min(start + length, document.length)
        const changes = ChangeSet.of({ from: start, to, insert: toText(insert) }, document.length)
        document = changes.apply(document)
        all = all.compose(changes)
      }
      expect(changedText(before, all)).toBe(document.toString())
    }),
  )
})
