import { Parser } from 'htmlparser2'
import { refused } from '../../../lib/refusal.ts'

/* Converts the HTML of notes into Markdown: headings, lists with boxes, tables, code, links and pictures. */

interface Element {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
  readonly children: HtmlNode[]
}
type HtmlNode = Element | string

/** Deeper elements belong to the last one of this depth. */
const MAX_DEPTH = 100
/** The parser takes time proportional to the depth for each element. */
const MAX_OPEN_ELEMENTS = 1_000

/** Refuses a document with too many elements within each other; `depth` is their number. */
export function refuseDeepNesting(depth: number): void {
  if (depth > MAX_OPEN_ELEMENTS)
    throw refused(`A note nests more than ${MAX_OPEN_ELEMENTS} elements; simplify it, and export it again.`)
}

const HIDDEN = new Set(['script', 'style', 'title', 'head', 'template', 'noscript'])
const EMPTY = new Set(['br', 'hr', 'img', 'en-media', 'en-todo', 'input', 'col'])

export interface HtmlOptions {
  /** The Markdown of an element of the program, such as an attachment; undefined for any other. */
  elementOf(name: string, attributes: Readonly<Record<string, string>>): string | undefined
  /** The Markdown of a link to another note; undefined for an ordinary address. */
  linkTo(address: string, label: string): string | undefined
}

/** Refuses HTML that is nested too deeply. */
export function markdownOf(html: string, options: HtmlOptions): string {
  const blocks = new Converter(options).blocks(treeOf(html))
  return blocks.length === 0 ? '' : `${blocks.join('\n\n')}\n`
}

function treeOf(html: string): HtmlNode[] {
  const root: Element = { name: '', attributes: {}, children: [] }
  const open = [root]
  const last = () => open.at(-1) ?? root
  const names: string[] = []
  const parser = new Parser(
    {
      onopentag: (name, attributes) => {
        const element = { name, attributes, children: [] }
        last().children.push(element)
        names.push(name)
        refuseDeepNesting(names.length)
        if (open.length < MAX_DEPTH && !EMPTY.has(name)) open.push(element)
      },
      onclosetag: (name) => {
        names.pop()
        if (!EMPTY.has(name) && open.length > 1 && open.length > names.length + 1) open.pop()
      },
      ontext: (text) => void last().children.push(text),
    },
    { recognizeSelfClosing: true },
  )
  parser.end(html)
  return root.children
}

const HEADING = /^h([1-6])$/
const BLOCKS = new Set(
  'en-note html body div p section article header footer main aside center ul ol li table blockquote pre hr dl dt dd'.split(
    ' ',
  ),
)
const isBlock = (node: HtmlNode): node is Element =>
  typeof node !== 'string' && (BLOCKS.has(node.name) || HEADING.test(node.name))

const MARKS: ReadonlyMap<string, string> = new Map([
  ['b', '**'],
  ['strong', '**'],
  ['i', '*'],
  ['em', '*'],
  ['s', '~~'],
  ['strike', '~~'],
  ['del', '~~'],
  ['mark', '=='],
])

class Converter {
  constructor(private readonly options: HtmlOptions) {}

  blocks(nodes: readonly HtmlNode[]): string[] {
    const blocks: string[] = []
    let inline: HtmlNode[] = []
    const end = () => {
      const text = this.#inline(inline).trim()
      if (text !== '') blocks.push(guarded(text))
      inline = []
    }
    for (const node of nodes) {
      if (!isBlock(node) && !this.#holdsBlocks(node)) {
        inline.push(node)
        continue
      }
      end()
      blocks.push(...this.#block(node as Element))
    }
    end()
    return blocks
  }

  #holdsBlocks = (node: HtmlNode): boolean =>
    typeof node !== 'string' && node.children.some((child) => isBlock(child) || this.#holdsBlocks(child))

  #block(element: Element): string[] {
    const { name, children } = element
    if (HIDDEN.has(name)) return []
    const level = HEADING.exec(name)?.[1]
    if (level !== undefined)
      return headingOf(Number(level), this.#inline(children).replace(/\s+/g, ' ').trim())
    if (name === 'hr') return ['---']
    if (name === 'pre') return [fenced(textOf(children))]
    if (name === 'ul' || name === 'ol') return [this.#list(element)]
    if (name === 'table') return [this.#table(element)].filter((table) => table !== '')
    if (name === 'blockquote')
      return [this.blocks(children).join('\n\n').replace(/^/gm, '> ').replace(/ $/gm, '')]
    return this.blocks(children)
  }

  #list({ name, attributes, children }: Element): string {
    const isTodo = /--en-todo:\s*true/.test(attributes.style ?? '')
    const lines: string[] = []
    let number = Number(attributes.start ?? 1) || 1
    for (const child of children) {
      if (typeof child === 'string') {
        if (child.trim() !== '') lines.push(`- ${escaped(child.trim())}`)
        continue
      }
      const isChecked = /--en-checked:\s*true/.test(child.attributes.style ?? '')
      const box = isTodo ? `[${isChecked ? 'x' : ' '}] ` : ''
      const marker = name === 'ol' ? `${number++}. ` : '- '
      const isNested = child.name === 'ul' || child.name === 'ol'
      const text = isNested ? this.#list(child) : this.blocks(child.children).join('\n')
      if (isNested) lines.push(text.replace(/^/gm, '  '))
      else lines.push(marker + box + text.replace(/\n/g, `\n${' '.repeat(marker.length)}`))
    }
    return lines.join('\n')
  }

  #table(table: Element): string {
    const rows = elementsNamed(table, 'tr').map(({ children }) =>
      children
        .filter((cell) => typeof cell !== 'string' && (cell.name === 'td' || cell.name === 'th'))
        .map((cell) => this.#cell(cell as Element)),
    )
    const width = longest(rows)
    if (width === 0) return ''
    const lineOf = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
    const [head = [], ...others] = rows
    const whole = [...head, ...Array<string>(width - head.length).fill('')]
    // Later lines may be shorter than the first.
    return [lineOf(whole), `|${' --- |'.repeat(width)}`, ...others.map(lineOf)].join('\n')
  }

  #cell = ({ children }: Element): string =>
    this.blocks(children)
      .join(' ')
      .replace(/\s+/g, ' ')
      .replace(/(?<!\\)\|/g, '\\|')

  #inline = (nodes: readonly HtmlNode[]): string => nodes.map((node) => this.#inlineNode(node)).join('')

  #inlineNode(node: HtmlNode): string {
    if (typeof node === 'string') return escaped(node.replace(/[ \t\r\n]+/g, ' '))
    const { name, attributes, children } = node
    if (HIDDEN.has(name)) return ''
    const own = this.options.elementOf(name, attributes)
    if (own !== undefined) return own
    if (name === 'br') return '\n'
    if (name === 'input' && attributes.type === 'checkbox')
      return `- [${attributes.checked === undefined ? ' ' : 'x'}] `
    if (name === 'img') return pictureOf(attributes)
    if (name === 'code' || name === 'tt') return codeOf(textOf(children))
    const text = this.#inline(children)
    if (name === 'a') return this.#link(attributes.href ?? '', text)
    const mark = MARKS.get(name)
    return mark === undefined ? text : marked(text, mark)
  }

  #link(address: string, text: string): string {
    const label = text.trim()
    if (label === '' || address === '') return text
    return this.options.linkTo(address, label) ?? `[${label}](${addressOf(address)})`
  }
}

const headingOf = (level: number, text: string): string[] =>
  text === '' ? [] : [`${'#'.repeat(level)} ${text}`]

const addressOf = (address: string): string =>
  /[\s()<>]/.test(address) ? `<${address.replace(/[<>\n]/g, encodeURIComponent)}>` : address

const pictureOf = ({ src = '', alt = '' }: Readonly<Record<string, string>>): string =>
  src === '' || src.startsWith('data:') ? '' : `![${alt.replace(/[[\]]/g, '')}](${addressOf(src)})`

/** The mark may not touch white space. */
function marked(text: string, mark: string): string {
  const inner = text.trim()
  if (inner === '') return text
  const at = text.indexOf(inner)
  return text.slice(0, at) + mark + inner + mark + text.slice(at + inner.length)
}

/** The greatest length. A call of `Math.max` takes only so many arguments. */
const longest = (parts: Iterable<{ readonly length: number }>): number => {
  let most = 0
  for (const { length } of parts) most = Math.max(most, length)
  return most
}

const longestTicks = (text: string): number => longest(text.match(/`+/g) ?? [])

function codeOf(text: string): string {
  const ticks = longestTicks(text)
  const fence = '`'.repeat(ticks + 1)
  return text === '' ? '' : ticks > 0 ? `${fence} ${text} ${fence}` : `${fence}${text}${fence}`
}

function fenced(text: string): string {
  const fence = '`'.repeat(Math.max(2, longestTicks(text)) + 1)
  return `${fence}\n${text.replace(/^\n|\n$/g, '')}\n${fence}`
}

const textOf = (nodes: readonly HtmlNode[]): string =>
  nodes
    .map((node) => {
      if (typeof node === 'string') return node
      const isLine = node.name === 'br' || node.name === 'div' || node.name === 'p'
      return textOf(node.children) + (isLine ? '\n' : '')
    })
    .join('')

const elementsNamed = (element: Element, name: string): Element[] =>
  element.children.flatMap((child) => {
    if (typeof child === 'string') return []
    return child.name === name ? [child] : elementsNamed(child, name)
  })

const escaped = (text: string): string => text.replace(/[\\`*_[\]<]/g, '\\$&').replace(/\u00a0/g, ' ')

/** Text that would begin a heading, a list or a quotation. */
const guarded = (text: string): string =>
  text.replace(/^(?=#{1,6} |[+>] |-{3,}\s*$|\+)/gm, '\\').replace(/^(\d{1,9})([.)] )/gm, '$1\\$2')
