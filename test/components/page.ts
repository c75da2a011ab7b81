import { afterAll, afterEach, beforeAll } from 'bun:test'
import { type ComponentChild, render } from 'preact'

/*
 * As much of a document as Preact uses to show components and to call their handlers, for tests of what they show and
 * do. Layout, focus and styles are tested in a browser.
 */

class Text {
  readonly nodeType = 3
  parentNode: Element | null = null
  constructor(public data: string) {}
  get nextSibling() {
    return siblingOf(this)
  }
  get textContent() {
    return this.data
  }
  remove() {
    this.parentNode?.removeChild(this)
  }
}

type Child = Text | Element
type Handler = (event: { readonly currentTarget: Element }) => void

const siblingOf = (child: Child): Child | null => {
  const siblings = child.parentNode?.childNodes ?? []
  return siblings[siblings.indexOf(child) + 1] ?? null
}

export class Element {
  readonly nodeType = 1
  readonly namespaceURI = 'http://www.w3.org/1999/xhtml'
  readonly style = {}
  readonly childNodes: Child[] = []
  readonly attributes = new Map<string, string>()
  readonly handlers = new Map<string, Handler>()
  parentNode: Element | null = null
  /* Properties that Preact sets in place of attributes. */
  value = ''
  checked = false
  disabled = false
  autofocus = false
  /** Whether it is shown as a modal dialog. */
  isModal = false

  constructor(readonly localName: string) {}

  get nextSibling() {
    return siblingOf(this)
  }
  get firstChild() {
    return this.childNodes[0] ?? null
  }
  get textContent(): string {
    return this.childNodes.map(({ textContent }) => textContent).join('')
  }
  setAttribute(name: string, value: string) {
    this.attributes.set(name, String(value))
  }
  removeAttribute(name: string) {
    this.attributes.delete(name)
  }
  addEventListener(type: string, handler: Handler) {
    this.handlers.set(type, handler)
  }
  removeEventListener(type: string) {
    this.handlers.delete(type)
  }
  insertBefore(child: Child, before: Child | null) {
    child.remove()
    const at = before ? this.childNodes.indexOf(before) : this.childNodes.length
    this.childNodes.splice(at, 0, child)
    child.parentNode = this
    return child
  }
  appendChild(child: Child) {
    return this.insertBefore(child, null)
  }
  append(child: Child) {
    this.insertBefore(child, null)
  }
  showModal() {
    this.isModal = true
  }
  close() {
    this.isModal = false
  }
  removeChild(child: Child) {
    const at = this.childNodes.indexOf(child)
    if (at !== -1) this.childNodes.splice(at, 1)
    child.parentNode = null
    return child
  }
  remove() {
    this.parentNode?.removeChild(this)
  }
  get all(): Element[] {
    return this.childNodes.flatMap((child) => (child instanceof Element ? [child, ...child.all] : []))
  }
}

const BODY = new Element('body')

const DOCUMENT = {
  body: BODY,
  createElement: (name: string) => new Element(name),
  createElementNS: (_: string, name: string) => new Element(name),
  createTextNode: (text: string) => new Text(text),
  adoptedStyleSheets: [],
}

/** Lends the tests of a file a document; components that are shown are in its body. */
export function usePage() {
  const body = BODY
  const lent = {
    document: DOCUMENT,
    location: new URL('http://127.0.0.1/app'),
    history: { pushState() {} },
    requestAnimationFrame: () => 0,
    CSSStyleSheet: class {
      replaceSync() {}
    },
  }
  beforeAll(() => void Object.assign(globalThis, lent))
  afterEach(() => render(null, body as never))
  afterAll(() => {
    for (const name of Object.keys(lent)) Reflect.deleteProperty(globalThis, name)
  })
  const labelOf = ({ attributes }: Element) =>
    attributes.has('id')
      ? body.all.find((one) => one.attributes.get('for') === attributes.get('id'))
      : undefined
  const nameOf = (one: Element) => one.attributes.get('aria-label') ?? (labelOf(one) ?? one).textContent
  const named = (name: string, kind?: string): Element => {
    const found = body.all.find((one) => nameOf(one) === name && (!kind || one.localName === kind))
    if (!found) throw new Error(`nothing is named ${name}`)
    return found
  }
  const call = (type: string, one: Element) =>
    one.handlers.get(type)?.call(one as never, eventAt(type, one) as never)
  const change = (type: string, name: string, value: string) => {
    const control = body.all.find((one) => nameOf(one) === name && one.handlers.has(type))
    if (!control) throw new Error(`no control is named ${name}`)
    control.value = value
    call(type, control)
  }
  const eventAt = (type: string, currentTarget: Element) => ({
    type,
    currentTarget,
    target: currentTarget,
    preventDefault() {},
  })
  return {
    body,
    named,
    show: (component: ComponentChild) => render(component, body as never),
    names: (kind: string) => body.all.filter(({ localName }) => localName === kind).map(nameOf),
    fill: (name: string, value: string) => change('input', name, value),
    select: (name: string, value: string) => change('change', name, value),
    press: (name: string) => call('click', named(name, 'button')),
    submit: () => {
      for (const one of body.all) if (one.localName === 'form') call('submit', one)
    },
    find: (kind: string) => body.all.find(({ localName }) => localName === kind),
  }
}
