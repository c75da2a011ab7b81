import type { Token, Tokens } from 'marked'
import { type Callout, calloutIn, calloutName } from './markdown-callouts.ts'
import {
  fileIdOf,
  fileOfImage,
  isShownInPlace,
  labelOf,
  pictureIn,
  safeLink,
  type WikiToken,
} from './markdown-links.ts'
import type { MathToken } from './markdown-marks.ts'

/*
 * Renders Markdown tokens as elements: nodes of the application's preview, or the HTML of a shared page. Only the
 * elements listed here are created, so nothing in a note can run.
 */

export type Attributes = Readonly<Record<string, string | number | undefined>>

/** Creates the elements of a text. */
export interface Output<Node> {
  element(name: string, attributes: Attributes, content: readonly Node[]): Node
  text(text: string): Node
  /** Code with the info string of its fence. */
  code(text: string, info: string): Node
  /** A formula, in a line or on its own; without this method it is code. */
  math?(text: string, isDisplay: boolean): Node
  /** A table that scrolls horizontally when it is wider than the page. */
  table(content: readonly Node[]): Node
  /** An external link. */
  link(href: string, content: readonly Node[]): Node
  /** A link relative to the page; without this method such links are plain text. */
  relativeLink?(href: string, content: readonly Node[]): Node
  /** An image relative to the page; without this method its text stands for it. */
  relativeImage?(href: string, alt: string): Node | undefined
  noteLink(link: WikiToken): Node
  fileLink(id: string, name: string): Node
  /** The address of a file of the workspace. */
  fileAddress(id: string): string
  /** The elements of the four highest heading levels of a text. */
  readonly headings: readonly [string, string, string, string]
}

/** The level of the highest heading of a text. */
export const topRankOf = (blocks: readonly Token[]): number =>
  blocks.reduce(
    (top, token) => Math.min(top, token.type === 'heading' ? (token as Tokens.Heading).depth : 6),
    6,
  )

/** Maximum nesting of blocks. */
const MAX_DEPTH = 100

/**
 * Renders blocks of a text whose highest heading has the level `topRank`. Throws when blocks are nested too deeply.
 */
export const walkMarkdown = <Node>(blocks: readonly Token[], topRank: number, output: Output<Node>): Node[] =>
  new Walk(output, topRank).all(blocks, 0)

class Walk<Node> {
  constructor(
    private readonly output: Output<Node>,
    private readonly topRank: number,
  ) {}

  all(tokens: readonly Token[] | undefined, depth: number): Node[] {
    if (depth > MAX_DEPTH) throw new Error('nested too deeply')
    return (tokens ?? []).flatMap((token) => this.#block(token, depth + 1))
  }

  #element(name: string, attributes: Attributes, content: readonly Node[]): Node[] {
    return [this.output.element(name, attributes, content)]
  }

  #block(token: Token, depth: number): Node[] {
    const { tokens } = token as Tokens.Generic
    switch (token.type) {
      case 'space':
      case 'def':
        return []
      case 'heading':
        return this.#heading(token as Tokens.Heading, depth)
      case 'paragraph':
        return this.#element('p', AUTO, this.all(tokens, depth))
      case 'blockquote':
        return this.#quotation(tokens ?? [], depth)
      case 'code':
        return [this.output.code((token as Tokens.Code).text, (token as Tokens.Code).lang ?? '')]
      case 'hr':
        return this.#element('hr', {}, [])
      case 'list':
        return this.#list(token as Tokens.List, depth)
      case 'table':
        return this.#table(token as Tokens.Table, depth)
      default:
        return this.#inline(token, depth)
    }
  }

  /** The highest headings of a text rank below the title of its note. */
  #heading({ depth: rank, tokens }: Tokens.Heading, depth: number): Node[] {
    const content = this.all(tokens, depth)
    const { headings } = this.output
    const name = headings[Math.max(0, rank - this.topRank)] ?? headings[3]
    return content.length === 0 ? [] : this.#element(name, AUTO, content)
  }

  #math({ text, isDisplay }: MathToken): Node[] {
    const { output } = this
    return output.math
      ? [output.math(text, isDisplay)]
      : this.#element('code', { class: 'math' }, [output.text(text)])
  }

  #quotation(tokens: readonly Token[], depth: number): Node[] {
    const callout = calloutIn(tokens)
    return callout ? this.#callout(callout, depth) : this.#element('blockquote', {}, this.all(tokens, depth))
  }

  #callout(callout: Callout, depth: number): Node[] {
    const { kind, name, text, others } = callout
    const title = name.length > 0 ? this.all(name, depth) : [this.output.text(calloutName(callout))]
    return this.#element('blockquote', { class: `md-callout md-${kind}` }, [
      ...this.#element('p', { class: 'md-callout-name', ...AUTO }, title),
      ...(text.length > 0 ? this.#element('p', AUTO, this.all(text, depth)) : []),
      ...this.all(others, depth),
    ])
  }

  #list({ ordered, start, items }: Tokens.List, depth: number): Node[] {
    const rows = items.flatMap(({ task, tokens }) =>
      this.#element('li', { class: task ? 'task' : undefined, ...AUTO }, this.all(tokens, depth)),
    )
    return ordered
      ? this.#element('ol', { start: start === '' ? 1 : start }, rows)
      : this.#element('ul', {}, rows)
  }

  #table({ header, rows }: Tokens.Table, depth: number): Node[] {
    const row = (cells: readonly Tokens.TableCell[], name: 'th' | 'td') =>
      this.#element(
        'tr',
        {},
        cells.flatMap(({ tokens, align }) => {
          const scope = name === 'th' ? 'col' : undefined
          return this.#element(name, { scope, class: align ?? 'left' }, this.all(tokens, depth))
        }),
      )
    const head = this.#element('thead', {}, row(header, 'th'))
    const body = this.#element(
      'tbody',
      {},
      rows.flatMap((cells) => row(cells, 'td')),
    )
    return [this.output.table([...head, ...body])]
  }

  #inline(token: Token, depth: number): Node[] {
    const { tokens, text, raw } = token as Tokens.Generic
    const { output } = this
    switch (token.type) {
      case 'wiki':
        return [this.#wiki(token as unknown as WikiToken)]
      case 'strong':
      case 'em':
      case 'mark':
        return this.#element(token.type, {}, this.all(tokens, depth))
      case 'del':
        return this.#element('s', {}, this.all(tokens, depth))
      case 'codespan':
        return this.#element('code', {}, [output.text(text)])
      case 'math':
        return this.#math(token as unknown as MathToken)
      case 'br':
        return this.#element('br', {}, [])
      case 'checkbox':
        return this.#checkbox(token as Tokens.Checkbox)
      case 'link':
        return this.#link(token as Tokens.Link, depth)
      case 'image':
        return this.#image(token as Tokens.Image)
      case 'text':
      case 'escape':
        return tokens ? this.all(tokens, depth) : this.#lines(text)
      default:
        return [output.text(raw)]
    }
  }

  /** Keeps line breaks where the author put them, as the editor does. */
  #lines(text: string): Node[] {
    return text
      .split('\n')
      .flatMap((line, at) => [
        ...(at > 0 ? this.#element('br', {}, []) : []),
        ...(line === '' ? [] : [this.output.text(line)]),
      ])
  }

  #checkbox({ checked }: Tokens.Checkbox): Node[] {
    const label = checked ? 'done:' : 'to do:'
    return this.#element('span', { class: 'check', role: 'img', 'aria-label': label }, [
      this.output.text(checked ? '☑' : '☐'),
    ])
  }

  #link({ href, tokens }: Tokens.Link, depth: number): Node[] {
    const to = safeLink(href)
    const content = this.all(tokens, depth)
    if (to !== undefined) return [this.output.link(to, content)]
    const relative = this.output.relativeLink?.(href, content)
    return relative === undefined ? this.#element('span', {}, content) : [relative]
  }

  #image({ href, text }: Tokens.Image): Node[] {
    const file = fileOfImage(href)
    if (file !== undefined) return this.#picture(file, { alt: text })
    const relative = this.output.relativeImage?.(href, text)
    const name = () => this.output.text(text === '' ? href : text)
    return relative === undefined ? this.#element('span', { class: 'dim' }, [name()]) : [relative]
  }

  #picture(file: string, attributes: Attributes): Node[] {
    const src = this.output.fileAddress(file)
    return this.#element('img', { src, ...attributes, loading: 'lazy' }, [])
  }

  #wiki(token: WikiToken): Node {
    const file = fileIdOf(token.target)
    if (file === undefined) return this.output.noteLink(token)
    const label = labelOf(token)
    const isNamed = label !== token.target
    if (!isShownInPlace(token)) return this.output.fileLink(file, isNamed ? label : 'a file')
    const { alt, width, height } = pictureIn(token)
    const [picture] = this.#picture(file, { alt: isNamed ? alt : 'a file', width, height })
    return picture as Node
  }
}

const AUTO: Attributes = { dir: 'auto' }
