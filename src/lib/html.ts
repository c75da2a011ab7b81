/** Markup: a text that is none is escaped wherever it stands. */
export class Html {
  constructor(readonly text: string) {}
}

type Part = Html | string | number | null | undefined | false | readonly Part[]

const escaped = (text: string): string => Bun.escapeHTML(text)

function markupOf(part: Part): string {
  if (part instanceof Html) return part.text
  if (Array.isArray(part)) return part.map(markupOf).join('')
  return part === null || part === undefined || part === false ? '' : escaped(String(part))
}

/** A template of markup; what is put in is escaped, and may be text, markup, or a list of these. */
export const html = (strings: TemplateStringsArray, ...parts: readonly Part[]): Html =>
  new Html(strings.map((text, at) => (at === 0 ? text : markupOf(parts[at - 1]) + text)).join(''))
