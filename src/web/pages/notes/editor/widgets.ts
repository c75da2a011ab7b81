import { type EditorView, WidgetType } from '@codemirror/view'
import { tickOf } from './format-keys.ts'

/** The checkbox of a task; a click toggles it in the text. */
export class TaskBox extends WidgetType {
  constructor(
    readonly isDone: boolean,
    readonly isReadOnly: boolean,
  ) {
    super()
  }
  override eq({ isDone, isReadOnly }: TaskBox): boolean {
    return isDone === this.isDone && isReadOnly === this.isReadOnly
  }
  toDOM(view: EditorView): HTMLElement {
    const box = document.createElement('input')
    Object.assign(box, {
      type: 'checkbox',
      className: 'md-box',
      checked: this.isDone,
      disabled: this.isReadOnly,
    })
    box.setAttribute('aria-label', this.isDone ? 'Done' : 'To do')
    box.addEventListener('mousedown', (event) => event.preventDefault())
    box.addEventListener('click', (event) => {
      event.preventDefault()
      const changes = tickOf(view.state, view.posAtDOM(box))
      if (changes) view.dispatch({ changes, userEvent: 'input' })
    })
    return box
  }
  override ignoreEvent(): boolean {
    return true
  }
}

/** Replaces a Markdown mark: a bullet, a divider, or the name of a callout. */
export class Ornament extends WidgetType {
  constructor(
    readonly kind: 'bullet' | 'rule' | 'callout-name',
    readonly text = '',
  ) {
    super()
  }
  override eq({ kind, text }: Ornament): boolean {
    return kind === this.kind && text === this.text
  }
  toDOM(): HTMLElement {
    const element = document.createElement('span')
    element.className = `md-${this.kind}`
    element.textContent = this.text
    return element
  }
}

export class Picture extends WidgetType {
  constructor(
    readonly source: string,
    readonly name: string,
  ) {
    super()
  }
  override eq({ source, name }: Picture): boolean {
    return source === this.source && name === this.name
  }
  override get estimatedHeight(): number {
    return 240
  }
  toDOM(view: EditorView): HTMLElement {
    const picture = document.createElement('img')
    Object.assign(picture, { src: this.source, alt: this.name, className: 'md-picture' })
    picture.addEventListener('load', () => view.requestMeasure())
    return picture
  }
  override ignoreEvent(): boolean {
    return false
  }
}

function pieceOf({ text, look }: Cell[number]): Node | string {
  if (look === '') return text
  const piece = document.createElement('span')
  piece.className = look
  piece.textContent = text
  return piece
}

/** A table cell: pieces of text with their CSS classes. */
export type Cell = readonly { readonly text: string; readonly look: string }[]

/** A table row with aligned cells. */
export class TableRow extends WidgetType {
  constructor(
    readonly cells: readonly Cell[],
    readonly widths: readonly number[],
    readonly alignments: readonly string[],
    readonly isHead: boolean,
  ) {
    super()
  }
  override eq(other: TableRow): boolean {
    const serialized = ({ cells, widths, alignments, isHead }: TableRow) =>
      JSON.stringify([cells, widths, alignments, isHead])
    return serialized(other) === serialized(this)
  }
  toDOM(): HTMLElement {
    const row = document.createElement('span')
    row.className = this.isHead ? 'md-row md-head' : 'md-row'
    row.append(
      ...this.widths.map((width, index) => {
        const cell = document.createElement('span')
        cell.className = this.alignments[index] ?? ''
        cell.dir = 'auto'
        cell.append(...(this.cells[index] ?? []).map(pieceOf))
        cell.style.setProperty('--width', `${width}ch`)
        return cell
      }),
    )
    return row
  }
  override ignoreEvent(): boolean {
    return false
  }
}
