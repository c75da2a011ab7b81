import {
  Decoration,
  type DecorationSet,
  type EditorView,
  MatchDecorator,
  ViewPlugin,
  type ViewUpdate,
} from '@codemirror/view'

const marks = new MatchDecorator({
  regexp: /(\[\[)([^[\]\n]+)(\]\])|(^|\s)(#[\p{L}\p{N}_/-]+)/gu,
  decorate: (add, from, to, match) => {
    if (match[2] === undefined) {
      add(from + (match[4]?.length ?? 0), to, Decoration.mark({ class: 'md-tag' }))
      return
    }
    add(from, from + 2, Decoration.mark({ class: 'md-mark' }))
    add(from + 2, to - 2, Decoration.mark({ class: 'wl' }))
    add(to - 2, to, Decoration.mark({ class: 'md-mark' }))
  },
})

/** Shows links between notes, and tags, in their colour. */
export const wikiMarks = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet
    constructor(view: EditorView) {
      this.decorations = marks.createDeco(view)
    }
    update(update: ViewUpdate) {
      this.decorations = marks.updateDeco(update, this.decorations)
    }
  },
  { decorations: ({ decorations }) => decorations },
)
