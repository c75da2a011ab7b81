import { type EditorView, WidgetType } from '@codemirror/view'
import { drawFormula } from '../math/draw-formula.ts'
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

/** A formula instead of its source. */
export class Formula extends WidgetType {
  constructor(
    readonly text: string,
    readonly isDisplay: boolean,
  ) {
    super()
  }
  override eq({ text, isDisplay }: Formula): boolean {
    return text === this.text && isDisplay === this.isDisplay
  }
  toDOM(view: EditorView): HTMLElement {
    const element = document.createElement('span')
    element.className = this.isDisplay ? 'md-formula display' : 'md-formula'
    drawFormula(element, this.text, this.isDisplay, () => view.requestMeasure())
    return element
  }
  override ignoreEvent(): boolean {
    return false
  }
}

/** Copies a code block. */
export class CopyCode extends WidgetType {
  constructor(
    readonly from: number,
    readonly to: number,
  ) {
    super()
  }
  override eq({ from, to }: CopyCode): boolean {
    return from === this.from && to === this.to
  }
  toDOM(view: EditorView): HTMLElement {
    const button = document.createElement('button')
    Object.assign(button, { type: 'button', className: 'md-copy', textContent: 'Copy', tabIndex: -1 })
    button.setAttribute('aria-label', 'Copy code')
    button.addEventListener('mousedown', (event) => event.preventDefault())
    button.addEventListener('click', () => {
      void navigator.clipboard.writeText(view.state.sliceDoc(this.from, this.to)).then(() => {
        button.textContent = 'Copied'
      })
    })
    return button
  }
  override ignoreEvent(): boolean {
    return true
  }
}
