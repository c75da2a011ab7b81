import { type Element, isTag, isText, type ChildNode as Node } from 'domhandler'
import { DomHandler, DomUtils, Parser } from 'htmlparser2'

const IGNORED = new Set(['head', 'script', 'style', 'template', 'title', 'noscript'])
const BLOCKS = new Set(
  'address article aside blockquote body details div dl dd dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr html li main nav ol p pre section summary table ul'.split(
    ' ',
  ),
)

/* Limits: time and output grow with the length, the depth, and the cells of a table. */
const MAX_LENGTH = 2_000_000
const MAX_DEPTH = 200
const MAX_CELLS = 100_000

class BoundedHandler extends DomHandler {
  override onopentag(name: string, attribs: Record<string, string>): void {
    super.onopentag(name, attribs)
    if (this.tagStack.length > MAX_DEPTH) throw new RangeError('The HTML is nested too deeply.')
  }
}

/**
 * Converts HTML to Markdown without loading or running anything. Throws RangeError if the HTML exceeds a limit.
 */
export function markdownOf(html: string): string {
  if (html.length > MAX_LENGTH) throw new RangeError('The HTML is too long.')
  const handler = new BoundedHandler()
  new Parser(handler).end(html)
  findBlocks(handler.dom)
  return blocksOf(handler.dom).join('\n\n')
}

const foundBlocks = new WeakSet<Node>()

/** Word processors nest paragraphs in inline elements, so an element that contains a block counts as a block. */
function findBlocks(nodes: readonly Node[]): boolean {
  let hasBlock = false
  for (const node of nodes) {
    if (!isTag(node)) continue
    const containsBlock = findBlocks(node.children)
    if (!containsBlock && !BLOCKS.has(node.name)) continue
    foundBlocks.add(node)
    hasBlock = true
  }
  return hasBlock
}

/** Converts nodes to blocks; inline nodes between blocks become paragraphs. */
function blocksOf(nodes: readonly Node[]): string[] {
  const blocks: string[] = []
  let words: Node[] = []
  const endParagraph = () => {
    const text = inlineOf(words).trim()
    if (text !== '') blocks.push(text.replace(/^(#{1,6}|[-+>]|\d{1,9}[.)])(?=\s)/, '\\$1'))
    words = []
  }
  for (const node of nodes) {
    if (!foundBlocks.has(node)) words.push(node)
    else {
      endParagraph()
      blocks.push(...blockOf(node as Element))
    }
  }
  endParagraph()
  return blocks
}

function blockOf(element: Element): string[] {
  const { name, children } = element
  const depth = /^h([1-6])$/.exec(name)?.[1]
  if (depth !== undefined) return [`${'#'.repeat(Number(depth))} ${inlineOf(children).trim()}`]
  switch (name) {
    case 'hr':
      return ['---']
    case 'pre':
      return [`\`\`\`\n${DomUtils.textContent(element).trimEnd()}\n\`\`\``]
    case 'blockquote':
      return [blocksOf(children).join('\n\n').replace(/^/gm, '> ')]
    case 'ul':
    case 'ol':
      return [listOf(element)]
    case 'table':
      return tableOf(element)
    default:
      return blocksOf(children)
  }
}

function listOf({ name, children, attribs }: Element): string {
  let number = Number(attribs.start ?? 1)
  const items = children.filter(isTag).map((item) => {
    const marker = name === 'ol' ? `${number++}. ` : '- '
    const nested = item.name === 'ul' || item.name === 'ol' ? [listOf(item)] : blocksOf(item.children)
    const indented = nested.join('\n').replaceAll('\n', `\n${' '.repeat(marker.length)}`)
    return `${marker}${indented}`
  })
  return items.join('\n')
}

function tableOf(table: Element): string[] {
  const rows = DomUtils.getElementsByTagName('tr', table).map(({ children }) =>
    children
      .filter(isTag)
      .map((cell) => inlineOf([cell]).trim().replaceAll(/\s+/g, ' ').replaceAll('|', '\\|')),
  )
  const width = rows.reduce((max, { length }) => Math.max(max, length), 0)
  if (width === 0) return []
  if (width * rows.length > MAX_CELLS) throw new RangeError('The HTML has a table with too many cells.')
  const lineOf = (cells: readonly string[]) =>
    `| ${Array.from({ length: width }, (_, index) => cells[index] ?? '').join(' | ')} |`
  const [head = [], ...rest] = rows
  return [[lineOf(head), `|${' --- |'.repeat(width)}`, ...rest.map(lineOf)].join('\n')]
}

const inlineOf = (nodes: readonly Node[]): string => nodes.map(inline).join('')

/** Wraps text in a mark, excluding surrounding spaces. */
function marked(text: string, mark: string): string {
  const words = text.trim()
  if (words === '') return text
  const start = text.indexOf(words)
  return text.slice(0, start) + mark + words + mark + text.slice(start + words.length)
}

function inline(node: Node): string {
  if (isText(node)) return node.data.replaceAll(/\s+/g, ' ').replaceAll(/[\\`*[\]]/g, '\\$&')
  if (!isTag(node) || IGNORED.has(node.name)) return ''
  const { name, attribs, children } = node
  switch (name) {
    case 'br':
      return '\n'
    case 'code':
      return marked(DomUtils.textContent(node), '`')
    case 'a':
      return linkTo(attribs.href ?? '', inlineOf(children))
    case 'img':
      return /^https?:/i.test(attribs.src ?? '')
        ? `!${linkTo(attribs.src ?? '', attribs.alt || 'picture')}`
        : (attribs.alt ?? '')
    case 'input':
      return attribs.type === 'checkbox' ? `[${attribs.checked === undefined ? ' ' : 'x'}] ` : ''
    case 'del':
    case 's':
      return marked(inlineOf(children), '~~')
    default:
      return styled(node, inlineOf(children))
  }
}

function linkTo(address: string, label: string): string {
  const text = label.trim().replaceAll(/\s+/g, ' ')
  if (!/^(?:https?:|mailto:)/i.test(address) || text === '') return label
  return `[${text}](${address.replaceAll(/\s/g, '%20').replaceAll('(', '%28').replaceAll(')', '%29')})`
}

/** Some programs express bold and italic as styles, and wrap everything copied in a `<b>` that is not bold. */
function styled({ name, attribs: { style = '' } }: Element, text: string): string {
  const weight = /font-weight:\s*(\w+)/.exec(style)?.[1]
  const isBold =
    weight === undefined ? name === 'b' || name === 'strong' : weight === 'bold' || Number(weight) >= 600
  const isItalic = name === 'i' || name === 'em' || /font-style:\s*italic/.test(style)
  const italicized = isItalic ? marked(text, '*') : text
  return isBold ? marked(italicized, '**') : italicized
}
